package core_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

func mustShare(t testing.TB, s core.Share, c core.Config) *core.Arranger {
	t.Helper()
	c, err := s.In(c)
	if err != nil {
		t.Fatal(err)
	}
	return mustNew(t, c)
}

// served returns what the request of that ID is served.
func served(t testing.TB, a *core.Arranger, id string, docs []doc) string {
	t.Helper()
	placed, err := core.Transform(core.WithRequestID(t.Context(), id), a, docs, docView, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return names(placed)
}

// The share is exact to sampling error for IDs of every kind, also for seeds that
// follow each other.
func TestShareIsExact(t *testing.T) {
	t.Parallel()
	const n = 20_000
	for kind, id := range map[string]func(i int) string{
		"numbers":       func(i int) string { return fmt.Sprint(i) },
		"padded":        func(i int) string { return fmt.Sprintf("request-%012d", i) },
		"random hex":    func(i int) string { return fmt.Sprintf("%016x", core.SeedFor(9, fmt.Sprint(i))) },
		"same prefixes": func(i int) string { return strings.Repeat("a", i%40) + "/" + fmt.Sprint(i/40) },
	} {
		for _, rate := range []float64{0.01, 0.2, 0.5} {
			for seed := range uint64(2) {
				s, in, ends := core.Share{Rate: rate, Seed: seed}, 0, 0
				for i := range n {
					if s.Has(id(i)) {
						in++
						// The order of those that are in it is independent of that.
						ends += int(core.SeedFor(seed, id(i)) >> 63)
					}
				}
				if sd := math.Sqrt(n * rate * (1 - rate)); math.Abs(float64(in)-n*rate) > 5*sd {
					t.Errorf("%s, seed %d: %d of %d are in a share of %g", kind, seed, in, n, rate)
				}
				if sd := math.Sqrt(float64(in)) / 2; math.Abs(float64(ends)-float64(in)/2) > 5*sd {
					t.Errorf("%s, seed %d: %d of %d seeds of the share are in the upper half", kind, seed, ends, in)
				}
			}
		}
	}
}

// Which way an ID goes, and in what order its documents come, never changes.
func TestShareIsStable(t *testing.T) {
	t.Parallel()
	s := core.Share{Rate: 0.2, Seed: 2026}
	var in []string
	for i := range 40 {
		if id := fmt.Sprint("req-", i); s.Has(id) {
			in = append(in, id)
		}
	}
	same(t, "the share of req-0 to req-39", goldenShare, strings.Join(in, " "))
	a := mustShare(t, s, core.Config{})
	docs := named("A B C D E F")
	for _, id := range in {
		same(t, id, names(mustApply(t, core.Shuffled{Seed: core.SeedFor(2026, id)}, docs)), served(t, a, id, docs))
	}
	same(t, in[0], goldenOrder, served(t, a, in[0], docs))
}

const (
	goldenShare = "req-16 req-22 req-23 req-31"
	goldenOrder = "C A F E D B"
)

func mustApply(t testing.TB, p core.Placement, docs []doc) []doc {
	t.Helper()
	placed, err := core.Transform(t.Context(), mustNew(t, core.Config{Placement: core.Choice{Placement: p}}), docs, docView, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return placed
}

func TestShareKeepsTheRest(t *testing.T) {
	t.Parallel()
	docs := named("A B C D E F G H")
	c := core.Config{Placement: core.Choice{Placement: core.Reversed}, TopK: 5}
	plain := mustNew(t, c)
	tenant := mustNew(t, core.Config{TopK: 2, Placement: core.Choice{Placement: core.RankOrder}})
	c.Select = func(ctx context.Context) *core.Arranger {
		switch id := core.RequestID(ctx); {
		case strings.HasPrefix(id, "tenant"):
			return tenant
		case strings.HasPrefix(id, "off"):
			return core.Off
		}
		return nil
	}
	observe, events := watch()
	c.Observe = observe
	share := core.Share{Rate: 0.5, Seed: 1}
	a := mustShare(t, share, c)
	shuffledSome := map[string]bool{}
	for i := range 60 {
		for _, kind := range []string{"", "tenant", "off"} {
			id := fmt.Sprint(kind, i)
			got := served(t, a, id, docs)
			event := (*events)[len(*events)-1]
			shuffled := strings.HasPrefix(event.Arrangement.Placement, "shuffled")
			same(t, id+" is shuffled", share.Has(id) && kind != "off", shuffled)
			shuffledSome[kind] = shuffledSome[kind] || shuffled
			want := map[string]string{"": "E D C B A", "tenant": "A B", "off": "A B C D E F G H"}[kind]
			same(t, id+": documents", len(want), len(got))
			if !shuffled {
				same(t, id, want, got)
			}
		}
	}
	same(t, "kinds that were shuffled", map[string]bool{"": true, "tenant": true, "off": false}, shuffledSome)
	same(t, "without an ID", mustTransform(t, plain, docs), served(t, a, "", docs))
}

// A share of zero, or of no tenant, changes nothing.
func TestShareOfZero(t *testing.T) {
	t.Parallel()
	docs := named("A B C D E F G H")
	c := core.Config{Placement: core.Choice{Placement: core.TailHead}}
	before := mustNew(t, c)
	for _, share := range []core.Share{{}, {Rate: 1, Tenant: func(context.Context) bool { return false }}} {
		after := mustShare(t, share, c)
		for i := range 100 {
			id := fmt.Sprint(i)
			same(t, id, served(t, before, id, docs), served(t, after, id, docs))
			ctx := core.WithRequestID(t.Context(), id)
			x, err := core.Arrange(ctx, before, docs, docView, core.Call{})
			if err != nil {
				t.Fatal(err)
			}
			y, err := core.Arrange(ctx, after, docs, docView, core.Call{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, id, asJSON(t, x), asJSON(t, y))
		}
	}
	in, err := core.Share{}.In(core.Config{})
	if err != nil || in.Select != nil {
		t.Errorf("a share of zero sets a Select: %v", err)
	}
}

func TestShareCap(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	var mu sync.Mutex
	a := mustShare(t, core.Share{Rate: 1, Cap: 7}, core.Config{Observe: func(ctx context.Context, e core.Event) {
		mu.Lock()
		defer mu.Unlock()
		observe(ctx, e)
	}})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := core.Transform(core.WithRequestID(t.Context(), fmt.Sprint(i)), a, named("A B C"), docView, core.Call{}); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	shuffled := 0
	for _, e := range *events {
		if strings.HasPrefix(e.Arrangement.Placement, "shuffled") {
			shuffled++
		}
	}
	same(t, "shuffled under a cap of 7", 7, shuffled)
}

func TestShareFaults(t *testing.T) {
	t.Parallel()
	for _, s := range []core.Share{{Rate: -0.1}, {Rate: 1.1}, {Rate: math.NaN()}, {Cap: -1}} {
		_, err := s.In(core.Config{})
		mustBe[*core.ConfigError](t, err)
	}
	_, err := core.Share{Rate: 2, Cap: -1}.In(core.Config{TopK: -1})
	for _, field := range []string{"Share.Rate", "Share.Cap", "TopK"} {
		if !strings.Contains(fmt.Sprint(err), field) {
			t.Errorf("%s is not in %v", field, err)
		}
	}
}
