package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/layout"
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

// Describe returns the Manifest of the plan.
func (p *Plan) Describe() Manifest {
	s := p.settings
	m := Manifest{
		Model: s.Model, Params: s.Params, Task: p.dataset.Task(), Dataset: p.dataset.Report(),
		Documents: s.Documents, Slots: slices.Clone(s.Slots), Questions: len(p.order), Seed: s.Seed,
		Layout: layout.KeyValueName, Prompt: s.Prompt, Instruction: s.Instruction, Calls: p.Len(),
	}
	if s.Prompt != nil {
		m.Layout = string(s.Prompt.Layout) + "/" + string(s.Prompt.Format)
	}
	for _, a := range p.arms {
		if !slices.Contains(m.Arms, a.name) {
			m.Arms = append(m.Arms, a.name)
		}
		m.Repeats = max(m.Repeats, a.repeat)
	}
	return m
}

// Manifest returns what Run writes into the journal: Describe.
func (p *Plan) Manifest() any { return p.Describe() }

// String says in a few lines what would be asked, without reading a case.
func (p *Plan) String() string {
	m := p.Describe()
	return fmt.Sprintf("%s, %s, %d documents, layout %s\n%d questions × %d arms (%s; slots %s) = %d calls",
		m.Model, m.Task, m.Documents, m.Layout, m.Questions, len(p.arms), strings.Join(m.Arms, ", "), numberList(m.Slots), m.Calls)
}

func numberList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}
