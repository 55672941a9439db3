package pipeline_test

import (
	"context"
	"maps"
	"math"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/internal/conformance"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Adapter[doc]{
		Orders:        "../testdata/orders.json",
		Make:          makeDoc,
		Read:          readDoc,
		MissingScores: true,
		Paths: []conformance.Path[doc]{
			{Name: "Run", New: newRun, KnowsQuery: true},
			{Name: "Place", New: newPlace, KnowsQuery: true},
			conformance.WithMemory(conformance.Path[doc]{Name: "Run", New: newRun, KnowsQuery: true}),
		},
		Wrappers: []conformance.Wrapper{
			wrapper("source", func(s source) []source { return []source{s} }),
			wrapper("one of two sources", func(s source) []source { return []source{finds("a", "a"), s} }),
		},
	})
}

func makeDoc(d conformance.Doc) doc {
	made := doc{id: d.ID, text: d.Text, score: math.NaN(), meta: maps.Clone(d.Meta)}
	if d.Score != nil {
		made.score = *d.Score
	}
	return made
}

func readDoc(d doc) conformance.Doc {
	read := conformance.Doc{ID: d.id, Text: d.text, Meta: d.meta}
	if !math.IsNaN(d.score) {
		read.Score = &d.score
	}
	return read
}

type foundKey struct{}

// fromContext finds what the context carries, so that calls of one pipeline can have
// documents of their own.
var fromContext = source{Name: "context", Find: func(ctx context.Context, _ string, _ int) ([]doc, error) {
	docs, _ := ctx.Value(foundKey{}).([]doc)
	return docs, nil
}}

func newRun(c core.Config) (conformance.Place[doc], error) {
	p, err := pipeline.New(config{Sources: []source{fromContext}, Order: c, View: docView})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, docs []doc) ([]doc, error) {
		return p.Run(context.WithValue(ctx, foundKey{}, docs), core.Call{Query: query})
	}, nil
}

func newPlace(c core.Config) (conformance.Place[doc], error) {
	p, err := pipeline.New(config{Order: c, View: docView})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, query string, docs []doc) ([]doc, error) {
		return p.Place(ctx, docs, core.Call{Query: query})
	}, nil
}

// wrapper is a pipeline around a source.
func wrapper(name string, around func(source) []source) conformance.Wrapper {
	made := func(s source) (*pipeline.Pipeline[doc], error) { return pipeline.New(config{Sources: around(s)}) }
	return conformance.Wrapper{
		Name: name,
		Failing: func(err error) error {
			p, _ := made(fails("broken", err))
			_, err = p.Run(context.Background(), core.Call{})
			return err
		},
		Nil: func() error {
			s := finds("b", "b")
			s.Inner = (*hit)(nil)
			_, err := made(s)
			return err
		},
		Nested: func() error {
			inner, err := made(finds("b", "b"))
			if err != nil {
				return nil
			}
			s := finds("b", "b")
			s.Inner = inner
			_, err = made(s)
			return err
		},
	}
}
