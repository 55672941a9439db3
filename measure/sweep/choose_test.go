package sweep

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
)

// Every slot of a zone is asked equally often on average, whatever is needed, or a contrast
// would not be what it is.
func TestChosenSlotsAreFair(t *testing.T) {
	t.Parallel()
	const n = 4000
	for _, documents := range []int{5, 10, 20} {
		d := Described{Manifest: Manifest{Documents: documents, Slots: slot.All(documents), Questions: thinFrom, Seed: 3}, UntilDecided: true}
		w := &watcher{ledger: &ledger{described: d}}
		zones := shape.ZonesOf(documents, d.Slots)
		for _, c := range []choice{everything, {start: true, middle: true}, {start: true, end: true}, {middle: true, end: true}} {
			counts := make([]int, documents)
			for i := range n {
				asked := w.chosen(fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15), c)
				if asked == nil {
					asked = slot.All(documents)
				}
				if !slices.IsSorted(asked) {
					t.Fatalf("%d documents, %+v: %v", documents, c, asked)
				}
				for _, s := range asked {
					counts[s]++
				}
			}
			for name, zone := range map[string][]int{"start": zones.Start, "middle": zones.Middle, "end": zones.End} {
				low, high := n, 0
				for _, i := range zone {
					low, high = min(low, counts[i]), max(high, counts[i])
				}
				if needed := map[string]bool{"start": c.start, "middle": c.middle, "end": c.end}[name]; needed && float64(low) < 0.85*float64(high) || low == 0 {
					t.Errorf("%d documents, %+v: %s asked %v", documents, c, name, counts)
				}
			}
		}
	}
}

// With few questions no slot is left out while every contrast is open.
func TestFewQuestionsAreAskedInEverySlot(t *testing.T) {
	t.Parallel()
	d := Described{Manifest: Manifest{Documents: 20, Slots: slot.All(20), Questions: thinFrom - 1}, UntilDecided: true}
	w := &watcher{ledger: &ledger{described: d}}
	if asked := w.chosen("00000000000000ff", everything); asked != nil {
		t.Errorf("asked in %v", asked)
	}
	if asked := w.chosen("00000000000000ff", choice{start: true, end: true}); len(asked) >= 20 || len(asked) < 6 {
		t.Errorf("without the middle: asked in %v", asked)
	}
	d.UntilDecided = false
	w = &watcher{ledger: &ledger{described: d}}
	if asked := w.chosen("00000000000000ff", choice{start: true}); asked != nil {
		t.Errorf("a sweep of a fixed number of questions: asked in %v", asked)
	}
}
