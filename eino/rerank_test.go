package eino_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// prefers is a scorer that knows the order that it wants, best first, and refuses
// another question.
func prefers(order string) rank.ScorerFunc {
	return func(_ context.Context, query string, texts []string) ([]float64, error) {
		if query != question {
			return nil, fmt.Errorf("asked %q", query)
		}
		scores := make([]float64, len(texts))
		for i, text := range texts {
			scores[i] = 9 - float64(slices.Index(strings.Fields(order), text))
		}
		return scores, nil
	}
}

// offline is a scorer that fails.
var offline = rank.ScorerFunc(func(context.Context, string, []string) ([]float64, error) { return nil, errDown })

var ranked = core.Choice{Placement: core.RankOrder}

func TestRetrieverReranks(t *testing.T) {
	t.Parallel()
	found := documents(4)
	for i, d := range found {
		d.WithScore(float64(4 - i))
	}
	var before []schema.Document
	for _, d := range found {
		before = append(before, *d)
	}
	var seen core.Arrangement
	r := newRetriever(t, &bookend.RetrieverConfig{
		Retriever: list(found),
		Reranker:  &rank.Reranker{Scorer: prefers("third first fourth second")},
		Config:    core.Config{TopK: 3, Observe: func(_ context.Context, e core.Event) { seen = e.Arrangement }},
	})
	placed, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "third fourth first", placed, err)
	retrieval, _ := seen.Stage("retrieval")
	reranked, _ := seen.Stage("rerank")
	if got, want := fmt.Sprint(retrieval.Ranks, retrieval.Scores, reranked.Ranks, reranked.Scores), "[0 1 2 3] [4 3 2 1] [1 3 0 2] [8 6 9 7]"; got != want {
		t.Errorf("stages (-want +got)\n-%s\n+%s", want, got)
	}
	for i, d := range found {
		if !reflect.DeepEqual(before[i], *d) {
			t.Errorf("document %d was written to: %v", i, d)
		}
	}
	if placed[0].Score() != 2 {
		t.Errorf("score %v, want the retriever's 2", placed[0].Score())
	}
}

func TestARerankerThatFails(t *testing.T) {
	t.Parallel()
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: list(documents(3)), Reranker: &rank.Reranker{Scorer: offline}})
	if _, err := r.Retrieve(context.Background(), question); err != errDown {
		t.Errorf("error %v", err)
	}
	var notes []string
	r = newRetriever(t, &bookend.RetrieverConfig{
		Retriever: list(documents(3)),
		Reranker:  &rank.Reranker{Scorer: offline, OnFailure: rank.KeepOrder},
		Config:    core.Config{Placement: ranked, Observe: func(_ context.Context, e core.Event) { notes = e.Arrangement.Notes }},
	})
	placed, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "first second third", placed, err)
	if want := []string{"ranking by rerank failed (error), and the order before it is kept"}; !slices.Equal(notes, want) {
		t.Errorf("notes (-want +got)\n-%q\n+%q", want, notes)
	}
	placed, err = r.Retrieve(context.Background(), question, bookend.RetrieveWith(core.Off))
	checkTexts(t, "first second third", placed, err)
	r = newRetriever(t, &bookend.RetrieverConfig{Retriever: list{nil}, Reranker: &rank.Reranker{Scorer: offline}})
	if _, err := r.Retrieve(context.Background(), question); !errors.As(err, new(*core.ConfigError)) {
		t.Errorf("a nil document: %v", err)
	}
}

// The inner retriever is asked for more, all of it is scored, and the best enter.
func TestOverFetchForAReranker(t *testing.T) {
	t.Parallel()
	inner := &asked{list: documents(6)}
	r := newRetriever(t, &bookend.RetrieverConfig{
		Retriever: inner, OverFetch: 3, Config: core.Config{Placement: ranked},
		Reranker: &rank.Reranker{Scorer: prefers("sixth fifth fourth third second first")},
	})
	placed, err := r.Retrieve(context.Background(), question, retriever.WithTopK(2))
	checkTexts(t, "sixth fifth", placed, err)
	if k, _ := inner.topK(); k != 6 {
		t.Errorf("asked for %d, want 6", k)
	}
}

