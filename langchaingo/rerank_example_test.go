package langchaingo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// Two retrievers asked at the same time, fused, reranked, trimmed to three, placed. In
// earnest the scorer is that of rank.NewHTTP.
func ExampleNewFusion() {
	words := list{{PageContent: "first"}, {PageContent: "second"}, {PageContent: "third"}}
	dense := list{{PageContent: "fourth"}, {PageContent: "second"}}
	fusion, err := bookend.NewFusion(rank.Fusion{KeepGoing: true},
		bookend.Source{Name: "words", Retriever: words},
		bookend.Source{Name: "dense", Retriever: dense},
	)
	if err != nil {
		log.Fatal(err)
	}
	r, err := bookend.NewRetriever(fusion,
		bookend.WithReranker(rank.Reranker{Scorer: prefers("third fourth first second"), OnFailure: rank.KeepOrder}),
		bookend.WithConfig(core.Config{
			TopK:    3,
			Observe: func(_ context.Context, e core.Event) { fmt.Print(e.Arrangement) },
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "How long does a refund take?")
	fmt.Println(texts(docs), err)
	// Output:
	// head-tail: 4 in, 3 placed, 1 left out
	// slot  rank  label  input  score  size  words  dense  fusion      rerank
	// 0     r1    [1]    3      0      -     r3 0   -      r4 0.01587  r1 9
	// 1     r3    [3]    1      0      -     r1 0   -      r2 0.01639  r3 7
	// 2     r2    [2]    2      0      -     -      r1 0   r3 0.01639  r2 8
	// out   r4           0      0      -     r2 0   r2 0   r1 0.03226  r4 6    beyond top-k
	// third first fourth <nil>
}

// The retriever is asked for four times what may be admitted, so that the reranker
// finds what it ranked low.
func ExampleNewOverFetching() {
	open := func(k int) schema.Retriever { // as in: return vectorstores.ToRetriever(store, k)
		fmt.Println("asked for", k)
		return list(documents(4))
	}
	reranker := rank.Reranker{Scorer: prefers("fourth third second first")}
	r, err := bookend.NewOverFetching(open, 4, bookend.WithConfig(core.Config{TopK: 1}), bookend.WithReranker(reranker))
	if err != nil {
		log.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "How long does a refund take?")
	fmt.Println(texts(docs), err)
	// Output:
	// asked for 4
	// asked for 4
	// fourth <nil>
}
