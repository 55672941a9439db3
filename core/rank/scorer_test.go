package rank_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

func TestReranker(t *testing.T) {
	t.Parallel()
	docs := []doc{{id: "a", text: "text 1"}, {id: "b", text: "text 3"}, {id: "c", text: "text 2"}}
	arrange := func(t *testing.T, r rank.Reranker) core.Arrangement {
		t.Helper()
		stage, err := rank.Rerank(t.Context(), &r, docView, "?", docs)
		if err != nil {
			t.Fatal(err)
		}
		a, err := core.Arrange(t.Context(), nil, docs, docView, core.Call{Stages: []core.Stage{stage}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	numbers := rank.ScorerFunc(func(_ context.Context, query string, texts []string) ([]float64, error) {
		scores := make([]float64, len(texts))
		for i, text := range texts {
			scores[i] = number(text)
		}
		return scores, nil
	})
	down := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return nil, errDown })
	few := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return []float64{1}, nil })

	a := arrange(t, rank.Reranker{Scorer: numbers})
	same(t, "the best first", 1, a.Slots[0].Index)
	same(t, "stage", "rerank", a.Stages[1].Name)
	same(t, "name", "cross", arrange(t, rank.Reranker{Scorer: numbers, Name: "cross"}).Stages[1].Name)

	a = arrange(t, rank.Reranker{Scorer: down, OnFailure: rank.KeepOrder})
	same(t, "order kept", 0, a.Slots[0].Index)
	kept := []string{"ranking by rerank failed (error), and the order before it is kept"}
	same(t, "said so", kept, a.Notes)
	a = arrange(t, rank.Reranker{Scorer: few, OnFailure: rank.KeepOrder})
	same(t, "too few scores", kept, a.Notes)

	for _, r := range []rank.Reranker{{Scorer: down}, {Scorer: down, OnFailure: rank.Fail}} {
		if _, err := rank.Rerank(t.Context(), &r, docView, "?", docs); !errors.Is(err, errDown) {
			t.Errorf("error %v", err)
		}
	}
	_, err := rank.Rerank(t.Context(), &rank.Reranker{Scorer: few}, docView, "?", docs)
	mustBe[*rank.ScoresError](t, err)
	mustMention(t, err, "1 scores for 3 texts")

	// No document, no question.
	stage, err := rank.Rerank(t.Context(), &rank.Reranker{Scorer: down}, docView, "?", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.Arrange(t.Context(), nil, []doc(nil), docView, core.Call{Stages: []core.Stage{stage}}); err != nil {
		t.Error(err)
	}

	// The end of the caller's context is no failure of the scorer.
	ctx, cancel := context.WithCancel(t.Context())
	cancels := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { cancel(); return nil, errDown })
	if _, err := rank.Rerank(ctx, &rank.Reranker{Scorer: cancels, OnFailure: rank.KeepOrder}, docView, "?", docs); err != context.Canceled {
		t.Errorf("error %v", err)
	}

	for field, r := range map[string]*rank.Reranker{"Reranker.Scorer": {}, "Reranker.OnFailure": {Scorer: numbers, OnFailure: "retry"}} {
		same(t, "field", field, mustBe[*core.ConfigError](t, r.Check()).Field)
		_, err := rank.Rerank(t.Context(), r, docView, "?", docs)
		mustBe[*core.ConfigError](t, err)
	}
	_, err = rank.Rerank(t.Context(), &rank.Reranker{Scorer: numbers}, &core.View[doc]{}, "?", docs)
	same(t, "field", "View.Text", mustBe[*core.ConfigError](t, err).Field)
	_, err = rank.Rerank(t.Context(), nil, docView, "?", docs)
	same(t, "field of a nil Reranker", "Reranker.Scorer", mustBe[*core.ConfigError](t, err).Field)
	if err := (*rank.Reranker)(nil).Check(); err != nil {
		t.Errorf("a nil Reranker, which is none: %v", err)
	}
}

// Equal scores share a rank, and what has no score has none: the order before decides.
func TestRanksOfScores(t *testing.T) {
	t.Parallel()
	given := []float64{2, math.NaN(), 5, 2, math.Inf(1), math.Inf(-1)}
	scorer := rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return given, nil })
	stage, err := rank.Rerank(t.Context(), &rank.Reranker{Scorer: scorer}, docView, "?", byID("a b c d e f"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ranks", []int{2, -1, 1, 2, 0, 4}, stage.Ranks)
	same(t, "scores", "[2 - 5 2 +Inf -Inf]", fmt.Sprint(stage.Scores))
	same(t, "failure", "", stage.Failure)
}

// A code repeats no text of an error.
func TestFailureCode(t *testing.T) {
	t.Parallel()
	busy := &rank.Error{Kind: rank.ErrServer, Status: 503, Detail: "cannot rank 'Blue Harbour'"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{busy, "http 503"},
		{fmt.Errorf("scorer: %w", busy), "http 503"},
		{errors.Join(errDown, busy), "http 503"},
		{&rank.Error{Kind: rank.ErrTimeout}, "timeout"},
		{&rank.Error{Kind: rank.ErrConnection, Detail: "dial 10.0.0.7"}, "connection"},
		{&rank.Error{}, "unknown"},
		{fmt.Errorf("Blue Harbour: %w", context.DeadlineExceeded), "timeout"},
		{fmt.Errorf("Blue Harbour: %w", context.Canceled), "canceled"},
		{&rank.ScoresError{Texts: 3, Scores: 1}, "error"},
		{errors.New("Blue Harbour"), "error"},
	} {
		same(t, fmt.Sprintf("code of %v", c.err), c.want, rank.FailureCode(c.err))
	}
}

// A nil func is an error and no panic.
func TestANilScorerFunc(t *testing.T) {
	t.Parallel()
	var none rank.ScorerFunc
	_, err := none.Score(t.Context(), "?", []string{"a"})
	same(t, "field", "ScorerFunc", mustBe[*core.ConfigError](t, err).Field)
	for _, s := range []rank.Scorer{nil, none, (*pointer)(nil)} {
		same(t, "field", "Reranker.Scorer", mustBe[*core.ConfigError](t, (&rank.Reranker{Scorer: s}).Check()).Field)
	}
}

// pointer is a Scorer whose nil pointer hides in an interface.
type pointer struct{}

func (*pointer) Score(context.Context, string, []string) ([]float64, error) { return nil, errDown }
