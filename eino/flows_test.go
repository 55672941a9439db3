package eino_test

import (
	"context"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/retriever/multiquery"
	"github.com/cloudwego/eino/flow/retriever/parent"
	"github.com/cloudwego/eino/flow/retriever/router"
	"github.com/cloudwego/eino/schema"
)

// byQuery is a retriever with a list for each question.
type byQuery map[string]docs

func (b byQuery) Retrieve(_ context.Context, query string, _ ...retriever.Option) (docs, error) {
	return b[query], nil
}

// multi asks inner twice and joins the lists by ID, in their order.
func multi(t *testing.T, inner retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := multiquery.NewRetriever(context.Background(), &multiquery.Config{
		OrigRetriever:  inner,
		RewriteHandler: func(_ context.Context, q string) ([]string, error) { return []string{q, "how?"}, nil },
	})
	check(t, err)
	return r
}

// fused asks two retrievers and joins their lists by reciprocal rank.
func fused(t *testing.T, a, b retriever.Retriever) retriever.Retriever {
	t.Helper()
	r, err := router.NewRetriever(context.Background(), &router.Config{
		Retrievers: map[string]retriever.Retriever{"a": a, "b": b},
		Router:     func(context.Context, string) ([]string, error) { return []string{"a", "b"}, nil },
	})
	check(t, err)
	return r
}

func TestAroundMultiQuery(t *testing.T) {
	t.Parallel()
	d := documents(5)
	inner := byQuery{question: {d[0], d[1], d[2]}, "how?": {d[1], d[3], d[4]}}
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: multi(t, inner)})
	placed, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "first third fifth fourth second", placed, err)
}

// The router's fusion changes the order and leaves the scores, so that the order
// is what counts.
func TestAroundTheRouter(t *testing.T) {
	t.Parallel()
	d := documents(4)
	for i, x := range d {
		x.WithScore(float64(i))
	}
	// By reciprocal rank: second 1/60+1/61, third 1/60+1/62, first 1/61, fourth
	// 1/62.
	a, b := list{d[1], d[0], d[2]}, list{d[2], d[1], d[3]}
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: fused(t, a, b)})
	placed, err := r.Retrieve(context.Background(), question)
	checkTexts(t, "second first fourth third", placed, err)
}

func TestAroundTheParentRetriever(t *testing.T) {
	t.Parallel()
	parents := map[string]*schema.Document{}
	var chunks list
	for _, d := range documents(4) {
		parents[d.ID] = d
		chunks = append(chunks, &schema.Document{ID: "chunk of " + d.ID, MetaData: map[string]any{"parent": d.ID}})
	}
	inner := &asked{list: chunks}
	flow, err := parent.NewRetriever(context.Background(), &parent.Config{
		Retriever: inner, ParentIDKey: "parent",
		OrigDocGetter: func(_ context.Context, ids []string) (docs, error) {
			var found docs
			for _, id := range ids {
				found = append(found, parents[id])
			}
			return found, nil
		},
	})
	check(t, err)
	r := newRetriever(t, &bookend.RetrieverConfig{Retriever: flow, OverFetch: 2})
	placed, err := r.Retrieve(context.Background(), question, retriever.WithTopK(3))
	checkTexts(t, "first third second", placed, err)
	if k, _ := inner.topK(); k != 6 {
		t.Errorf("the chunks' retriever was asked for %d, want 6", k)
	}
}

// A flow reports each of its parts; the wrapper adds one report of its own and one
// of the flow.
func TestCallbacksAroundMultiQuery(t *testing.T) {
	t.Parallel()
	d := documents(3)
	inner := byQuery{question: {d[0], d[1]}, "how?": {d[2]}}
	r := newRetriever(t, &bookend.RetrieverConfig{
		Retriever: multi(t, typed{inner}), Config: core.Config{Observe: func(context.Context, core.Event) {}},
	})
	run, err := compose.NewChain[string, docs]().AppendRetriever(r).Compile(context.Background())
	check(t, err)
	l := &listener{}
	_, err = run.Invoke(context.Background(), question, compose.WithCallbacks(l.handler()))
	check(t, err)
	slices.Sort(l.heard) // the two questions are asked at the same time
	l.check(t,
		"end BookendRetriever: first third second",
		"end MultiQueryRetriever: first second third",
		"end StoreRetriever: first second", "end StoreRetriever: third",
		"start BookendRetriever: why?",
		"start MultiQueryRetriever: why?",
		"start StoreRetriever: how?", "start StoreRetriever: why?")
}
