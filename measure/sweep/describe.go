package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/layout"
)

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
	ways := map[string]string{
		ArmClosedBook: "without documents (closed-book)",
		ArmOracle:     "with the answer's document alone (oracle)",
		ArmSlot:       "with the answer in slot " + slotList(m.Slots),
		ArmRepeat:     "once more in the middle slot (repeat)",
	}
	if m.Repeats > 1 {
		ways[ArmRepeat] = fmt.Sprintf("%d times more in the middle slot (repeat)", m.Repeats)
	}
	var asked []string
	for _, arm := range m.Arms {
		asked = append(asked, ways[arm])
	}
	return fmt.Sprintf("%s, %s, %d documents, layout %s\n%s, each asked in %s: %s.",
		m.Model, m.Task, m.Documents, m.Layout, text.Count(m.Questions, "question"), text.Count(len(p.arms), "way"), strings.Join(asked, ", "))
}
