package core_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// worse leaves out every rank from the given one on.
func worse(from int) func(core.Placed) core.Reason {
	return func(p core.Placed) core.Reason {
		if p.Rank >= from {
			return core.OverBudget
		}
		return ""
	}
}

// What is left is placed anew: it stands as if it alone had been admitted.
func TestWithoutPlacesAgain(t *testing.T) {
	t.Parallel()
	docs := chunks("A2 B A1 C D")
	for name := range vectors {
		for _, groups := range []bool{false, true} {
			a := mustNew(t, core.Config{Groups: groups, Placement: core.Choice{Placement: mustParse(t, name)}})
			for k := range len(docs) + 1 {
				got, err := core.Without(a, mustArrange(t, a, docs), docs, docView, worse(k))
				if err != nil {
					t.Fatal(err)
				}
				placed, err := core.Apply(got, docs)
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%s, best %d", name, k), mustTransform(t, a, docs[:k]), names(placed))
			}
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A text=4 score=1, B text=3 score=5 pin, C text=2 score=4, D text=1 score=3, E text=9 score=2, F text=99 score=0")
	a := mustNew(t, core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, Keys: core.Keys{Pin: "pin"}, MaxBytes: 1,
		Budget: 20, Count: sizeOf, Placement: core.Choice{Placement: core.Reversed},
	})
	from := mustArrange(t, a, docs)
	before := asJSON(t, from)
	same(t, "outcome before", "B C D E A | F: text longer than the byte cap", outcome(from, docs))

	var asked []int
	got, err := core.Without(a, from, docs, docView, func(p core.Placed) core.Reason {
		asked = append(asked, p.Rank)
		if p.Rank == 1 || p.Rank == 3 {
			return "not today"
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "asked, best first", []int{0, 1, 2, 3, 4}, asked)
	same(t, "outcome", "B D A | C: not today, E: not today, F: text longer than the byte cap", outcome(got, docs))
	same(t, "ranks", []int{4, 2, 0}, got.Ranks())
	same(t, "used", 8, got.Used)
	same(t, "room", 20, got.Room)
	same(t, "slots", `[{"index":0,"rank":4,"label":3,"score":1,"size":4},{"index":3,"rank":2,"label":2,"score":3,"size":1},`+
		`{"index":1,"rank":0,"label":1,"score":5,"size":3,"pinned":true}]`, asJSON(t, got.Slots))
	same(t, "dropped", `[{"index":2,"rank":1,"score":4,"size":2,"reason":"not today"},{"index":4,"rank":3,"score":2,"size":9,"reason":"not today"},`+
		`{"index":5,"rank":5,"score":0,"reason":"max-bytes"}]`, asJSON(t, got.Dropped))
	same(t, "the arrangement that it came from", before, asJSON(t, from))
}

// Off keeps the order of what is left.
func TestWithoutOfOff(t *testing.T) {
	t.Parallel()
	docs := named("A B C D")
	got, err := core.Without(core.Off, mustArrange(t, core.Off, docs), docs, docView, func(p core.Placed) core.Reason {
		if p.Rank == 1 {
			return core.OverBudget
		}
		return ""
	})
	same(t, "error", nil, err)
	same(t, "placement", "off", got.Placement)
	same(t, "ranks", []int{0, 2, 3}, got.Ranks())
}

func TestWithoutErrors(t *testing.T) {
	t.Parallel()
	docs := named("A B C")
	_, err := core.Without(nil, mustArrange(t, nil, docs), docs[:2], docView, worse(1))
	mustBe[*core.ConfigError](t, err)

	fails := mustNew(t, core.Config{Placement: core.Choice{Placement: core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
		if len(slots) < 3 {
			return errOwn
		}
		return nil
	})}})
	_, err = core.Without(fails, mustArrange(t, fails, docs), docs, docView, worse(2))
	if !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the placement's own error", err)
	}
}

// A later stage may change what was decided before anybody is told of it.
func TestRefine(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	docs := named("A B C D")
	reversed := mustNew(t, core.Config{Placement: core.Choice{Placement: core.Reversed}})
	a := mustNew(t, core.Config{Observe: observe, Select: func(context.Context) *core.Arranger { return reversed }})
	bySlot := true
	refine := core.Call{Refine: func(used *core.Arranger, from core.Arrangement) (core.Arrangement, error) {
		same(t, "the chosen", "reversed", used.Config().Placement.String())
		out, err := core.Without(used, from, docs, docView, worse(2))
		for slot := range out.Slots {
			if bySlot {
				out.Slots[slot].Label = slot + 1
			}
		}
		return out, err
	}}
	got := mustArrange(t, a, docs, refine)
	same(t, "ranks", []int{1, 0}, got.Ranks())
	same(t, "ranks in the event", []int{1, 0}, (*events)[0].Arrangement.Ranks())
	same(t, "labels in the event", map[int]int{1: 1, 2: 0}, (*events)[0].Arrangement.Labels())

	bySlot = false
	mustArrange(t, a, docs, refine)
	same(t, "labels by rank", map[int]int{1: 0, 2: 1}, (*events)[1].Arrangement.Labels())
	same(t, "Transform does not ask", "D C B A", mustTransform(t, a, docs, refine))
	same(t, "ranks in the event of Transform", []int{3, 2, 1, 0}, (*events)[2].Arrangement.Ranks())

	fail := core.Call{Refine: func(*core.Arranger, core.Arrangement) (core.Arrangement, error) {
		return core.Arrangement{N: 77}, errOwn
	}}
	_, err := core.Arrange(t.Context(), a, docs, docView, fail)
	if last := (*events)[len(*events)-1]; !errors.Is(err, errOwn) || !errors.Is(last.Err, errOwn) || last.Arrangement.N != 4 {
		t.Errorf("error %v, event %+v", err, last)
	}
}

