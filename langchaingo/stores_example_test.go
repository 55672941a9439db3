package langchaingo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// The documents of two searches are ranked together by score, and what is too far
// away is left out. Redis answers with a distance.
func ExampleRedisVectorScores() {
	limit := 0.5
	r, err := bookend.NewRetriever(bothSearches{}, bookend.WithConfig(core.Config{
		Rank:      core.ByScore,
		Direction: bookend.RedisVectorScores,
		Threshold: &limit,
		Placement: core.Choice{Placement: core.RankOrder},
	}))
	if err != nil {
		log.Fatal(err)
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "How long does a refund take?")
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range docs {
		fmt.Println(doc.Score, doc.PageContent)
	}
	// Output:
	// 0.1 Refunds take 14 days.
	// 0.3 Money goes back to the card.
	// 0.4 Returns are free of charge.
}

// bothSearches stands for a retriever that asks two indexes and appends what the
// second finds to what the first does.
type bothSearches struct{}

func (bothSearches) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return []schema.Document{
		{PageContent: "Money goes back to the card.", Score: 0.3},
		{PageContent: "Parcels to islands take 9 days.", Score: 0.8},
		{PageContent: "Refunds take 14 days.", Score: 0.1},
		{PageContent: "Returns are free of charge.", Score: 0.4},
	}, nil
}
