package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/schema"
)

// eino-ext, in Go:
//
//	key := "relevance"
//	reorder, err := score.NewReranker(ctx, &score.Config{ScoreFieldKey: &key})
//
// The new node goes where the old one stood. Leave Keys out where that was nil.
// eino-ext takes a missing score for 0, which beats negative ones, and reads a
// field of type float64 only; Bookend reads any number and ranks a missing one last.
func fromEinoExt(ctx context.Context, docs []*schema.Document) ([]*schema.Document, error) {
	reorder, err := bookend.NewTransformer(ctx, &bookend.Config{
		Rank:      core.ByScore,
		Direction: core.HigherIsBetter,
		Keys:      core.Keys{Score: "relevance"},
	})
	if err != nil {
		return nil, err
	}
	return reorder.Transform(ctx, docs)
}
