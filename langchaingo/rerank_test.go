package langchaingo_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
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

// config is what NewPipeline takes.
type config = pipeline.Config[schema.Document]

// from returns sources that ask retrievers, by the names of their order.
func from(inner ...schema.Retriever) []bookend.Source {
	sources := make([]bookend.Source, len(inner))
	for i := range inner {
		sources[i] = bookend.From("", inner[i])
	}
	return sources
}

// ranked returns c with the placement that leaves documents as ranked.
func ranked(c core.Config) core.Config {
	c.Placement = core.Choice{Placement: core.RankOrder}
	return c
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

func TestAReranker(t *testing.T) {
	t.Parallel()
	found := documents(4)
	for i := range found {
		found[i].Score, found[i].Metadata = float32(4-i), map[string]any{"id": fmt.Sprint(i)}
	}
	before := slices.Clone(found)
	var seen core.Event
	order := core.Config{
		TopK: 3, Threshold: new(float64), ThresholdBy: core.OwnScore, Direction: core.HigherIsBetter,
		Observe: func(_ context.Context, e core.Event) { seen = e },
	}
	var asked string
	scorer := rank.ScorerFunc(func(ctx context.Context, query string, texts []string) ([]float64, error) {
		asked = query
		return prefers("third first fourth second")(ctx, query, texts)
	})
	r, err := bookend.NewPipeline(config{Sources: from(list(found)), Order: order, Reranker: &rank.Reranker{Scorer: scorer}})
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
	r, err := bookend.NewPipeline(config{Sources: from(list(documents(3))), Reranker: &rank.Reranker{Scorer: offline}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); err == nil || err.Error() != "server is down" {
		t.Errorf("error %v", err)
	}
	var notes []string
	r, err = bookend.NewPipeline(config{
		Sources:  from(list(documents(3))),
		Reranker: &rank.Reranker{Scorer: offline, OnFailure: rank.KeepOrder},
		Order:    ranked(core.Config{Observe: func(_ context.Context, e core.Event) { notes = e.Arrangement.Notes }}),
	})
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("order %s", got)
	}
	if want := []string{"ranking by rerank failed (error), and the order before it is kept"}; !slices.Equal(notes, want) {
		t.Errorf("notes (-want +got)\n-%q\n+%q", want, notes)
	}
}

// Off asks no model and keeps the order.
func TestOffAsksNoReranker(t *testing.T) {
	t.Parallel()
	off := core.Config{Select: func(context.Context) *core.Arranger { return core.Off }}
	r, err := bookend.NewPipeline(config{Sources: from(list(documents(3))), Order: off, Reranker: &rank.Reranker{Scorer: offline}})
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("order %s", got)
	}
}

