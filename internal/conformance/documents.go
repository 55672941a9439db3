package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// placements holds one of every kind.
var placements = []core.Placement{
	core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
	core.EdgesFirst{},
	core.EdgesFirst{Edge: 3},
	core.Shuffled{Seed: 7},
	core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error { slices.Reverse(slots); return nil }),
}

func nothingLost[E any](t *testing.T, k kit[E]) {
	for _, p := range placements {
		place := k.build(t, core.Config{Placement: by(p)})
		for n := range 20 {
			docs := k.make(named(n))
			got, want := strings.Fields(k.names(k.call(t, place, docs))), strings.Fields(k.names(docs))
			if !sameSet(got, want) {
				t.Errorf("%v, n=%d (-want +got)\n-%v\n+%v", p, n, want, got)
			}
		}
	}
}

// configs holds one configuration for each way through the core.
func configs() map[string]core.Config {
	return map[string]core.Config{
		"default":  {},
		"by score": {Rank: core.ByScore, Direction: core.HigherIsBetter},
		"ranked":   {Placement: ranked},
		"admitted": {TopK: 100},
		"observed": {Observe: func(context.Context, core.Event) {}},
		"off":      {Select: func(context.Context) *core.Arranger { return core.Off }},
	}
}

func nilInNilOut[E any](t *testing.T, k kit[E]) {
	for name, c := range configs() {
		if placed := k.call(t, k.build(t, c), nil); placed != nil {
			t.Errorf("%s: got %v, want nil", name, placed)
		}
	}
}

func emptyInEmptyOut[E any](t *testing.T, k kit[E]) {
	for name, c := range configs() {
		if placed := k.call(t, k.build(t, c), []E{}); placed == nil || len(placed) != 0 {
			t.Errorf("%s: got %#v, want an empty slice that is not nil", name, placed)
		}
	}
}

// freshSlice writes to all of the result, and to what an append to it reaches.
func freshSlice[E any](t *testing.T, k kit[E]) {
	for name, c := range configs() {
		place := k.build(t, c)
		for n := range 4 {
			all := k.make(named(n + 2))
			before := k.snapshot(all)
			placed := k.call(t, place, all[:n])
			var zero E
			placed = append(placed, zero, zero)
			for i := range placed {
				placed[i] = k.Make(Doc{ID: "overwritten"})
			}
			if after := k.snapshot(all); before != after {
				t.Errorf("%s, n=%d: the result shares the caller's array (-before +after)\n-%s\n+%s", name, n, before, after)
			}
		}
	}
}

func sharedDocuments[E any](t *testing.T, k kit[E]) {
	for name, c := range configs() {
		docs := k.make(named(7))
		placed := k.call(t, k.build(t, c), docs)
		maps := map[uintptr]bool{}
		for _, d := range docs {
			maps[reflect.ValueOf(k.Read(d).Meta).Pointer()] = true
		}
		for _, d := range placed {
			if !maps[reflect.ValueOf(k.Read(d).Meta).Pointer()] {
				t.Errorf("%s: %v is a copy", name, k.Read(d).Meta[nameKey])
			}
		}
	}
}

func stable[E any](t *testing.T, k kit[E]) {
	const n = 1_000
	for _, direction := range []core.Direction{core.HigherIsBetter, core.LowerIsBetter} {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(i % 3)
		}
		docs := k.make(scored(scores...))
		placed := k.call(t, k.build(t, core.Config{Rank: core.ByScore, Direction: direction, Placement: ranked}), docs)
		want := slices.Clone(docs)
		slices.SortStableFunc(want, func(a, b E) int {
			order := int(*k.Read(b).Score - *k.Read(a).Score)
			if direction == core.LowerIsBetter {
				return -order
			}
			return order
		})
		checkNames(t, k.names(want), k.names(placed))
	}
}

// peerOrders reads what other software really produced.
func peerOrders[E any](t *testing.T, k kit[E]) {
	data, err := os.ReadFile(k.Orders)
	if err != nil {
		t.Fatal(err)
	}
	type byN struct {
		ByN map[string][]int `json:"by_n"`
	}
	var file struct {
		Orders       map[string]byN `json:"orders"`
		MustNotEqual map[string]byN `json:"must_not_equal"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Orders) < 6 || len(file.MustNotEqual) < 1 {
		t.Fatalf("%d orders and %d misprints are too few", len(file.Orders), len(file.MustNotEqual))
	}
	order := func(place Place[E], p core.Placement, n int) string {
		if k.path.remembers { // what was sent before may change the order
			place = k.build(t, core.Config{Placement: by(p)})
		}
		return k.names(k.call(t, place, k.make(named(n))))
	}
	for key, entry := range file.Orders {
		p, err := core.ParsePlacement(strings.Replace(key, " edge=", "=", 1))
		if err != nil {
			t.Fatal(err)
		}
		if len(entry.ByN) != 41 {
			t.Errorf("%s has %d values of n, want 41", key, len(entry.ByN))
		}
		place := k.build(t, core.Config{Placement: by(p)})
		for text, ranks := range entry.ByN {
			n, _ := strconv.Atoi(text)
			if got, want := order(place, p, n), rankNames(ranks); got != want {
				t.Errorf("%s, n=%d (-want +got)\n-%s\n+%s", key, n, want, got)
			}
		}
	}
	for key, entry := range file.MustNotEqual {
		for _, p := range []core.Placement{core.HeadTail, core.TailHead, core.LongContext} {
			place := k.build(t, core.Config{Placement: by(p)})
			for text, ranks := range entry.ByN {
				n, _ := strconv.Atoi(text)
				if got := order(place, p, n); got == rankNames(ranks) {
					t.Errorf("%v, n=%d equals %q: %s", p, n, key, got)
				}
			}
		}
	}
}

// rankNames names the documents of 1-based ranks.
func rankNames(ranks []int) string {
	names := make([]string, len(ranks))
	for i, r := range ranks {
		names[i] = fmt.Sprint("d", r)
	}
	return strings.Join(names, " ")
}

// sameSet says whether two lists hold the same names, each as often.
func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
