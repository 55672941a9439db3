package langchaingo

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/tmc/langchaingo/schema"
)

// Option changes what the constructors of this package and of package combine return.
type Option struct{ config core.Config }

// WithConfig sets the ranking, the admission and the placement; of several the last one
// counts. Without it the order is trusted, all documents enter, and head-tail places them.
func WithConfig(config core.Config) Option { return Option{config} }

func configOf(opts []Option) (config core.Config) {
	for _, o := range opts {
		config = o.config
	}
	return config
}

// Transformer ranks, admits and places documents; a zero one does so by the defaults. It is
// immutable and safe for concurrent use.
type Transformer struct{ arranger *core.Arranger }

// NewTransformer returns a Transformer, or every fault of the options, joined.
func NewTransformer(opts ...Option) (*Transformer, error) {
	arranger, err := core.New(configOf(opts))
	if err != nil {
		return nil, err
	}
	return &Transformer{arranger}, nil
}

// TransformDocuments returns the admitted documents, each once, in the order of their slots: a
// fresh slice, nil for nil. docs and the metadata maps are never written to; the result
// shares the maps. The errors are those of core.Transform. The default costs one allocation, as
// slices.Clone does.
func (t *Transformer) TransformDocuments(ctx context.Context, docs []schema.Document) ([]schema.Document, error) {
	return core.Transform(ctx, t.arranger, docs, view, core.Call{})
}

// Arranger returns what t runs, for core.Arrange.
func (t *Transformer) Arranger() *core.Arranger { return t.arranger }

// View returns how Bookend reads a langchaingo document, for core.Arrange and its like.
// The score is the document's Score, which cannot be missing: 0 is a score. Its direction
// differs from store to store: see the constants of this package. The ID is read from the
// metadata, by core.Keys.ID.
func View() *core.View[schema.Document] {
	return &core.View[schema.Document]{
		Text:  func(d schema.Document) string { return d.PageContent },
		Score: func(d schema.Document) (float64, bool) { return float64(d.Score), true },
		Meta:  func(d schema.Document) map[string]any { return d.Metadata },
	}
}

var view = View()