func TestFusion(t *testing.T) {
	t.Parallel()
	all := documents(6)
	words := bookend.From("words", list{all[0], all[1], all[2]})
	dense := bookend.From("dense", list{all[3], all[1]})
	down := bookend.From("down", broken{errors.New("no route")})
	down.Timeout = time.Minute
	both := []bookend.Source{words, dense}

	r, err := bookend.NewPipeline(config{Sources: both, Order: ranked(core.Config{})})
	if got := texts(mustRetrieve(t, r, err)); got != "second first fourth third" {
		t.Errorf("alone: %s", got)
	}
	var seen core.Arrangement
	observe := core.Config{TopK: 3, Observe: func(_ context.Context, e core.Event) { seen = e.Arrangement }}
	r, err = bookend.NewPipeline(config{Sources: both, Order: observe})
	if got := texts(mustRetrieve(t, r, err)); got != "second fourth first" {
		t.Errorf("placed: %s", got)
	}
	stage, _ := seen.Stage("dense")
	if fmt.Sprint(stage.Ranks, len(seen.Stages)) != "[1 -1 0 -1] 3" {
		t.Errorf("stages %v", seen.Stages)
	}
	r, err = bookend.NewPipeline(config{
		Sources: both, Order: ranked(observe),
		Reranker: &rank.Reranker{Scorer: prefers("third fourth first second")},
	})
	if got := texts(mustRetrieve(t, r, err)); got != "third fourth first" {
		t.Errorf("reranked: %s", got)
	}
	if _, ok := seen.Stage("rerank"); !ok || len(seen.Stages) != 4 {
		t.Errorf("stages %v", seen.Stages)
	}

	r, err = bookend.NewPipeline(config{Sources: []bookend.Source{words, down}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetRelevantDocuments(context.Background(), "why?"); !strings.Contains(fmt.Sprint(err), `"down" failed: no route`) {
		t.Errorf("error %v", err)
	}
	r, err = bookend.NewPipeline(config{
		Sources: []bookend.Source{words, down}, Fusion: rank.Fusion{KeepGoing: true}, Order: ranked(observe),
	})
	if got := texts(mustRetrieve(t, r, err)); got != "first second third" {
		t.Errorf("tolerated: %s", got)
	}
	if want := []string{"ranking by down is missing (error)"}; !slices.Equal(seen.Notes, want) {
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
		want      int // 0: left to the source
	}{
		{"none", 2, 1, nil, false, 0},
		{"no top-k at all", 0, 3, nil, false, 0},
		{"three times", 2, 3, nil, false, 6},
		{"another top-k for the call", 2, 3, &core.Config{TopK: 1}, false, 3},
		{"no top-k for the call", 2, 3, &core.Config{}, false, 6},
		{"off", 2, 3, nil, true, 0},
		{"more than there are numbers", 2, math.MaxInt, nil, false, math.MaxInt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked := -1
			find := func(_ context.Context, _ string, k int) ([]schema.Document, error) {
				asked = k
				return documents(min(k, 6)), nil
			}
			order := core.Config{TopK: c.topK, Select: func(context.Context) *core.Arranger {
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
			r, err := bookend.NewPipeline(config{Sources: []bookend.Source{{Find: find}}, OverFetch: c.overFetch, Order: order})
			mustRetrieve(t, r, err)
			if asked != c.want {
				t.Errorf("asked for (-want +got)\n-%d\n+%d", c.want, asked)
			}
		})
	}
}

// What a retriever ranks low can be found, at last.
func TestOverFetchingLetsARerankerChoose(t *testing.T) {
	t.Parallel()
	find := func(_ context.Context, _ string, k int) ([]schema.Document, error) { return documents(k), nil }
	r, err := bookend.NewPipeline(config{
		Sources: []bookend.Source{{Find: find}}, OverFetch: 3, Order: ranked(core.Config{TopK: 2}),
		Reranker: &rank.Reranker{Scorer: prefers("sixth fifth fourth third second first")},
	})
	if got := texts(mustRetrieve(t, r, err)); got != "sixth fifth" {
		t.Errorf("order %s", got)
	}
}

func TestRankingFaults(t *testing.T) {
	t.Parallel()
	inner := list(documents(2))
	placed, err := bookend.NewRetriever(inner)
	if err != nil {
		t.Fatal(err)
	}
	scorer := &rank.Reranker{Scorer: offline}
	threshold := core.Config{Threshold: new(float64), Direction: core.HigherIsBetter}
	byScore := core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}
	late := bookend.From("late", inner)
	late.Timeout = -1
	for _, c := range []struct {
		name   string
		config config
		parts  []string
	}{
		{"no scorer", config{Sources: from(inner), Reranker: &rank.Reranker{}}, []string{"Reranker.Scorer"}},
		{
			"a policy, no inner, a setting",
			config{Sources: from(nil), Reranker: &rank.Reranker{Scorer: offline, OnFailure: "x"}, Order: core.Config{TopK: -1}},
			[]string{"OnFailure", "Inner", "TopK"},
		},
		{"an undeclared threshold", config{Sources: from(inner), Reranker: scorer, Order: threshold}, []string{"ThresholdBy"}},
		{"an undeclared threshold over a fusion", config{Sources: from(inner, inner), Order: threshold}, []string{"ThresholdBy"}},
		{"a sort over a fusion", config{Sources: from(inner, inner), Order: byScore}, []string{"undo the stages before"}},
		{"nothing to ask", config{}, []string{"Inner is nil"}},
		{
			"sources of faults",
			config{Sources: []bookend.Source{{}, bookend.From("placed", placed), late}, Fusion: rank.Fusion{K: -1}},
			[]string{"K is -1", "Sources[0].Find is nil", "place once, outermost", "Sources[2].Timeout is -1ns"},
		},
		{"nothing to find with", config{Sources: []bookend.Source{{}}, OverFetch: -1, Order: core.Config{TopK: 2}}, []string{"OverFetch is -1", "Find is nil"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := bookend.NewPipeline(c.config)
			checkFaults(t, err, c.parts...)
			if r != nil {
				t.Error("got a retriever beside the error")
			}
		})
	}
}
