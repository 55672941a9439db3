package langchaingo_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// prefers is a scorer that knows the order that it wants, best first.
func prefers(order string) rank.ScorerFunc {
	return func(_ context.Context, _ string, texts []string) ([]float64, error) {
		scores := make([]float64, len(texts))
		for i, text := range texts {
			scores[i] = 9 - float64(slices.Index(strings.Fields(order), text))
		}
		return scores, nil
	}
}

// offline is a scorer that fails.
var offline = rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) {
	return nil, errors.New("server is down")
})

// ranked returns an option with a Config that places as ranked.
func ranked(c core.Config) bookend.Option {
	c.Placement = core.Choice{Placement: core.RankOrder}
	return bookend.WithConfig(c)
}

func mustRetrieve(t *testing.T, r schema.Retriever, err error) []schema.Document {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "why?")
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func TestWithReranker(t *testing.T) {
	t.Parallel()
	found := documents(4)
	for i := range found {
		found[i].Score, found[i].Metadata = float32(4-i), map[string]any{"id": fmt.Sprint(i)}
	}
	before := slices.Clone(found)
	var seen core.Event
	config := core.Config{
		TopK: 3, Threshold: new(float64), ThresholdBy: core.OwnScore, Direction: core.HigherIsBetter,
		Observe: func(_ context.Context, e core.Event) { seen = e },
	}
	var asked string
	scorer := rank.ScorerFunc(func(ctx context.Context, query string, texts []string) ([]float64, error) {
		asked = query
		return prefers("third first fourth second")(ctx, query, texts)
	})
	r, err := bookend.NewRetriever(list(found), bookend.WithConfig(config), bookend.WithReranker(rank.Reranker{Scorer: scorer}))
	docs := mustRetrieve(t, r, err)
	if got, want := texts(docs), "third fourth first"; got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
	if asked != "why?" {
		t.Errorf("the scorer was asked %q", asked)
	}
	if docs[0].Score != 2 || !reflect.DeepEqual(before, found) {
		t.Errorf("score %v, want the retriever's 2; found %v", docs[0].Score, found)
	}
	retrieval, _ := seen.Arrangement.Stage("retrieval")
	reranked, _ := seen.Arrangement.Stage("rerank")
	if fmt.Sprint(retrieval.Ranks, retrieval.Scores, reranked.Ranks, reranked.Scores) != "[0 1 2 3] [4 3 2 1] [1 3 0 2] [8 6 9 7]" {
		t.Errorf("stages %v", seen.Arrangement.Stages)
	}
}

func TestARerankerThatFails(t *testing.T) {
	t.Parallel()
	r, err := bookend.NewRetriever(list(documents(3)), bookend.WithReranker(rank.Reranker{Scorer: offline}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); err == nil || err.Error() != "server is down" {
		t.Errorf("error %v", err)
	}
	var notes []string
	r, err = bookend.NewRetriever(list(documents(3)),
		ranked(core.Config{Observe: func(_ context.Context, e core.Event) { notes = e.Arrangement.Notes }}),
		bookend.WithReranker(rank.Reranker{Scorer: offline, OnFailure: rank.KeepOrder}))
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("order %s", got)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "server is down") {
		t.Errorf("notes %q", notes)
	}
}

// Off asks no model and keeps the order.
func TestOffAsksNoReranker(t *testing.T) {
	t.Parallel()
	off := bookend.WithConfig(core.Config{Select: func(context.Context) *core.Arranger { return core.Off }})
	r, err := bookend.NewRetriever(list(documents(3)), off, bookend.WithReranker(rank.Reranker{Scorer: offline}))
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("order %s", got)
	}
}

func TestFusion(t *testing.T) {
	t.Parallel()
	all := documents(6)
	words := bookend.Source{Name: "words", Retriever: list{all[0], all[1], all[2]}}
	dense := bookend.Source{Name: "dense", Retriever: list{all[3], all[1]}}
	down := bookend.Source{Name: "down", Retriever: broken{errors.New("no route")}, Timeout: time.Minute}

	f, err := bookend.NewFusion(rank.Fusion{}, words, dense)
	if got := texts(mustRetrieve(t, f, err)); got != "second first fourth third" {
		t.Errorf("alone: %s", got)
	}
	var seen core.Arrangement
	observe := core.Config{TopK: 3, Observe: func(_ context.Context, e core.Event) { seen = e.Arrangement }}
	r, err := bookend.NewRetriever(f, bookend.WithConfig(observe))
	if got := texts(mustRetrieve(t, r, err)); got != "second fourth first" {
		t.Errorf("placed: %s", got)
	}
	stage, _ := seen.Stage("dense")
	if fmt.Sprint(stage.Ranks, len(seen.Stages)) != "[1 -1 0 -1] 3" {
		t.Errorf("stages %v", seen.Stages)
	}
	r, err = bookend.NewRetriever(f, ranked(observe), bookend.WithReranker(rank.Reranker{Scorer: prefers("third fourth first second")}))
	if got := texts(mustRetrieve(t, r, err)); got != "third fourth first" {
		t.Errorf("reranked: %s", got)
	}
	if _, ok := seen.Stage("rerank"); !ok || len(seen.Stages) != 4 {
		t.Errorf("stages %v", seen.Stages)
	}

	f, err = bookend.NewFusion(rank.Fusion{}, words, down)
	if err != nil {
		t.Fatal(err)
	}
	r, err = bookend.NewRetriever(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); !strings.Contains(fmt.Sprint(err), `"down" failed: no route`) {
		t.Errorf("error %v", err)
	}
	f, err = bookend.NewFusion(rank.Fusion{KeepGoing: true}, words, down)
	if err != nil {
		t.Fatal(err)
	}
	r, err = bookend.NewRetriever(f, ranked(observe))
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("tolerated: %s", got)
	}
	if want := []string{"ranking by down is missing: no route"}; !slices.Equal(seen.Notes, want) {
		t.Errorf("notes (-want +got)\n-%q\n+%q", want, seen.Notes)
	}
}

