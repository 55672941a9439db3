package pipeline_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
)

// passage is what the retrievers of a program without a framework return.
type passage struct{ ID, Text string }

var view = &core.View[passage]{
	ID:   func(p passage) string { return p.ID },
	Text: func(p passage) string { return p.Text },
}

var (
	refunds   = passage{"refunds#2", "From day 31 on we pay store credit."}
	cards     = passage{"refunds#1", "A refund goes to the card that paid."}
	warranty  = passage{"warranty#4", "The warranty lasts two years."}
	exchanges = passage{"sizes#1", "Sizes can be exchanged for 45 days."}
)

// words and dense stand in for two retrievers.
func words(context.Context, string, int) ([]passage, error) {
	return []passage{exchanges, cards, refunds}, nil
}

func dense(context.Context, string, int) ([]passage, error) {
	return []passage{cards, refunds, warranty}, nil
}

// wordsShared scores a text by the words of the query that it holds. It stands in for
// a model.
var wordsShared = rank.ScorerFunc(func(_ context.Context, query string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, text := range texts {
		for _, word := range strings.Fields(query) {
			if strings.Contains(text, word) {
				scores[i]++
			}
		}
	}
	return scores, nil
})

// Two retrievers are asked at the same time. What they find is fused, reranked, trimmed
// and placed.
func ExamplePipeline_Run() {
	p, err := pipeline.New(pipeline.Config[passage]{
		Sources:  []pipeline.Source[passage]{{Name: "words", Find: words}, {Name: "dense", Find: dense}},
		Reranker: &rank.Reranker{Scorer: wordsShared, OnFailure: rank.KeepOrder},
		Order:    core.Config{TopK: 3},
		View:     view,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, err := p.Run(context.Background(), core.Call{
		Query:   "store credit after 45 days",
		Observe: func(_ context.Context, e core.Event) { fmt.Print(e.Arrangement) },
	})
	for _, passage := range placed {
		fmt.Println(passage.Text)
	}
	fmt.Println(err)
	// Output:
	// head-tail: 4 in, 3 placed, 1 left out
	// slot  rank  label  input  score  size  words  dense  fusion      rerank
	// 1     r1    [1]    2      -      -     r3     r2     r2 0.032    r1 2
	// 2     r3    [3]    1      -      -     r2     r1     r1 0.03252  r3 0
	// 3     r2    [2]    3      -      -     r1     -      r3 0.01639  r2 2
	// out   r4           4      -      -     -      r3     r4 0.01587  r4 0    beyond top-k
	// From day 31 on we pay store credit.
	// A refund goes to the card that paid.
	// Sizes can be exchanged for 45 days.
	// <nil>
}

// A retriever that fails fails the call, unless the fusion keeps going.
func ExamplePipeline_Run_keepGoing() {
	down := func(context.Context, string, int) ([]passage, error) { return nil, fmt.Errorf("no connection") }
	for _, keepGoing := range []bool{false, true} {
		p, err := pipeline.New(pipeline.Config[passage]{
			Sources: []pipeline.Source[passage]{{Name: "words", Find: words}, {Name: "dense", Find: down}},
			Fusion:  rank.Fusion{KeepGoing: keepGoing},
			View:    view,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		placed, err := p.Run(context.Background(), core.Call{
			Query:   "which size?",
			Observe: func(_ context.Context, e core.Event) { fmt.Println(e.Arrangement.Notes) },
		})
		fmt.Println(len(placed), err)
	}
	// Output:
	// 0 bookend: retriever "dense" failed: no connection
	// [ranking by dense is missing (error)]
	// 3 <nil>
}

// Documents that are at hand need no source.
func ExamplePipeline_Place() {
	p, err := pipeline.New(pipeline.Config[passage]{
		Reranker: &rank.Reranker{Scorer: wordsShared},
		View:     view,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	placed, err := p.Place(context.Background(), []passage{cards, warranty, refunds}, core.Call{Query: "store credit"})
	for _, passage := range placed {
		fmt.Println(passage.ID)
	}
	fmt.Println(err)
	// Output:
	// refunds#2
	// warranty#4
	// refunds#1
	// <nil>
}