func TestFusion(t *testing.T) {
	t.Parallel()
	all := documents(6)
	words := &asked{list: list{all[0], all[1], all[2]}}
	dense := &asked{list: list{all[3], {ID: "second", Content: "another copy"}}}
	sources := []bookend.Source{bookend.From("words", words), bookend.From("dense", dense)}
	f := newRetriever(t, &bookend.RetrieverConfig{Sources: sources, Config: core.Config{Placement: ranked}})
	docs, err := f.Retrieve(context.Background(), question)
	checkTexts(t, "second first fourth third", docs, err)
	docs, err = f.Retrieve(context.Background(), question, retriever.WithTopK(2))
	checkTexts(t, "second first", docs, err)
	for _, s := range []*asked{words, dense} {
		if k, ok := s.topK(); k != 2 || !ok || s.query != question {
			t.Errorf("a source was asked %q for %d", s.query, k)
		}
	}
	if _, err := f.Retrieve(context.Background(), question, retriever.WithTopK(-1)); !errors.As(err, new(*core.ConfigError)) {
		t.Errorf("a negative top-k: %v", err)
	}

	var seen core.Arrangement
	r := newRetriever(t, &bookend.RetrieverConfig{
		Sources: sources, OverFetch: 2,
		Reranker: &rank.Reranker{Scorer: prefers("third fourth first second")},
		Config:   core.Config{TopK: 3, Observe: func(_ context.Context, e core.Event) { seen = e.Arrangement }},
	})
	docs, err = r.Retrieve(context.Background(), question)
	checkTexts(t, "third first fourth", docs, err)
	if k, _ := words.topK(); k != 6 {
		t.Errorf("a source was asked for %d, want 6", k)
	}
	var stages []string
	for _, s := range seen.Stages {
		stages = append(stages, fmt.Sprint(s.Name, s.Ranks))
	}
	if got, want := strings.Join(stages, " "), "words[1 0 -1 2] dense[1 -1 0 -1] fusion[0 1 2 3] rerank[3 2 1 0]"; got != want {
		t.Errorf("stages (-want +got)\n-%s\n+%s", want, got)
	}
}

func TestAFusionWithASourceThatFails(t *testing.T) {
	t.Parallel()
	down := bookend.From("down", broken{errDown})
	down.Timeout = time.Minute
	sources := []bookend.Source{bookend.From("words", list(documents(2))), down}
	r := newRetriever(t, &bookend.RetrieverConfig{Sources: sources})
	if _, err := r.Retrieve(context.Background(), question); !errors.Is(err, errDown) || !errors.As(err, new(*pipeline.SourceError)) {
		t.Errorf("error %v", err)
	}
	var notes []string
	r = newRetriever(t, &bookend.RetrieverConfig{
		Sources: sources, Fusion: rank.Fusion{KeepGoing: true},
		Config: core.Config{Observe: func(_ context.Context, e core.Event) { notes = e.Arrangement.Notes }},
	})
	docs, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "first second", docs, err)
	if want := []string{"ranking by down is missing (error)"}; !slices.Equal(notes, want) {
		t.Errorf("notes (-want +got)\n-%q\n+%q", want, notes)
	}
	rotten := newRetriever(t, &bookend.RetrieverConfig{Sources: []bookend.Source{bookend.From("", list{}), bookend.From("", list{nil})}})
	var fault *core.ConfigError
	if _, err := rotten.Retrieve(context.Background(), question); !errors.As(err, &fault) || fault.Field != "documents[0]" {
		t.Errorf("a nil document: %v", err)
	}
}

// Each source is reported once with its own list, and the retriever around them with the
// placed one.
func TestCallbacksOfAFusion(t *testing.T) {
	t.Parallel()
	all := documents(3)
	r := newRetriever(t, &bookend.RetrieverConfig{
		Sources: []bookend.Source{bookend.From("", list{all[0], all[1], all[2]}), bookend.From("", list{all[2]})},
	})
	g := compose.NewGraph[string, docs]()
	run, err := compileGraph(g, g.AddRetrieverNode("retrieve", r),
		g.AddEdge(compose.START, "retrieve"), g.AddEdge("retrieve", compose.END))
	check(t, err)
	l := &listener{}
	placed, err := run.Invoke(context.Background(), question, compose.WithCallbacks(l.handler()))
	checkTexts(t, "third second first", placed, err)
	slices.Sort(l.heard) // the sources are asked at the same time
	l.check(
		t,
		"end BookendRetriever: third second first",
		"end Retriever: first second third",
		"end Retriever: third",
		"start BookendRetriever: why?",
		"start Retriever: why?",
		"start Retriever: why?",
	)
}

