package core_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

type arm int

// 100 goroutines share one Arranger and one slice of documents while Select flips
// between two arms and Off. The race detector watches; the test itself checks that
// each call got the result of its own arm, and that nothing was written to.
func TestSharedByGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, calls = 100, 20
	docs := chunks("A3 B2 C1 A1 D2 B1 A2 E1 F1 G1 C2 D1")
	for i := range docs {
		docs[i].id, docs[i].text = fmt.Sprint(i%9), fmt.Sprint(i)
		docs[i].score = float64(i * 5 % 12)
	}
	before := make([]doc, len(docs))
	for i, d := range docs {
		before[i] = d
		before[i].meta = maps.Clone(d.meta)
	}

	arms := []*core.Arranger{
		mustNew(t, core.Config{TopK: 8, Groups: true, DropSameID: true, Placement: core.Choice{Placement: core.Measured{Curve: mustLoad(t, "testdata/curve.json")}}}),
		mustNew(t, core.Config{
			Rank: core.ByScore, Direction: core.HigherIsBetter, Pins: []string{"3"}, Budget: 40, Count: sizeOf,
			Overflow: core.Skip, Placement: core.Choice{Placement: core.Shuffled{Seed: 9}},
		}),
		core.Off,
	}
	var mu sync.Mutex
	events := map[string]int{}
	shared := mustNew(t, core.Config{
		Observe: func(_ context.Context, e core.Event) {
			mu.Lock()
			defer mu.Unlock()
			events[e.Arrangement.Placement]++
			_ = e.Text(0) + e.ID(0)
		},
		Select: func(ctx context.Context) *core.Arranger {
			i, _ := ctx.Value(arm(0)).(int)
			return arms[i]
		},
	})
	want := make([]string, len(arms))
	for i, a := range arms {
		want[i] = mustTransform(t, a, docs)
	}

	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for call := range calls {
				i := (g + call) % len(arms)
				ctx := context.WithValue(t.Context(), arm(0), i)
				placed, err := core.Transform(ctx, shared, docs, docView, core.Call{})
				if err != nil || names(placed) != want[i] {
					t.Errorf("arm %d: (-want +got)\n-%s\n+%s, error %v", i, want[i], names(placed), err)
					return
				}
				clear(placed) // the result is the caller's own
				if _, err := shared.With(core.Shuffled{Seed: uint64(call)}); err != nil {
					t.Error(err)
				}
				core.Reorder(docs)
			}
		}()
	}
	wg.Wait()

	same(t, "documents", before, docs)
	total := 0
	for _, n := range events {
		total += n
	}
	same(t, "number of events", goroutines*calls, total)
	same(t, "number of placements seen", len(arms), len(events))
}

// No path writes to the input, its documents or their metadata.
func TestInputIsUnchanged(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A id=1 text=3 score=2, B id=1 text=3 score=1, C id=2 text=1 score=3 pin")
	docs[0].meta = map[string]any{"source": "s", "position": 2}
	docs[1].meta = map[string]any{"source": "s", "position": 1}
	before := fmt.Sprintf("%#v", docs)
	c := core.Config{
		Rank: core.ByScore, Direction: core.LowerIsBetter, DropSameText: true, Keys: core.Keys{Pin: "pin"}, Threshold: ptr(9.0),
		TopK: 2, Budget: 9, Count: sizeOf, MaxBytes: 9, Groups: true, Placement: core.Choice{Placement: core.Reversed},
	}
	for _, a := range []*core.Arranger{nil, core.Off, mustNew(t, core.Config{}), mustNew(t, c)} {
		mustTransform(t, a, docs)
		arrangement := mustArrange(t, a, docs)
		placed, err := core.Apply(arrangement, docs)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "documents", before, fmt.Sprintf("%#v", docs))
		if _, err := core.RestoreRank(arrangement, placed); err != nil {
			t.Fatal(err)
		}
		if len(placed) > 0 {
			placed[0].name = "changed"
		}
		same(t, "documents after the result was changed", before, fmt.Sprintf("%#v", docs))
	}
}
