package langchaingo_test

import (
	"context"
	"fmt"
	"log"

	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// fusion asks two retrievers and takes from their lists in turn, best first. It
// stands for everything that reads an order as ranks, rerankers among them.
type fusion struct{ a, b schema.Retriever }

func (f fusion) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	a, err := f.a.GetRelevantDocuments(ctx, query)
	if err != nil {
		return nil, err
	}
	b, err := f.b.GetRelevantDocuments(ctx, query)
	if err != nil {
		return nil, err
	}
	var fused []schema.Document
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			fused = append(fused, a[i])
		}
		if i < len(b) {
			fused = append(fused, b[i])
		}
	}
	return fused, nil
}

var (
	keywords = list{{PageContent: "a1"}, {PageContent: "a2"}, {PageContent: "a3"}}
	vectors  = list{{PageContent: "b1"}, {PageContent: "b2"}, {PageContent: "b3"}}
)

// A Bookend retriever beneath a fusion feeds it positions where it expects ranks:
// a3 counts as second best, and a2 ends up last but one.
//
// Write this instead: fuse first, place last.
//
//	r, err := bookend.NewRetriever(fusion{keywords, vectors})
func ExampleNewRetriever_incorrectBeneathFusion() {
	a, err := bookend.NewRetriever(keywords)
	if err != nil {
		log.Fatal(err)
	}
	wrong, err := fusion{a, vectors}.GetRelevantDocuments(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("incorrect:", texts(wrong))

	r, err := bookend.NewRetriever(fusion{keywords, vectors})
	if err != nil {
		log.Fatal(err)
	}
	right, err := r.GetRelevantDocuments(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("correct:  ", texts(right))
	// Output:
	// incorrect: a1 b1 a3 b2 a2 b3
	// correct:   a1 a2 a3 b3 b2 b1
}
