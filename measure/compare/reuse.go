package compare

import (
	"context"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// Reuse gives an arm a memory of the orders that it sent (core/reuse), which its
// placement may give way to. The arm's prompts are those of a program that got the
// requests of Before first, then the lists in the order of their file, and that forgot
// nothing because of its age. Which questions are asked, and in which order,
// changes none of them.
type Reuse struct {
	Hold         int         `json:"hold,omitempty"`
	Worth        float64     `json:"worth,omitempty"` // points of accuracy; needs Curve
	Curve        *core.Curve `json:"curve,omitempty"`
	Decay        float64     `json:"decay,omitempty"`
	MaxDocuments int         `json:"max_documents,omitempty"`
	// Before are requests that came earlier, opened with dataset.Rules.Requests. It must
	// stay open. nil: none.
	Before *dataset.Dataset `json:"-"`
	// Warm says which, once they are planned.
	Warm string `json:"warm,omitempty"`
}

// remembering is an arm with a memory. The order of a list depends on those before it,
// so that orders are found one after the other, and kept.
type remembering struct {
	arranger *core.Arranger // with the memory
	before   *dataset.Dataset
	orders   [][]int // of each list, the place among its placed documents, best first, that stands in each slot
}

// remember makes the memory of an arm, and fills in Warm.
func (r *Reuse) remember(order core.Config, layout prompt.Config) (*remembering, error) {
	start := time.Unix(0, 0)
	memory, err := reuse.New(reuse.Config{
		Hold: r.Hold, Worth: r.Worth, Curve: r.Curve, Decay: r.Decay, MaxDocuments: r.MaxDocuments,
		Now: func() time.Time { return start }, // nothing grows old
	})
	if err != nil {
		return nil, err
	}
	order.Reuse = memory
	_, arranger, err := prompt.Compile(layout, order, false, false)
	if r.Before != nil {
		r.Warm = fmt.Sprintf("%s, %d requests", r.Before.Report().Path, r.Before.Len())
	}
	return &remembering{arranger: arranger, before: r.Before}, err
}

// as returns what arranges a list in the arm: without a memory what always does, else
// an Arranger that places as the memory did when it came to the list.
func (a armPlan) as(lists *dataset.Dataset, index int) (*core.Arranger, error) {
	m := a.memory
	if m == nil {
		return a.arranger, nil
	}
	if m.orders == nil && m.before != nil {
		for i := range m.before.Len() {
			if _, err := m.send(a, m.before, i); err != nil {
				return nil, err
			}
		}
	}
	for len(m.orders) <= index {
		order, err := m.send(a, lists, len(m.orders))
		if err != nil {
			return nil, err
		}
		m.orders = append(m.orders, order)
	}
	order := m.orders[index]
	return a.arranger.With(core.PlacementFunc(func(slots []int, _ func(int) core.Origin) error {
		if len(slots) == len(order) { // else a budget has yet to leave some out
			copy(slots, order)
		}
		return nil
	}))
}

// send lays out the prompt of a list, so that the memory has it, and returns its order.
func (m *remembering) send(a armPlan, lists *dataset.Dataset, index int) ([]int, error) {
	c, err := lists.Case(index)
	if err != nil {
		return nil, err
	}
	question := c.Question
	if question == "" {
		question = "?" // of what was recorded without
	}
	sent, err := prompt.Build(context.Background(), a.renderer, m.arranger, c.Documents, view(a), prompt.Input{Question: question})
	if err != nil {
		return nil, fmt.Errorf("bookend: question %q in arm %q: %w", c.Question, a.name, err)
	}
	order := make([]int, len(sent.Arrangement.Slots))
	for slot, placed := range sent.Arrangement.Slots {
		for _, other := range sent.Arrangement.Slots {
			if other.Rank < placed.Rank {
				order[slot]++
			}
		}
	}
	return order, nil
}

// withReuse says which memory the settings of an arm need beside them, or "".
func (a ArmInfo) withReuse() string {
	if a.Reuse == nil {
		return ""
	}
	return fmt.Sprintf("; with reuse (hold %d, worth %g points), which no file holds: give core.Config.Reuse such a memory", a.Reuse.Hold, a.Reuse.Worth)
}