func TestOverFetching(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		topK      int
		overFetch int
		chosen    *core.Config // by Select; nil: none
		off       bool
		want      int
	}{
		{"none", 2, 1, nil, false, 2},
		{"three times", 2, 3, nil, false, 6},
		{"another top-k for the call", 2, 3, &core.Config{TopK: 1}, false, 3},
		{"no top-k for the call", 2, 3, &core.Config{}, false, 6},
		{"off", 2, 3, nil, true, 2},
		{"more than there are numbers", 2, 1 << 62, nil, false, 1<<62 - 1 + 1<<62},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked int
			open := func(k int) schema.Retriever {
				asked = k
				return list(documents(min(k, 6)))
			}
			config := core.Config{TopK: c.topK, Select: func(context.Context) *core.Arranger {
				if c.off {
					return core.Off
				}
				if c.chosen == nil {
					return nil
				}
				a, err := core.New(*c.chosen)
				if err != nil {
					t.Error(err)
				}
				return a
			}}
			r, err := bookend.NewOverFetching(open, c.overFetch, bookend.WithConfig(config))
			mustRetrieve(t, r, err)
			if c.overFetch < 1<<60 && asked != c.want || asked <= 0 {
				t.Errorf("asked for (-want +got)\n-%d\n+%d", c.want, asked)
			}
		})
	}
}

// What a retriever ranks low can be found, at last.
func TestOverFetchingLetsARerankerChoose(t *testing.T) {
	t.Parallel()
	open := func(k int) schema.Retriever { return list(documents(k)) }
	r, err := bookend.NewOverFetching(open, 3, ranked(core.Config{TopK: 2}),
		bookend.WithReranker(rank.Reranker{Scorer: prefers("sixth fifth fourth third second first")}))
	if got := texts(mustRetrieve(t, r, err)); got != "sixth fifth" {
		t.Errorf("order %s", got)
	}
}

func TestRankingFaults(t *testing.T) {
	t.Parallel()
	inner := list(documents(2))
	fusion, err := bookend.NewFusion(rank.Fusion{}, bookend.Source{Retriever: inner})
	if err != nil {
		t.Fatal(err)
	}
	placed, err := bookend.NewRetriever(inner)
	if err != nil {
		t.Fatal(err)
	}
	scorer := bookend.WithReranker(rank.Reranker{Scorer: offline})
	threshold := bookend.WithConfig(core.Config{Threshold: new(float64), Direction: core.HigherIsBetter})
	open := func(int) schema.Retriever { return inner }
	topK := bookend.WithConfig(core.Config{TopK: 2})
	for _, c := range []struct {
		name  string
		make  func() error
		parts []string
	}{
		{"no scorer", func() error { _, err := bookend.NewRetriever(inner, bookend.WithReranker(rank.Reranker{})); return err }, []string{"Reranker.Scorer"}},
		{"a policy, no inner, a setting", func() error {
			_, err := bookend.NewRetriever(nil, bookend.WithReranker(rank.Reranker{Scorer: offline, OnFailure: "x"}), bookend.WithConfig(core.Config{TopK: -1}))
			return err
		}, []string{"OnFailure", "inner", "TopK"}},
		{"an undeclared threshold", func() error { _, err := bookend.NewRetriever(inner, scorer, threshold); return err }, []string{"ThresholdBy"}},
		{"an undeclared threshold over a fusion", func() error { _, err := bookend.NewRetriever(fusion, threshold); return err }, []string{"ThresholdBy"}},
		{"a sort over a fusion", func() error {
			_, err := bookend.NewRetriever(fusion, bookend.WithConfig(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}))
			return err
		}, []string{"undo the fusion"}},
		{"a transformer", func() error { _, err := bookend.NewTransformer(scorer); return err }, []string{"WithReranker", "does not see the question"}},
		{"a fusion of nothing", func() error { _, err := bookend.NewFusion(rank.Fusion{}); return err }, []string{"sources"}},
		{"a fusion of faults", func() error {
			_, err := bookend.NewFusion(rank.Fusion{K: -1}, bookend.Source{}, bookend.Source{Retriever: placed, Timeout: -1})
			return err
		}, []string{"K is -1", "is \"nil\"", "place once, outermost", "Timeout of source 2"}},
		{"nothing to open", func() error { _, err := bookend.NewOverFetching(nil, 0, topK); return err }, []string{"overFetch is 0", "inner"}},
		{"no top-k", func() error { _, err := bookend.NewOverFetching(open, 2); return err }, []string{"TopK is 0"}},
		{"open returns nil", func() error {
			_, err := bookend.NewOverFetching(func(int) schema.Retriever { return nil }, 2, topK)
			return err
		}, []string{"inner"}},
		{"open returns nil later", func() error {
			calls := 0
			r, err := bookend.NewOverFetching(func(int) schema.Retriever {
				if calls++; calls > 1 {
					return nil
				}
				return inner
			}, 2, topK)
			if err != nil {
				t.Error(err)
			}
			_, err = r.GetRelevantDocuments(context.Background(), "why?")
			return err
		}, []string{"inner"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.make()
			var fault *core.ConfigError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v, want a *core.ConfigError", err)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not mention %q", err, part)
				}
			}
		})
	}
}
