package conformance

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/reuse"
)

// WithMemory returns a path that remembers the orders that were sent and reuses them
// around the best document. Every rule holds on it as on the path itself.
func WithMemory[E any](path Path[E]) Path[E] {
	inner := path.New
	path.Name += " with a memory"
	path.remembers = true
	path.New = func(c core.Config) (Place[E], error) {
		if !c.Groups && c.Placement.Placement != core.DocumentOrder { // refused beside a memory
			memory, err := reuse.New(reuse.Config{Hold: 1})
			if err != nil {
				return nil, err
			}
			c.Reuse = memory
		}
		return inner(c)
	}
	return path
}

// earlierOrders sees that a path with a memory begins as it did before, and any other not.
func earlierOrders[E any](t *testing.T, k kit[E]) {
	place := k.build(t, core.Config{Placement: ranked})
	checkNames(t, "d1 d2 d3 d4 d5", k.names(k.call(t, place, k.make(named(5)))))
	docs := named(6)
	docs[1], docs[5] = docs[5], docs[1] // d1 d6 d3 d4 d5 d2
	want := "d1 d6 d3 d4 d5 d2"
	if k.path.remembers {
		want = "d1 d2 d3 d4 d5 d6"
	}
	checkNames(t, want, k.names(k.call(t, place, k.make(docs))))

	changed := named(5)
	changed[0].Text += ", changed"
	changed[1], changed[4] = changed[4], changed[1]
	checkNames(t, "d1 d5 d3 d4 d2", k.names(k.call(t, place, k.make(changed))))
}

// nothingLostOverTime sends other lists of the same documents, so that a memory moves them,
// and sees that each comes out once.
func nothingLostOverTime[E any](t *testing.T, k kit[E]) {
	for _, p := range placements {
		place := k.build(t, core.Config{Placement: by(p)})
		for turn := range 20 {
			docs := named(9)
			for i := range docs {
				j := (i * (turn + 1) * 7) % len(docs)
				docs[i], docs[j] = docs[j], docs[i]
			}
			made := k.make(docs[:3+turn%7])
			got, want := strings.Fields(k.names(k.call(t, place, made))), strings.Fields(k.names(made))
			if !sameSet(got, want) {
				t.Errorf("%v, turn %d (-want +got)\n-%v\n+%v", p, turn, want, got)
			}
		}
	}
}
