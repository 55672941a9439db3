package conformance

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

func ranksSurvive[E any](t *testing.T, k kit[E]) {
	for _, p := range placements {
		var a core.Arrangement
		docs := k.make(scored(1, 5, 2, 4, 3, 0))
		place := k.build(t, core.Config{
			Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 5, Placement: by(p),
			Observe: func(_ context.Context, e core.Event) { a = e.Arrangement },
		})
		placed := k.call(t, place, docs)

		applied, err := core.Apply(a, docs)
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, k.names(placed), k.names(applied))
		restored, err := core.RestoreRank(a, placed)
		if err != nil {
			t.Fatal(err)
		}
		checkNames(t, "d2 d4 d5 d3 d1", k.names(restored))
		for slot, s := range a.Slots {
			checkNames(t, k.names(restored[s.Label-1:s.Label]), k.names(docs[s.Index:s.Index+1]))
			if got, ok := a.SlotOf(s.Rank); !ok || got != slot {
				t.Errorf("%v: SlotOf(%d) = %d, %v, want %d", p, s.Rank, got, ok, slot)
			}
			if got, ok := a.IndexOf(s.Rank); !ok || got != s.Index {
				t.Errorf("%v: IndexOf(%d) = %d, %v, want %d", p, s.Rank, got, ok, s.Index)
			}
		}
		if _, ok := a.SlotOf(5); ok {
			t.Errorf("%v: the document beyond top-k has a slot", p)
		}
	}
}

// observed returns a config that appends the events of its calls to a list.
func observed(c core.Config) (core.Config, *[]core.Event) {
	var events []core.Event
	c.Observe = func(_ context.Context, e core.Event) { events = append(events, e) }
	return c, &events
}

func (k kit[E]) checkEvent(t *testing.T, events []core.Event, id string) {
	t.Helper()
	if len(events) != 1 {
		t.Fatalf("observed %d times, want once", len(events))
	}
	want := ""
	if k.path.KnowsQuery {
		want = query
	}
	if e := events[0]; e.Query != want || e.RequestID != id {
		t.Errorf("query %q and request ID %q, want %q and %q", e.Query, e.RequestID, want, id)
	}
}

func observedOnce[E any](t *testing.T, k kit[E]) {
	for name, docs := range map[string][]E{"nil": nil, "none": {}, "one": k.make(named(1)), "five": k.make(named(5))} {
		c, events := observed(core.Config{})
		if _, err := k.build(t, c)(core.WithRequestID(context.Background(), "r-17"), query, docs); err != nil {
			t.Fatal(err)
		}
		k.checkEvent(t, *events, "r-17")
		if e := (*events)[0]; e.Err != nil || e.Arrangement.N != len(docs) || e.Arrangement.Placement != "head-tail" {
			t.Errorf("%s: got %v and the error %v", name, e.Arrangement, e.Err)
		}
	}
}

func observedDocuments[E any](t *testing.T, k kit[E]) {
	calls := 0
	place := k.build(t, core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 2,
		Observe: func(_ context.Context, e core.Event) {
			calls++
			for rank, want := range []string{"d3", "d1", "d2"} {
				score, ok := e.Score(rank)
				if e.ID(rank) != want || e.Text(rank) != "text of "+want || !ok || score != float64(5-rank) {
					t.Errorf("rank %d: ID %q, text %q, score %v, %v; want %s and %d",
						rank, e.ID(rank), e.Text(rank), score, ok, want, 5-rank)
				}
			}
			if want := map[int]int{1: 0, 2: 1}; !maps.Equal(e.Arrangement.Labels(), want) {
				t.Errorf("labels (-want +got)\n-%v\n+%v", want, e.Arrangement.Labels())
			}
		},
	})
	k.call(t, place, k.make(scored(4, 3, 5)))
	if calls != 1 {
		t.Errorf("observed %d times, want once", calls)
	}
}

func observedError[E any](t *testing.T, k kit[E]) {
	c, events := observed(core.Config{Placement: by(core.PlacementFunc(func([]int, func(int) core.Origin) error { return errOut }))})
	_, err := k.build(t, c)(context.Background(), query, k.make(named(3)))
	k.checkEvent(t, *events, "")
	if e := (*events)[0]; !errors.Is(e.Err, errOut) || !errors.Is(err, e.Err) {
		t.Errorf("observed the error %v, the call returned %v", e.Err, err)
	}
}

func offChangesNothing[E any](t *testing.T, k kit[E]) {
	c, events := observed(core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, DropSameText: true, TopK: 1,
		Select: func(context.Context) *core.Arranger { return core.Off },
	})
	docs := k.make(with(scored(1, 3, 2, 3), func(_ int, d *Doc) { d.Text = "same" }))
	checkNames(t, "d1 d2 d3 d4", k.names(k.call(t, k.build(t, c), docs)))
	k.checkEvent(t, *events, "")
	if got := (*events)[0].Arrangement.Placement; got != "off" {
		t.Errorf("observed the placement %q, want off", got)
	}
}

func selectOnce[E any](t *testing.T, k kit[E]) {
	var choice *core.Arranger
	asked := 0
	place := k.build(t, core.Config{Select: func(context.Context) *core.Arranger {
		asked++
		return choice
	}})
	docs := k.make(named(3))
	checkNames(t, "d1 d3 d2", k.names(k.call(t, place, docs)))
	choice = arranger(t, core.Config{Placement: by(core.Reversed)})
	checkNames(t, "d3 d2 d1", k.names(k.call(t, place, docs)))
	if asked != 2 {
		t.Errorf("Select was asked %d times in two calls", asked)
	}
}

func selectedIsObserved[E any](t *testing.T, k kit[E]) {
	c, outer := observed(core.Config{})
	own, inner := observed(core.Config{Placement: by(core.TailHead)})
	choice := arranger(t, core.Config{Placement: by(core.Reversed)})
	c.Select = func(context.Context) *core.Arranger { return choice }
	place := k.build(t, c)
	docs := k.make(named(3))

	k.call(t, place, docs)
	k.checkEvent(t, *outer, "")
	if got := (*outer)[0].Arrangement.Placement; got != "reversed" {
		t.Errorf("observed %q, want reversed", got)
	}

	choice = arranger(t, own)
	k.call(t, place, docs)
	k.checkEvent(t, *inner, "")
	if len(*outer) != 1 {
		t.Errorf("the outer observer was called, though the chosen value has one of its own")
	}
}
