package combine_test

import (
	"context"
	"maps"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/conformance"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/schema"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Adapter[schema.Document]{
		Orders: "../../core/testdata/orders.json",
		Make: func(d conformance.Doc) schema.Document {
			doc := schema.Document{PageContent: d.Text, Metadata: map[string]any{"id": d.ID}}
			maps.Copy(doc.Metadata, d.Meta)
			if d.Score != nil {
				doc.Score = float32(*d.Score)
			}
			return doc
		},
		Read: func(d schema.Document) conformance.Doc {
			id, _ := d.Metadata["id"].(string)
			score := float64(d.Score)
			return conformance.Doc{ID: id, Text: d.PageContent, Score: &score, Meta: d.Metadata}
		},
		Paths: []conformance.Path[schema.Document]{
			{Name: "combine step", New: newStep, KnowsQuery: true},
			conformance.WithMemory(conformance.Path[schema.Document]{Name: "combine step", New: newStep, KnowsQuery: true}),
		},
		Wrappers: []conformance.Wrapper{{
			Name: "combine wrapper",
			Failing: func(err error) error {
				c, _ := combine.Wrap(step{err: err})
				_, err = c.Call(context.Background(), map[string]any{"input_documents": documents(2)})
				return err
			},
			Nil: func() error {
				_, err := combine.Wrap(nil)
				return err
			},
			Nested: func() error {
				c, err := combine.Wrap(step{})
				if err != nil {
					return nil
				}
				_, err = combine.Wrap(c)
				return err
			},
		}},
	})
}

func newStep(c core.Config) (conformance.Place[schema.Document], error) {
	chain, err := combine.Wrap(step{}, bookend.WithConfig(c))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, docs []schema.Document) ([]schema.Document, error) {
		out, err := chain.Call(ctx, map[string]any{"input_documents": docs, "question": query})
		placed, _ := out["documents"].([]schema.Document)
		return placed, err
	}, nil
}
