package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/model"
)

// No figure that a model reports, and none that stands in a journal, lifts a cap.
func TestUsageBeyondMeasureLiftsNoCap(t *testing.T) {
	t.Parallel()
	for _, u := range []model.Usage{
		{Prompt: math.MaxInt},
		{Completion: math.MaxInt},
		{Prompt: math.MaxInt, Completion: math.MaxInt, Cached: math.MaxInt},
		{Prompt: math.MaxInt - 5, Completion: 6},
		{Prompt: math.MinInt, Completion: math.MinInt, Cached: math.MinInt},
		{Prompt: 1 << 62, Completion: 1 << 62},
	} {
		for _, limits := range []Limits{
			{MaxTokens: 250},
			{MaxCost: 250, Prices: model.Prices{Prompt: 1e6, Completion: 1e6}},
			{MaxTokens: 250, TokensPerMinute: 1},
		} {
			limits.Concurrency = 1
			path, asked := fake.Path(t), 0
			reports := model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
				asked++
				return model.Answer{Text: "yes", Usage: u}, nil
			})
			list := fake.Questions(2, 2).Sized(10, 100)
			got, err := run(t.Context(), list, reports, fake.Journal(t, path), limits, newFakeTime().clock(), noLuck)
			full := (*CapError)(nil)
			enough := 2       // the second may be reserved before the first has told
			if u.Prompt < 0 { // counts as nothing, but for the estimate of the prompt
				enough = list.Len()
			}
			if asked > enough || asked < list.Len() && !errors.As(err, &full) || got.Spent.Tokens() < 0 {
				t.Errorf("%+v with %+v: asked %d times, %+v, %v", u, limits, asked, got, err)
			}
		}
	}
}

func TestJournalBeyondMeasureLiftsNoCap(t *testing.T) {
	t.Parallel()
	for _, usage := range []string{`"prompt":9223372036854775807`, `"completion":9223372036854775807`, `"prompt":-9223372036854775808,"completion":9223372036854775807`} {
		path := fake.Path(t)
		lines := []string{`{"journal":"bookend 1"}`}
		for i := range 3 {
			lines = append(lines, fmt.Sprintf(`{"key":"%d","attempts":9223372036854775807,"answer":{"text":"a","usage":{%s}}}`, i, usage))
		}
		lines = append(lines, `{"key":"3","attempts":-9223372036854775808,"lost":-9223372036854775808,"failure":{"message":"no"}}`)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, limits := range []Limits{{MaxTokens: 1_000_000}, {MaxCalls: 1_000_000}} {
			j := fake.Journal(t, path)
			got, err := Run(t.Context(), fake.Questions(1, 1), fake.Echo, j, limits)
			j.Close()
			full := (*CapError)(nil)
			if !errors.As(err, &full) || got.Answered != 0 {
				t.Errorf("%s with %+v: %+v, %v", usage, limits, got, err)
			}
		}
	}
}

// What a server reports does not let the next requests pass at once.
func TestSpacingDoesNotWrap(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	for _, n := range []int{math.MaxInt, 1 << 40, 1 << 62} {
		s := perMinute(1)
		s.take(now, 1)
		s.correct(n)
		if at := s.take(now, 1); at.Before(now.AddDate(99, 0, 0)) {
			t.Errorf("%d tokens at one a minute: the next may pass at %v", n, at)
		}
	}
}
