package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
)

func TestRetryable(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{
		0: true, 200: true, 307: false, 400: false, 401: false, 404: false, 408: true, 425: true, 429: true,
		500: true, 501: false, 503: true, 505: false, 529: true,
	} {
		if got := Retryable(fmt.Errorf("wrapped: %w", &ModelError{Status: status})); got != want {
			t.Errorf("%d: -want %v +got %v", status, want, got)
		}
		if Retryable(&ModelError{Status: status, Permanent: true}) {
			t.Errorf("%d: permanent, but retried", status)
		}
	}
	if Retryable(nil) || !Retryable(errors.New("reset")) {
		t.Error("nil is retried, or an error of another type is not")
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, " 0.5 ": time.Second / 2, "-4": 0, "99999999": 24 * time.Hour, "soon": 0, "1h": 0, "1m3": 0, "NaN": 0, "Inf": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := ParseRetryAfter(header, now); got != want {
			t.Errorf("%q: -want %v +got %v", header, want, got)
		}
	}
}

func TestMessagesHoldNoKeys(t *testing.T) {
	t.Parallel()
	err := errors.New("Post \"https://me:secret@host:1/v1?key=secret#secret\": redirect\n to HTTP://x/y?api=secret, " + strings.Repeat("é", 600))
	got := NewFailure(err).Message
	if strings.Contains(got, "secret") || strings.Contains(got, "\n") || utf8.RuneCountInString(got) > maxMessage || !strings.Contains(got, "https://host:1/v1") {
		t.Errorf("got %q", got)
	}
}

func TestLimitsRefuse(t *testing.T) {
	t.Parallel()
	for field, l := range map[string]Limits{
		"Limits.Concurrency": {Concurrency: 1025}, "Limits.RequestsPerMinute": {RequestsPerMinute: -1},
		"Limits.TokensPerMinute": {TokensPerMinute: -1}, "Limits.MaxCalls": {MaxCalls: -1}, "Limits.MaxTokens": {MaxTokens: -1},
		"Limits.MaxCost": {MaxCost: 1}, "Limits.MaxFailures": {MaxFailures: -1}, "Limits.Backoff": {Backoff: -1},
		"Prices": {Prices: Prices{Cached: math.NaN()}},
	} {
		_, err := Run(t.Context(), mustPlan(t, 1, 2, nil), echo, mustJournal(t, newPath(t)), l)
		e := (*core.ConfigError)(nil)
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	u := Usage{Prompt: 3e6, Cached: 1e6, Completion: 1e6}
	for _, c := range []struct {
		prices Prices
		want   float64
	}{{Prices{}, 0}, {Prices{Prompt: 2, Completion: 5}, 11}, {Prices{Prompt: 2, Completion: 5, Cached: 0.5}, 9.5}} {
		if got := c.prices.Cost(u); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: -want %v +got %v", c.prices, c.want, got)
		}
	}
}

func TestBackoffDoublesUpToAMinute(t *testing.T) {
	t.Parallel()
	l, err := Limits{}.withDefaults()
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
