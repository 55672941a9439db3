package eino_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/compose"
)

// A document transformer does not see the question; this node takes both. In a graph,
// the two meet at it, so that it has to be compiled with AllPredecessor.
func ExampleNewReranker() {
	ctx := context.Background()
	reranker, err := bookend.NewReranker(ctx, &bookend.RerankerConfig{
		Reranker: rank.Reranker{
			Scorer:    prefers("fifth first fourth second third"), // in earnest, that of rank.NewHTTP
			OnFailure: rank.KeepOrder,
		},
		Config: core.Config{TopK: 4},
	})
	if err != nil {
		log.Fatal(err)
	}
	g := compose.NewGraph[string, docs]()
	if err := errors.Join(
		g.AddRetrieverNode("retrieve", list(documents(5)), compose.WithOutputKey("documents")),
		g.AddPassthroughNode("question", compose.WithOutputKey("question")),
		g.AddLambdaNode("rerank", compose.InvokableLambda(reranker.Rerank)),
		g.AddEdge(compose.START, "retrieve"),
		g.AddEdge(compose.START, "question"),
		g.AddEdge("retrieve", "rerank"),
		g.AddEdge("question", "rerank"),
		g.AddEdge("rerank", compose.END),
	); err != nil {
		log.Fatal(err)
	}
	run, err := g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
	if err != nil {
		log.Fatal(err)
	}
	placed, err := run.Invoke(ctx, "why?")
	fmt.Println(texts(placed), err)
	// Output: fifth fourth second first <nil>
}

// Two retrievers asked at the same time, fused, reranked, trimmed, placed: the
// retriever around them does it all.
func ExampleFrom() {
	ctx := context.Background()
	all := documents(4)
	r, err := bookend.NewRetriever(ctx, &bookend.RetrieverConfig{
		Sources: []bookend.Source{
			bookend.From("words", list{all[0], all[1], all[2]}),
			bookend.From("dense", list{all[3], all[1]}),
		},
		Fusion:   rank.Fusion{KeepGoing: true},
		Reranker: &rank.Reranker{Scorer: prefers("third fourth first second"), OnFailure: rank.KeepOrder},
		Config: core.Config{
			TopK:    3,
			Observe: func(_ context.Context, e core.Event) { fmt.Print(e.Arrangement) },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	placed, err := r.Retrieve(ctx, "why?")
	fmt.Println(texts(placed), err)
	// Output:
	// head-tail: 4 in, 3 placed, 1 left out
	// slot  rank  label  input  score  size  words  dense  fusion      rerank
	// 1     r1    [1]    4      -      -     r3     -      r4 0.01587  r1 9
	// 2     r3    [3]    2      -      -     r1     -      r2 0.01639  r3 7
	// 3     r2    [2]    3      -      -     -      r1     r3 0.01639  r2 8
	// out   r4           1      -      -     r2     r2     r1 0.03226  r4 6    beyond top-k
	// third first fourth <nil>
}
