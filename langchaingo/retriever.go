package langchaingo

import (
	"cmp"
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/schema"
)

// Retriever asks another retriever, or several, and places what they return. It is as safe
// for concurrent use as they are. Chains that return source_documents return them as
// placed; wrap the combine-documents step instead (package combine) to have them ranked.
type Retriever struct {
	// CallbacksHandler, if set before the first call, hears of its start and of its success, with the
	// placed documents. One that the inner retriever has too hears everything twice.
	CallbacksHandler callbacks.Handler
	pipeline         *pipeline.Pipeline[schema.Document]
}

// NewRetriever wraps inner, or returns every fault joined, also an inner retriever that is nil
// or a part of Bookend: a second placement on top of the first puts rank 2 in the middle.
func NewRetriever(inner schema.Retriever, opts ...Option) (*Retriever, error) {
	return NewPipeline(pipeline.Config[schema.Document]{Sources: []Source{From("", inner)}, Order: configOf(opts)})
}

// NewPipeline returns a Retriever that asks several sources and fuses their lists, over-fetches
// or reranks. The View may be left out. The errors are those of pipeline.New.
func NewPipeline(config pipeline.Config[schema.Document]) (*Retriever, error) {
	config.View = cmp.Or(config.View, view)
	if len(config.Sources) == 0 {
		config.Sources = []Source{From("", nil)} // refused
	}
	p, err := pipeline.New(config)
	if err != nil {
		return nil, err
	}
	return &Retriever{pipeline: p}, nil
}

// Source is one of the retrievers that a pipeline asks.
type Source = pipeline.Source[schema.Document]

// From returns the Source that asks inner, of that name: what the arrangement and errors call it. It does
// not pass on how many documents are wanted, since retrievers of langchaingo are told that when they
// are made: to over-fetch, set Find.
func From(name string, inner schema.Retriever) Source {
	if inner == nil {
		inner = (*Retriever)(nil) // refused, as every nil is
	}
	return Source{Name: name, Inner: inner, Find: func(ctx context.Context, query string, _ int) ([]schema.Document, error) {
		return inner.GetRelevantDocuments(ctx, query)
	}}
}

// GetRelevantDocuments returns what is found, ranked, admitted and placed: a fresh slice,
// nil for nil. The errors are those of pipeline.Run. core.Off asks no reranker.
func (r *Retriever) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	if r.CallbacksHandler != nil {
		r.CallbacksHandler.HandleRetrieverStart(ctx, query)
	}
	placed, err := r.pipeline.Run(ctx, core.Call{Query: query})
	if err == nil && r.CallbacksHandler != nil {
		r.CallbacksHandler.HandleRetrieverEnd(ctx, query, placed)
	}
	return placed, err
}

// Arranger returns what arranges the documents.
func (r *Retriever) Arranger() *core.Arranger { return r.pipeline.Arranger() }
