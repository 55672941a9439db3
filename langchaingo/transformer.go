package langchaingo

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/tmc/langchaingo/schema"
)

// Transformer ranks, admits and places documents. It is immutable and safe for
// concurrent use.
type Transformer struct{ arranger *core.Arranger }

// NewTransformer returns a Transformer, or every fault of the options joined:
// *core.ConfigError and its like. Without options it places by head-tail.
func NewTransformer(opts ...Option) (*Transformer, error) {
	s, arranger, err := build(opts)
	if err != nil {
		return nil, err
	}
	if s.callbacks != nil {
		return nil, &core.ConfigError{Field: "WithCallbacks", Value: "a handler", Rule: "a transformer has nothing to report; give it to NewRetriever"}
	}
	if s.reranker != nil {
		return nil, &core.ConfigError{Field: "WithReranker", Value: "a reranker", Rule: "a transformer does not see the question; give it to NewRetriever"}
	}
	return &Transformer{arranger}, nil
}

// TransformDocuments returns the admitted documents, each once, in the order of
// their slots: a fresh slice, nil for nil. docs and the metadata maps are never
// written to; the maps are shared with the result. The errors are those of
// core.Transform. The default costs one allocation and about as much as
// slices.Clone.
func (t *Transformer) TransformDocuments(ctx context.Context, docs []schema.Document) ([]schema.Document, error) {
	return core.Transform(ctx, t.Arranger(), docs, view)
}

// Arranger returns what t runs, for core.Arrange: it tells which document stands
// where and why others were left out. A nil Transformer runs the defaults.
func (t *Transformer) Arranger() *core.Arranger {
	if t == nil {
		return nil
	}
	return t.arranger
}
