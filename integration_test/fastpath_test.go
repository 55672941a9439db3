package integration_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
)

// The default placement has a short way past the stages. Each of these configs
// takes the long way to what must be the same result.
var longWays = map[string]func(*core.Config){
	"an observer": func(c *core.Config) { c.Observe = func(context.Context, core.Event) {} },
	"a limit":     func(c *core.Config) { c.TopK = 1 << 30 },
	"a func":      func(c *core.Config) { c.Placement.Placement = core.PlacementFunc(core.HeadTail.Place) },
}

func TestFastPathEqualsTheGeneralOne(t *testing.T) {
	t.Parallel()
	for name, lengthen := range longWays {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				scores := rapid.SliceOfN(rapid.SampledFrom(someScores), 0, 70).Draw(t, "scores")
				docs := make([]document, len(scores))
				for i := range docs {
					docs[i] = document{serial: i, score: &scores[i]}
				}
				fast := core.Config{
					Rank:      rapid.SampledFrom([]core.Ranking{core.AsGiven, core.ByScore}).Draw(t, "rank"),
					Direction: rapid.SampledFrom([]core.Direction{core.HigherIsBetter, core.LowerIsBetter}).Draw(t, "direction"),
				}
				slow := fast
				lengthen(&slow)
				var orders [2][]int
				for i, config := range []core.Config{slow, fast} {
					placed, err := core.Transform(background, call{config: config}.arranger(t), docs, documentView, core.Call{})
					if err != nil {
						t.Fatal(err)
					}
					orders[i] = serials(placed)
				}
				if d := cmp.Diff(orders[0], orders[1]); d != "" {
					t.Errorf("(-general +fast)\n%s", d)
				}
			})
		})
	}
}

// The short way moves several documents a turn: every length near a turn's end,
// and types with and without pointers.
func TestFastPathAtEveryLength(t *testing.T) {
	t.Parallel()
	if got := core.Reorder([]int(nil)); got != nil {
		t.Errorf("Reorder(nil) = %#v, want nil", got)
	}
	for n := range 140 {
		want, err := core.Order(core.HeadTail, n)
		if err != nil {
			t.Fatal(err)
		}
		numbers := make([]int, n)
		pointers := make([]*document, n)
		documents := make([]document, n)
		for i := range n {
			documents[i].serial = i
			pointers[i] = &documents[i]
			numbers[i] = i
		}
		if got := core.Reorder(numbers); !slices.Equal(want, got) {
			t.Errorf("n=%d: Reorder (-want +got)\n-%v\n+%v", n, want, got)
		}
		if got := serials(core.Reorder(documents)); !slices.Equal(want, got) {
			t.Errorf("n=%d: Reorder of structs (-want +got)\n-%v\n+%v", n, want, got)
		}
		placed, err := core.Transform[[]*document](background, nil, pointers, nil, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		for slot, p := range placed {
			if p != pointers[want[slot]] {
				t.Errorf("n=%d: slot %d holds document %d, want %d", n, slot, p.serial, want[slot])
			}
		}
	}
}
