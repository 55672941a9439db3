package conformance

import (
	"context"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

func deterministic[E any](t *testing.T, k kit[E]) {
	c := core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, DropSameText: true, TopK: 30,
		Groups: true, Placement: by(core.Shuffled{Seed: 3}),
	}
	docs := k.make(with(named(50), func(i int, d *Doc) {
		d.Score = number(float64(i % 5))
		d.Text = []string{"a", "b", "", d.Text}[i%4]
		d.Meta["source"] = string(rune('A' + i%7))
	}))
	first := k.names(k.call(t, k.build(t, c), docs))
	for range 10 {
		checkNames(t, first, k.names(k.call(t, k.build(t, c), docs)))
	}
}

const goroutines = 100

// together starts f in many goroutines at the same moment; the race detector
// watches what they share.
func together(f func(i int)) {
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			<-start
			f(i)
		}()
	}
	close(start)
	all.Wait()
}

func concurrent[E any](t *testing.T, k kit[E]) {
	for name, c := range configs() {
		place, docs := k.build(t, c), k.make(with(named(9), func(i int, d *Doc) { d.Score = number(float64(i % 4)) }))
		before := k.snapshot(docs)
		want := k.names(k.call(t, place, docs))
		together(func(int) {
			placed, err := place(context.Background(), query, docs)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if got := k.names(placed); got != want {
				t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
			}
			clear(placed) // the result is the caller's own
		})
		k.checkUnchanged(t, before, docs)
	}
}

func concurrentArms[E any](t *testing.T, k kit[E]) {
	arms := map[string]*core.Arranger{"b": arranger(t, core.Config{Placement: by(core.Reversed)}), "off": core.Off}
	want := map[string]string{"a": "d1 d3 d4 d2", "b": "d4 d3 d2 d1", "off": "d1 d2 d3 d4"}
	var mu sync.Mutex
	seen := map[string]int{}
	place := k.build(t, core.Config{
		Select: func(ctx context.Context) *core.Arranger { return arms[core.RequestID(ctx)] },
		Observe: func(ctx context.Context, e core.Event) {
			mu.Lock()
			defer mu.Unlock()
			seen[e.RequestID]++
		},
	})
	docs := k.make(named(4))
	names := []string{"a", "b", "off"}
	together(func(i int) {
		arm := names[i%len(names)]
		placed, err := place(core.WithRequestID(context.Background(), arm), query, docs)
		if err != nil {
			t.Errorf("%s: %v", arm, err)
			return
		}
		if got := k.names(placed); got != want[arm] {
			t.Errorf("%s (-want +got)\n-%s\n+%s", arm, want[arm], got)
		}
	})
	if seen["a"] != 34 || seen["b"] != 33 || seen["off"] != 33 {
		t.Errorf("observed %v, want a:34 b:33 off:33", seen)
	}
}

func arranger(t *testing.T, c core.Config) *core.Arranger {
	t.Helper()
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