// reorders builds each kind of graph around a reranker: documents and the question
// meet at its node.
var reorders = map[string]func(context.Context, *bookend.Reranker, retriever.Retriever) (compose.Runnable[string, docs], error){
	"chain": func(ctx context.Context, r *bookend.Reranker, inner retriever.Retriever) (compose.Runnable[string, docs], error) {
		find := compose.NewChain[string, docs]().AppendRetriever(inner)
		both := compose.NewParallel().AddGraph("documents", find).AddPassthrough("question")
		return compose.NewChain[string, docs]().AppendParallel(both).AppendLambda(compose.InvokableLambda(r.Rerank)).Compile(ctx)
	},
	"graph": func(_ context.Context, r *bookend.Reranker, inner retriever.Retriever) (compose.Runnable[string, docs], error) {
		g := compose.NewGraph[string, docs]()
		return compileGraph(
			g, g.AddRetrieverNode("retrieve", inner, compose.WithOutputKey("documents")),
			g.AddPassthroughNode("question", compose.WithOutputKey("question")),
			g.AddLambdaNode("rerank", compose.InvokableLambda(r.Rerank)),
			g.AddEdge(compose.START, "retrieve"), g.AddEdge(compose.START, "question"),
			g.AddEdge("retrieve", "rerank"), g.AddEdge("question", "rerank"), g.AddEdge("rerank", compose.END),
		)
	},
	"workflow": func(ctx context.Context, r *bookend.Reranker, inner retriever.Retriever) (compose.Runnable[string, docs], error) {
		w := compose.NewWorkflow[string, docs]()
		w.AddRetrieverNode("retrieve", inner).AddInput(compose.START)
		w.AddLambdaNode("rerank", compose.InvokableLambda(r.Rerank)).
			AddInput("retrieve", compose.ToField("documents")).
			AddInput(compose.START, compose.ToField("question"))
		w.End().AddInput("rerank")
		return w.Compile(ctx)
	},
}

func newReranker(t *testing.T, c *bookend.RerankerConfig) *bookend.Reranker {
	t.Helper()
	r, err := bookend.NewReranker(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRerankerInEveryKindOfGraph(t *testing.T) {
	t.Parallel()
	for name, build := range reorders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen core.Event
			r := newReranker(t, &bookend.RerankerConfig{
				Reranker: rank.Reranker{Scorer: prefers("fifth first fourth second third")},
				Config:   core.Config{TopK: 4, Observe: func(_ context.Context, e core.Event) { seen = e }},
			})
			run, err := build(context.Background(), r, list(documents(5)))
			check(t, err)
			placed, err := run.Invoke(context.Background(), question)
			checkTexts(t, "fifth fourth second first", placed, err)
			if _, ok := seen.Arrangement.Stage("rerank"); !ok || seen.Query != question {
				t.Errorf("query %q, stages %v", seen.Query, seen.Arrangement.Stages)
			}
			stream, err := run.Stream(context.Background(), question)
			check(t, err)
			placed, err = only(stream)
			checkTexts(t, "fifth fourth second first", placed, err)
		})
	}
}

