package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// LangChain, in Python:
//
//	docs = LongContextReorder().transform_documents(docs)
//
// In langchaingo, like for like. Leave the option out for head-tail, which keeps
// the best match first for every number of documents.
func fromLangChain(ctx context.Context, docs []schema.Document) ([]schema.Document, error) {
	reorder, err := bookend.NewTransformer(bookend.WithConfig(core.Config{
		Placement: core.Choice{Placement: core.LongContext},
	}))
	if err != nil {
		return nil, err
	}
	return reorder.TransformDocuments(ctx, docs)
}
