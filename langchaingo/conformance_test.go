package langchaingo_test

import (
	"context"
	"maps"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/conformance"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Adapter[schema.Document]{
		Orders: "../core/testdata/orders.json",
		Make:   makeDocument,
		Read:   readDocument,
		Paths: []conformance.Path[schema.Document]{
			{Name: "transformer", New: newTransformer},
			{Name: "retriever", New: newRetriever, KnowsQuery: true},
			conformance.WithMemory(conformance.Path[schema.Document]{Name: "retriever", New: newRetriever, KnowsQuery: true}),
		},
		Wrappers: []conformance.Wrapper{{
			Name: "retriever wrapper",
			Failing: func(err error) error {
				r, _ := bookend.NewRetriever(broken{err})
				_, err = r.GetRelevantDocuments(context.Background(), "")
				return err
			},
			Nil: func() error {
				_, err := bookend.NewRetriever(nil)
				return err
			},
			Nested: func() error {
				r, err := bookend.NewRetriever(list{})
				if err != nil {
					return nil
				}
				_, err = bookend.NewRetriever(r)
				return err
			},
		}},
	})
}

// makeDocument puts the ID where langchaingo's users put it: into the metadata.
func makeDocument(d conformance.Doc) schema.Document {
	doc := schema.Document{PageContent: d.Text, Metadata: maps.Clone(d.Meta)}
	if doc.Metadata == nil {
		doc.Metadata = map[string]any{}
	}
	doc.Metadata["id"] = d.ID
	if d.Score != nil {
		doc.Score = float32(*d.Score)
	}
	return doc
}

func readDocument(d schema.Document) conformance.Doc {
	id, _ := d.Metadata["id"].(string)
	score := float64(d.Score)
	return conformance.Doc{ID: id, Text: d.PageContent, Score: &score, Meta: d.Metadata}
}

func newTransformer(c core.Config) (conformance.Place[schema.Document], error) {
	transformer, err := bookend.NewTransformer(bookend.WithConfig(c))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ string, docs []schema.Document) ([]schema.Document, error) {
		return transformer.TransformDocuments(ctx, docs)
	}, nil
}

// fromContext is a retriever that finds what the context carries, so that calls
// of one wrapper can have documents of their own.
type fromContext struct{}

func (fromContext) GetRelevantDocuments(ctx context.Context, _ string) ([]schema.Document, error) {
	docs, _ := ctx.Value(fromContext{}).([]schema.Document)
	return docs, nil
}

func newRetriever(c core.Config) (conformance.Place[schema.Document], error) {
	retriever, err := bookend.NewRetriever(fromContext{}, bookend.WithConfig(c))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, docs []schema.Document) ([]schema.Document, error) {
		return retriever.GetRelevantDocuments(context.WithValue(ctx, fromContext{}, docs), query)
	}, nil
}
