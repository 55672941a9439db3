package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

// tally adds up one arm.
type tally struct {
	accuracy float64
	shuffled float64            // the same in random order
	placed   int                // lists whose answer was placed
	place    float64            // sum of the answers' slots, from 0 to 1
	weight   map[slotOf]float64 // how many lists had the answer in a slot
	curves   map[int][]float64  // by number of documents
}

type slotOf struct{ slot, n int }

func (t *tally) add(ctx context.Context, arm armPlan, c dataset.Case, curve Reading) error {
	a, err := core.Arrange(ctx, arm.arranger, c.Documents, view(arm), core.Call{})
	if err != nil {
		return fmt.Errorf("bookend: question %q in arm %q: %w", c.Question, arm.name, err)
	}
	slot, n := goldSlot(a, c.Golds), len(a.Slots)
	if slot == model.NoSlot {
		return nil
	}
	if t.curves == nil {
		t.curves, t.weight = map[int][]float64{}, map[slotOf]float64{}
	}
	accuracy, known := t.curves[n]
	if !known {
		if accuracy, err = curve.read(n); err != nil {
			return err
		}
		t.curves[n] = accuracy
	}
	t.accuracy += accuracy[slot]
	for _, v := range accuracy {
		t.shuffled += v / float64(n)
	}
	t.placed++
	t.place += float64(slot) / float64(max(n-1, 1))
	t.weight[slotOf{slot, n}]++
	return nil
}

// noise is the standard error of the difference in accuracy to another arm, that
// the questions behind the curve leave.
func (t tally) noise(baseline tally, lists, questions int) float64 {
	if questions == 0 {
		return 0
	}
	var slots []slotOf // in one order, so that the sum is the same to the last bit
	for _, weights := range []map[slotOf]float64{t.weight, baseline.weight} {
		for s := range weights {
			slots = append(slots, s)
		}
	}
	slices.SortFunc(slots, func(a, b slotOf) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.slot, b.slot)) })
	variance := 0.0
	for _, s := range slices.Compact(slots) {
		d := (t.weight[s] - baseline.weight[s]) / float64(lists)
		accuracy := t.curves[s.n]
		if accuracy == nil {
			accuracy = baseline.curves[s.n]
		}
		p := accuracy[s.slot]
		variance += d * d * p * (1 - p) / float64(questions)
	}
	return math.Sqrt(variance)
}