// What Refine returns is checked, also where it writes into the arrangement that it was
// given.
func TestRefineIsChecked(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{TopK: 3})
	for _, c := range []struct {
		name  string
		spoil func(*core.Arrangement)
	}{
		{"another number of documents", func(a *core.Arrangement) { a.N++ }},
		{"an index twice", func(a *core.Arrangement) { a.Slots[0].Index = a.Slots[1].Index }},
		{"a rank twice", func(a *core.Arrangement) { a.Slots[0].Rank = a.Slots[1].Rank }},
		{"a label twice", func(a *core.Arrangement) { a.Slots[0].Label = a.Slots[1].Label }},
		{"a label below 0", func(a *core.Arrangement) { a.Slots[2].Label = -4 }},
		{"a slot too few", func(a *core.Arrangement) { a.Slots = a.Slots[:2] }},
		{"a slot too many", func(a *core.Arrangement) { a.Slots = append(a.Slots, a.Slots[0]) }},
		{"an index placed and left out", func(a *core.Arrangement) { a.Dropped[0].Index = a.Slots[0].Index }},
		{"a rank placed and left out", func(a *core.Arrangement) { a.Dropped[0].Rank = a.Slots[0].Rank }},
		{"one left out too few", func(a *core.Arrangement) { a.Dropped = a.Dropped[:1] }},
		{"one left out too many", func(a *core.Arrangement) { a.Dropped = append(a.Dropped, a.Dropped[0]) }},
		{"a stage without ranks", func(a *core.Arrangement) { a.Stages = []core.Stage{{Name: "rerank"}} }},
	} {
		refine := core.Call{Refine: func(_ *core.Arranger, a core.Arrangement) (core.Arrangement, error) {
			c.spoil(&a)
			return a, nil
		}}
		_, err := core.Arrange(t.Context(), a, named("A B C D E"), docView, refine)
		if _, ok := err.(*core.ConfigError); !ok {
			t.Errorf("%s: error %v, want a *core.ConfigError", c.name, err)
		}
	}
}

// An event reads the documents by the ranks that Refine gives them.
func TestRefineMayRankAnew(t *testing.T) {
	t.Parallel()
	var text string
	swap := core.Call{
		Refine: func(_ *core.Arranger, a core.Arrangement) (core.Arrangement, error) {
			a.Slots[0].Index, a.Slots[1].Index = a.Slots[1].Index, a.Slots[0].Index
			return a, nil
		},
		Observe: func(_ context.Context, e core.Event) { text = e.Text(0) },
	}
	docs := []doc{{text: "A"}, {text: "B"}}
	got := mustArrange(t, nil, docs, swap)
	same(t, "index of the best", 1, got.Slots[0].Index)
	same(t, "text of the best", "B", text)
}

// Labels may leave gaps, as those that are not shown do, and be of the documents' own.
func TestCheckOfLabels(t *testing.T) {
	t.Parallel()
	slot := func(rank, label int) core.Placed { return core.Placed{Index: rank, Rank: rank, Label: label} }
	out := []core.Dropped{{Reason: core.OverTopK}} // the best
	for _, c := range []struct {
		name string
		a    core.Arrangement
		ok   bool
	}{
		{"by rank", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 3), slot(0, 0), slot(1, 2)}}, true},
		{"by slot", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 1), slot(0, 0), slot(1, 3)}}, true},
		{"by rank, the best left out", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 2), slot(1, 0)}, Dropped: out}, true},
		{"of their own", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 4821), slot(0, 2), slot(1, 70123)}}, true},
		{"one of their own twice", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 4821), slot(0, 2), slot(1, 4821)}}, false},
		{"by rank twice", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, 3), slot(0, 3), slot(1, 2)}}, false},
		{"below 0", core.Arrangement{N: 3, Slots: []core.Placed{slot(2, -3), slot(0, 1), slot(1, 2)}}, false},
		{"more reused than there are", core.Arrangement{N: 3, Slots: []core.Placed{slot(0, 1), slot(1, 2)}, Dropped: []core.Dropped{{Index: 2, Rank: 2}}, Reused: 3}, false},
	} {
		if err := c.a.Check(3); (err == nil) != c.ok {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}
