package rank_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

func TestReranker(t *testing.T) {
	t.Parallel()
	docs := []doc{{id: "a", text: "text 1"}, {id: "b", text: "text 3"}, {id: "c", text: "text 2"}}
	arrange := func(t *testing.T, r rank.Reranker) core.Arrangement {
		t.Helper()
		option, err := rank.Rerank(t.Context(), &r, docView, "?", docs)
		if err != nil {
			t.Fatal(err)
		}
		a, err := core.Arrange(t.Context(), nil, docs, docView, option)
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
	same(t, "said so", []string{"ranking by rerank failed, and the order before it is kept: down"}, a.Notes)
	a = arrange(t, rank.Reranker{Scorer: few, OnFailure: rank.KeepOrder})
	same(t, "too few scores", true, strings.Contains(a.Notes[0], "1 scores for 3 texts"))

	for _, r := range []rank.Reranker{{Scorer: down}, {Scorer: down, OnFailure: rank.Fail}} {
		if _, err := rank.Rerank(t.Context(), &r, docView, "?", docs); !errors.Is(err, errDown) {
			t.Errorf("error %v", err)
		}
	}
	_, err := rank.Rerank(t.Context(), &rank.Reranker{Scorer: few}, docView, "?", docs)
	mustBe[*rank.ScoresError](t, err)

	// No document, no question.
	option, err := rank.Rerank(t.Context(), &rank.Reranker{Scorer: down}, docView, "?", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.Arrange(t.Context(), nil, []doc(nil), docView, option); err != nil {
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
	if option, err := rank.Rerank[doc](t.Context(), nil, nil, "?", docs); option != nil || err != nil {
		t.Errorf("a nil Reranker gives %v", err)
	}
}
