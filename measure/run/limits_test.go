package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
)

func TestLimitsRefuse(t *testing.T) {
	t.Parallel()
	for field, l := range map[string]Limits{
		"Limits.Concurrency": {Concurrency: 1025}, "Limits.RequestsPerMinute": {RequestsPerMinute: -1},
		"Limits.TokensPerMinute": {TokensPerMinute: -1}, "Limits.MaxCalls": {MaxCalls: -1}, "Limits.MaxTokens": {MaxTokens: -1},
		"Limits.MaxCost": {MaxCost: 1}, "Limits.MaxFailures": {MaxFailures: -1}, "Limits.Backoff": {Backoff: -1},
		"Prices": {Prices: model.Prices{Cached: math.NaN()}},
	} {
		_, err := Run(t.Context(), fake.Questions(1, 2), fake.Echo, fake.Journal(t, fake.Path(t)), l)
		e := (*core.ConfigError)(nil)
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestBackoffDoublesUpToAMinute(t *testing.T) {
	t.Parallel()
	l, err := Limits{}.withDefaults(model.Prices{})
	if err != nil {
		t.Fatal(err)
	}
	for attempt, want := range map[int]time.Duration{1: 1, 2: 2, 3: 4, 6: 32, 7: 60, 60: 60, 1000: 60} {
		if got := l.backoff(attempt, 0); got != want*time.Second {
			t.Errorf("attempt %d: -want %v +got %v", attempt, want*time.Second, got)
		}
		if got := l.backoff(attempt, 1); got != want*time.Second/2 {
			t.Errorf("attempt %d with luck: -want %v +got %v", attempt, want*time.Second/2, got)
		}
	}
}

// passTimes lets requests through a gate on a fake clock and returns when, in
// seconds.
func passTimes(t *testing.T, g *gate, requests ...int) (at []float64) {
	t.Helper()
	start := g.clock.now()
	for _, tokens := range requests {
		if err := g.pass(t.Context(), tokens); err != nil {
			t.Fatal(err)
		}
		at = append(at, g.clock.now().Sub(start).Seconds())
	}
	return at
}

func TestGateSpacesRequests(t *testing.T) {
	t.Parallel()
	check := func(name string, got []float64, want ...float64) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: (-want +got) -%v +%v", name, want, got)
		}
	}
	g := &gate{clock: newFakeTime().clock(), requests: perMinute(60)}
	check("60 a minute", passTimes(t, g, 5, 5, 5), 0, 1, 2)
	g = &gate{clock: newFakeTime().clock(), tokens: perMinute(600)}
	check("600 tokens a minute", passTimes(t, g, 50, 2000, 10), 0, 5, 205)
	g = &gate{clock: newFakeTime().clock(), tokens: perMinute(600)}
	passTimes(t, g, 100)
	g.correct(100, 30)
	check("corrected", passTimes(t, g, 1), 3)
	g = &gate{clock: newFakeTime().clock(), requests: perMinute(60)}
	passTimes(t, g, 1)
	g.closeFor(10 * time.Second)
	g.closeFor(2 * time.Second)
	check("held back", passTimes(t, g, 1, 1), 10, 11)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.pass(cancelled, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
