package langchaingo_test

import (
	"cmp"
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// Two retrievers asked at the same time, fused, reranked, trimmed to three, placed. In
// earnest the scorer is that of rank.NewHTTP.
func ExampleNewPipeline() {
	words := list{{PageContent: "first"}, {PageContent: "second"}, {PageContent: "third"}}
	dense := list{{PageContent: "fourth"}, {PageContent: "second"}}
	r, err := bookend.NewPipeline(pipeline.Config[schema.Document]{
		Sources:  []bookend.Source{bookend.From("words", words), bookend.From("dense", dense)},
		Fusion:   rank.Fusion{KeepGoing: true},
		Reranker: &rank.Reranker{Scorer: prefers("third fourth first second"), OnFailure: rank.KeepOrder},
		Order: core.Config{
			TopK:    3,
			Observe: func(_ context.Context, e core.Event) { fmt.Print(e.Arrangement) },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "How long does a refund take?")
	fmt.Println(texts(docs), err)
	// Output:
	// head-tail: 4 in, 3 placed, 1 left out
	// slot  rank  label  input  score  size  words  dense  fusion      rerank
	// 1     r1    [1]    4      0      -     r3 0   -      r4 0.01587  r1 9
	// 2     r3    [3]    2      0      -     r1 0   -      r2 0.01639  r3 7
	// 3     r2    [2]    3      0      -     -      r1 0   r3 0.01639  r2 8
	// out   r4           1      0      -     r2 0   r2 0   r1 0.03226  r4 6    beyond top-k
	// third first fourth <nil>
}

// The store is asked for four times what may be admitted, so that the reranker finds
// what it ranked low. A retriever of langchaingo takes its number when it is made: Find
// makes one for each call, and by its own number where the call has none.
func ExampleNewPipeline_overFetching() {
	find := func(ctx context.Context, query string, k int) ([]schema.Document, error) {
		fmt.Println("asked for", k)
		open := list(documents(cmp.Or(k, 5))) // as in: vectorstores.ToRetriever(store, cmp.Or(k, 5))
		return open.GetRelevantDocuments(ctx, query)
	}
	r, err := bookend.NewPipeline(pipeline.Config[schema.Document]{
		Sources:   []bookend.Source{{Find: find}},
		OverFetch: 4,
		Reranker:  &rank.Reranker{Scorer: prefers("fourth third second first")},
		Order:     core.Config{TopK: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "How long does a refund take?")
	fmt.Println(texts(docs), err)
	// Output:
	// asked for 4
	// fourth <nil>
}
