package sweep

import (
	"fmt"
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

// slotList writes slots as people count them, from 1: "1 to 20", or "1, 5, 10".
func slotList(slots []int) string {
	if n := len(slots); n > 2 && slots[n-1]-slots[0] == n-1 {
		return fmt.Sprintf("%d to %d", slots[0]+1, slots[n-1]+1)
	}
	words := make([]string, len(slots))
	for i, slot := range slots {
		words[i] = strconv.Itoa(slot + 1)
	}
	return strings.Join(words, ", ")
}