func TestRerankerNode(t *testing.T) {
	t.Parallel()
	given := map[string]any{"documents": docs(documents(3)), "question": question}
	r := newReranker(t, &bookend.RerankerConfig{Reranker: rank.Reranker{Scorer: prefers("third second first")}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			placed, err := r.Rerank(context.Background(), given)
			if err != nil || texts(placed) != "third first second" {
				t.Errorf("%s, %v", texts(placed), err)
			}
		}()
	}
	wg.Wait()
	if placed, err := r.Rerank(context.Background(), map[string]any{"documents": docs(nil), "question": question}); placed != nil || err != nil {
		t.Errorf("nil gives %v, %v", placed, err)
	}
	keys := newReranker(t, &bookend.RerankerConfig{Reranker: rank.Reranker{Scorer: prefers("first")}, DocumentsKey: "hits", QuestionKey: "query"})
	placed, err := keys.Rerank(context.Background(), map[string]any{"hits": docs(documents(1)), "query": question})
	checkTexts(t, "first", placed, err)
	off := newReranker(t, &bookend.RerankerConfig{
		Reranker: rank.Reranker{Scorer: offline},
		Config:   core.Config{Select: func(context.Context) *core.Arranger { return core.Off }},
	})
	placed, err = off.Rerank(context.Background(), given)
	checkTexts(t, "first second third", placed, err)

	for name, values := range map[string]map[string]any{
		`input["documents"]`: {"question": question},
		`input["question"]`:  {"documents": docs(documents(1)), "question": 7},
	} {
		_, err := r.Rerank(context.Background(), values)
		var fault *core.ConfigError
		if !errors.As(err, &fault) || fault.Field != name {
			t.Errorf("error %v, want one of %s", err, name)
		}
	}
	if _, err := r.Rerank(context.Background(), map[string]any{"documents": docs{nil}, "question": question}); !errors.As(err, new(*core.ConfigError)) {
		t.Errorf("a nil document: %v", err)
	}
	failing := newReranker(t, &bookend.RerankerConfig{Reranker: rank.Reranker{Scorer: offline}})
	if _, err := failing.Rerank(context.Background(), given); err != errDown {
		t.Errorf("error %v", err)
	}
}

func TestRankingFaults(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	two := []bookend.Source{bookend.From("", list{}), bookend.From("", list{})}
	nested := bookend.From("nested", newRetriever(t, &bookend.RetrieverConfig{Retriever: list{}}))
	nested.Weight = -1
	threshold := core.Config{Threshold: new(float64), Direction: core.HigherIsBetter}
	scorer := rank.Reranker{Scorer: offline}
	retrieverFault := func(c *bookend.RetrieverConfig) error { _, err := bookend.NewRetriever(ctx, c); return err }
	nodeFault := func(c *bookend.RerankerConfig) error { _, err := bookend.NewReranker(ctx, c); return err }
	for _, c := range []struct {
		name  string
		err   error
		parts []string
	}{
		{"no scorer, no inner", retrieverFault(&bookend.RetrieverConfig{Reranker: &rank.Reranker{}}), []string{"Reranker.Scorer", "Inner is nil"}},
		{"an undeclared threshold", retrieverFault(&bookend.RetrieverConfig{Retriever: list{}, Reranker: &scorer, Config: threshold}), []string{"ThresholdBy"}},
		{"one over a fusion", retrieverFault(&bookend.RetrieverConfig{Sources: two, Config: threshold}), []string{"ThresholdBy"}},
		{"a sort over a fusion", retrieverFault(&bookend.RetrieverConfig{Sources: two, Config: core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}}), []string{"undo the stages before"}},
		{"a retriever and sources", retrieverFault(&bookend.RetrieverConfig{Retriever: list{}, Sources: two, OverFetch: -1}), []string{"Sources, not both", "OverFetch"}},
		{"a fusion of faults", retrieverFault(&bookend.RetrieverConfig{Fusion: rank.Fusion{K: -1}, Sources: []bookend.Source{{}, nested}}), []string{"K is -1", "Sources[0].Find is nil", "Sources[1].Inner", "place once, outermost", "Weight of list 2"}},
		{"a node without a config", nodeFault(nil), []string{"Reranker.Scorer"}},
		{"a node of faults", nodeFault(&bookend.RerankerConfig{Config: core.Config{TopK: -1}}), []string{"Reranker.Scorer", "TopK"}},
		{"a node with an undeclared threshold", nodeFault(&bookend.RerankerConfig{Reranker: scorer, Config: threshold}), []string{"ThresholdBy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var fault *core.ConfigError
			if !errors.As(c.err, &fault) {
				t.Fatalf("error %v, want a *core.ConfigError", c.err)
			}
			for _, part := range c.parts {
				if !strings.Contains(c.err.Error(), part) {
					t.Errorf("error %q does not mention %q", c.err, part)
				}
			}
		})
	}
}
