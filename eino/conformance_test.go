package eino_test

import (
	"context"
	"maps"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/internal/conformance"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

type (
	docs  = []*schema.Document
	place = conformance.Place[*schema.Document]
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Adapter[*schema.Document]{
		Orders:        "../core/testdata/orders.json",
		Make:          makeDocument,
		Read:          readDocument,
		MissingScores: true,
		Paths: []conformance.Path[*schema.Document]{
			{Name: "transformer", New: transformerPath},
			{Name: "transformer node", New: transformerNodePath},
			{Name: "retriever", New: retrieverPath, KnowsQuery: true},
			{Name: "retriever node", New: retrieverNodePath, KnowsQuery: true},
			conformance.WithMemory(conformance.Path[*schema.Document]{Name: "transformer node", New: transformerNodePath}),
		},
		Wrappers: []conformance.Wrapper{{
			Name: "retriever wrapper",
			Failing: func(err error) error {
				r, _ := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: broken{err}})
				_, err = r.Retrieve(context.Background(), "")
				return err
			},
			Nil: func() error {
				_, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{})
				return err
			},
			Nested: func() error {
				r, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: list{}})
				if err != nil {
					return nil
				}
				_, err = bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: r})
				return err
			},
		}},
	})
}

func makeDocument(d conformance.Doc) *schema.Document {
	doc := &schema.Document{ID: d.ID, Content: d.Text, MetaData: maps.Clone(d.Meta)}
	if d.Score != nil {
		doc.WithScore(*d.Score)
	}
	return doc
}

func readDocument(d *schema.Document) conformance.Doc {
	out := conformance.Doc{ID: d.ID, Text: d.Content, Meta: d.MetaData}
	if score, ok := d.MetaData["_score"].(float64); ok {
		out.Score = &score
	}
	return out
}

func transformerPath(c core.Config) (place, error) {
	transformer, err := bookend.NewTransformer(context.Background(), &c)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ string, in docs) (docs, error) { return transformer.Transform(ctx, in) }, nil
}

func transformerNodePath(c core.Config) (place, error) {
	transformer, err := bookend.NewTransformer(context.Background(), &c)
	if err != nil {
		return nil, err
	}
	run, err := compose.NewChain[docs, docs]().AppendDocumentTransformer(transformer).Compile(context.Background())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, _ string, in docs) (docs, error) { return run.Invoke(ctx, in) }, nil
}

// fromContext is a retriever that finds what the context carries, so that calls
// of one wrapper can have documents of their own.
type fromContext struct{}

func (fromContext) Retrieve(ctx context.Context, _ string, _ ...retriever.Option) (docs, error) {
	found, _ := ctx.Value(fromContext{}).(docs)
	return found, nil
}

func retrieverPath(c core.Config) (place, error) {
	r, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: fromContext{}, Config: c})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, in docs) (docs, error) {
		return r.Retrieve(context.WithValue(ctx, fromContext{}, in), query)
	}, nil
}

func retrieverNodePath(c core.Config) (place, error) {
	r, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: fromContext{}, Config: c})
	if err != nil {
		return nil, err
	}
	run, err := compose.NewChain[string, docs]().AppendRetriever(r).Compile(context.Background())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, in docs) (docs, error) {
		return run.Invoke(context.WithValue(ctx, fromContext{}, in), query)
	}, nil
}
