package core_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// labelsBySlot returns the label in each slot.
func labelsBySlot(a core.Arrangement) []int {
	labels := make([]int, len(a.Slots))
	for slot, p := range a.Slots {
		labels[slot] = p.Label
	}
	return labels
}

// Documents that a step before placed keep their labels by rank where a Trace saw it,
// whatever that step did, and are labelled from the first slot on where none did.
func TestPlacedBefore(t *testing.T) {
	t.Parallel()
	off := core.Config{Select: func(context.Context) *core.Arranger { return core.Off }}
	for _, c := range []struct {
		name   string
		config core.Config
		want   []int // labels, by slot
	}{
		{"head-tail", core.Config{}, []int{1, 3, 5, 4, 2}},
		{"reversed", core.Config{Placement: core.Choice{Placement: core.Reversed}}, []int{5, 4, 3, 2, 1}},
		{"off", off, []int{1, 2, 3, 4, 5}},
		{"too few", core.Config{MinDocuments: 6}, []int{1, 2, 3, 4, 5}},
		{"trimmed", core.Config{TopK: 3}, []int{1, 3, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, trace := core.WithTrace(t.Context())
			placed, err := core.Transform(ctx, mustNew(t, c.config), named("A B C D E"), docView, core.Call{})
			if err != nil {
				t.Fatal(err)
			}
			observe, events := watch()
			a, err := core.Arrange(ctx, mustNew(t, core.Config{Observe: observe, Placement: core.Choice{Placement: core.TailHead}}), placed, docView, core.Call{Placed: true})
			if err != nil {
				t.Fatal(err)
			}
			same(t, "labels with a trace", c.want, labelsBySlot(a))
			same(t, "is an arrangement", nil, a.Check(len(placed)))
			same(t, "the observer's", c.want, labelsBySlot((*events)[0].Arrangement))
			same(t, "the trace's", c.want, labelsBySlot(trace.Arrangement()))
			applied, err := core.Apply(a, placed)
			same(t, "error of Apply", nil, err)
			same(t, "nothing is moved", names(placed), names(applied))

			blind, err := core.Arrange(t.Context(), nil, placed, docView, core.Call{Placed: true})
			same(t, "error", nil, err)
			for slot, label := range labelsBySlot(blind) {
				same(t, "label without a trace", slot+1, label)
			}
		})
	}
}

// A Trace is told the latest step, and copies what it tells.
func TestTrace(t *testing.T) {
	t.Parallel()
	ctx, trace := core.WithTrace(t.Context())
	same(t, "before any step", core.Arrangement{}, trace.Arrangement())
	for n := range 100 {
		if _, err := core.Arrange(ctx, nil, make([]doc, n), nil, core.Call{}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "the latest", 99, trace.Arrangement().N)
	trace.Arrangement().Slots[0].Label = 77
	same(t, "the caller's copy is its own", 1, trace.Arrangement().Slots[0].Label)
	if _, err := core.Arrange(ctx, nil, named("A"), nil, core.Call{TopK: -1}); err == nil {
		t.Fatal("no error")
	}
	same(t, "a call that failed is no step", 99, trace.Arrangement().N)

	var all sync.WaitGroup
	for i := range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			docs := named(fmt.Sprint("A", i, " B C"))
			placed, err := core.Transform(ctx, nil, docs, docView, core.Call{})
			if err == nil {
				_, err = core.Arrange(ctx, nil, placed, docView, core.Call{Placed: true})
			}
			if err != nil || trace.Arrangement().N == 0 {
				t.Errorf("error %v, trace %v", err, trace.Arrangement())
			}
		}()
	}
	all.Wait()
}

// A context that ends while texts are counted begins no further count.
func TestNoCountAfterTheEnd(t *testing.T) {
	t.Parallel()
	for _, overflow := range []core.Overflow{core.Stop, core.Skip} {
		ctx, cancel := context.WithCancel(t.Context())
		counts := 0
		a := mustNew(t, core.Config{Budget: 1_000, Overflow: overflow, Count: func(string) int {
			if counts++; counts == 3 {
				cancel()
			}
			return 1
		}})
		_, err := core.Transform(ctx, a, make([]doc, 50), docView, core.Call{})
		same(t, "error", error(context.Canceled), err)
		same(t, "counts", 3, counts)
	}
}

// Zero values are the defaults, and Off.With places and does no more.
func TestZeroArranger(t *testing.T) {
	t.Parallel()
	same(t, "zero", "A C B", mustTransform(t, new(core.Arranger), named("A B C")))
	same(t, "zero, traced", 0, new(core.Arranger).TopK())
	same(t, "is it off", false, new(core.Arranger).IsOff())
	same(t, "a Call's", "C B A", mustTransform(t, core.Off, named("A B C"), core.Call{Arranger: mustNew(t, core.Config{Placement: core.Choice{Placement: core.Reversed}})}))
}

// A call's own Arranger is observed by the one that the call is made with, where it has no
// observer of its own.
func TestArrangerOfACall(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	own, ownEvents := watch()
	a := mustNew(t, core.Config{Observe: observe})
	mustTransform(t, a, named("A B C"), core.Call{Arranger: core.Off})
	same(t, "placement", "off", (*events)[0].Arrangement.Placement)
	mustTransform(t, a, named("A B C"), core.Call{Arranger: mustNew(t, core.Config{Observe: own})})
	same(t, "events", []int{1, 1}, []int{len(*events), len(*ownEvents)})
}

// Nobody has a score: there is nothing to rank by, and the arrangement says so.
func TestNoScoreAtAll(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	same(t, "notes", []string{"no document has a score to rank by: they are left in the given order"}, mustArrange(t, a, named("A B")).Notes)
	same(t, "notes of one score", nil, mustArrange(t, a, parse(t, "A, B score=1, C")).Notes)
	same(t, "notes of no document", nil, mustArrange(t, a, nil).Notes)
}
