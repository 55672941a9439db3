package langchaingo

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/schema"
)

var _ schema.Retriever = (*Retriever)(nil)

// Retriever asks another retriever and places what it returns. It is immutable
// and as safe for concurrent use as the inner one.
//
// Chains that return source_documents return them as placed; wrap the
// combine-documents step instead (package combine) to have them ranked.
type Retriever struct {
	inner     schema.Retriever
	arranger  *core.Arranger
	callbacks callbacks.Handler
}

// NewRetriever wraps inner. Every fault comes at once, joined: those of the
// options, and a *core.ConfigError for an inner retriever that is nil or is a
// *Retriever itself, since a second placement on top of the first puts rank 2 in
// the middle.
func NewRetriever(inner schema.Retriever, opts ...Option) (*Retriever, error) {
	s, arranger, err := build(opts, checkInner(inner))
	if err != nil {
		return nil, err
	}
	return &Retriever{inner, arranger, s.callbacks}, nil
}

func checkInner(inner schema.Retriever) error {
	switch inner.(type) {
	case nil:
		return &core.ConfigError{Field: "inner", Value: "nil", Rule: "pass the retriever whose documents are to be placed"}
	case *Retriever:
		return &core.ConfigError{Field: "inner", Value: "a Bookend retriever", Rule: "place once, outermost: pass the retriever that it wraps"}
	}
	return nil
}

// GetRelevantDocuments returns what the inner retriever finds, ranked, admitted
// and placed: a fresh slice, nil for nil. An error of the inner retriever is
// returned as it is; the others are those of core.Transform.
func (r *Retriever) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	if r.callbacks != nil {
		r.callbacks.HandleRetrieverStart(ctx, query)
	}
	docs, err := r.inner.GetRelevantDocuments(ctx, query)
	if err != nil {
		return nil, err
	}
	placed, err := core.Transform(ctx, r.arranger, docs, view, core.ForQuery(query))
	if err != nil {
		return nil, err
	}
	if r.callbacks != nil {
		r.callbacks.HandleRetrieverEnd(ctx, query, placed)
	}
	return placed, nil
}
