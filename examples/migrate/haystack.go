package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
)

// passage is a document of a program's own type.
type passage struct{ ID, Text string }

// Haystack, in Python:
//
//	ranker = LostInTheMiddleRanker(top_k=10, word_count_threshold=8)
//	docs = ranker.run(documents=docs)["documents"]
//
// The order is Bookend's default. Haystack still lets the document in that goes
// over the number of words; here a budget is kept. KeepBest, if you want it, lets
// in a best match that alone goes over.
func fromHaystack(ctx context.Context, docs []passage) ([]passage, error) {
	reorder, err := core.New(core.Config{
		DropSameID: true,
		TopK:       10,
		Budget:     8,
		Unit:       core.Words,
	})
	if err != nil {
		return nil, err
	}
	return core.Transform(ctx, reorder, docs, &core.View[passage]{
		ID:   func(p passage) string { return p.ID },
		Text: func(p passage) string { return p.Text },
	}, core.Call{})
}
