package sweep

import (
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

// Manifest describes a plan: what a journal says about its records, and a curve
// about its origin.
type Manifest struct {
	Model       string         `json:"model"`
	Params      model.Params   `json:"params"`
	Task        dataset.Task   `json:"task"`
	Dataset     dataset.Report `json:"dataset"`
	Documents   int            `json:"documents"`
	Slots       []int          `json:"slots"`
	Questions   int            `json:"questions"`
	Seed        uint64         `json:"seed"`
	Arms        []string       `json:"arms"` // each once, in plan order
	Repeats     int            `json:"repeats"`
	Layout      string         `json:"layout"`           // in one word
	Prompt      *prompt.Config `json:"prompt,omitempty"` // absent for the key-value layout of Liu et al.
	Instruction string         `json:"instruction"`
	Calls       int            `json:"calls"`
}

func numberList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}
