package eino

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/meta"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/document"
	"github.com/cloudwego/eino/schema"
)

var _ document.Transformer = (*Transformer)(nil)

// Config is the configuration of a Transformer: core.Config, whose zero value
// places by head-tail.
type Config = core.Config

// Transformer ranks, admits and places documents as a node of a graph; a zero one does so by
// the defaults. It is immutable and safe for concurrent use; nodes may share their input.
type Transformer struct{ part }

// NewTransformer returns a Transformer, or every fault of the configuration
// joined: *core.ConfigError and its like. A nil config means the defaults.
func NewTransformer(_ context.Context, config *Config) (*Transformer, error) {
	config = cmp.Or(config, &Config{})
	arranger, err := core.New(*config)
	if err != nil {
		return nil, err
	}
	return &Transformer{part{arranger, config.Observe != nil}}, nil
}

// Transform returns the admitted documents, each once, in the order of their slots: a fresh
// slice, nil for nil. docs, the documents and their metadata are never written to. A nil
// document is a *core.ConfigError that names its index; the other errors are those of
// core.Transform. By default it costs one allocation and about as much as slices.Clone.
func (t *Transformer) Transform(ctx context.Context, docs []*schema.Document, opts ...document.TransformerOption) ([]*schema.Document, error) {
	var call core.Call
	if len(opts) > 0 {
		call.Arranger = document.GetTransformerImplSpecificOptions(&callOptions{}, opts...).arranger
	}
	if !t.observed { // apart from report, which keeps the call on the heap
		return t.transform(ctx, docs, call)
	}
	transform := func(ctx context.Context, call core.Call) ([]*schema.Document, error) {
		return t.transform(ctx, docs, call)
	}
	return report(ctx, t.part, components.ComponentOfTransformer, call, &document.TransformerCallbackInput{Input: docs}, transform,
		func(placed []*schema.Document, extra map[string]any) callbacks.CallbackOutput {
			return &document.TransformerCallbackOutput{Output: placed, Extra: extra}
		})
}

func (t *Transformer) transform(ctx context.Context, docs []*schema.Document, call core.Call) ([]*schema.Document, error) {
	if err := checkDocuments(docs); err != nil {
		return nil, err
	}
	return core.Transform(ctx, t.arranger, docs, view, call)
}

// TransformWith uses a for one call in place of the Transformer's own settings; nil means
// those. Where a has no Observe, the Transformer's is called. Designate it to a node
// (compose.Option.DesignateNode): else it reaches every transformer of the graph.
func TransformWith(a *core.Arranger) document.TransformerOption {
	return document.WrapTransformerImplSpecificOptFn(func(o *callOptions) { o.arranger = a })
}

// View returns how Bookend reads an eino document, for core.Arrange and its like. The score is
// the metadata field "_score": a missing one is not the 0 that Document.Score answers.
func View() *core.View[*schema.Document] {
	return &core.View[*schema.Document]{
		Text:  func(d *schema.Document) string { return d.Content },
		ID:    func(d *schema.Document) string { return d.ID },
		Score: func(d *schema.Document) (float64, bool) { return meta.Number(d.MetaData["_score"]) },
		Meta:  func(d *schema.Document) map[string]any { return d.MetaData },
	}
}

var view = View()

// checkDocuments returns a *core.ConfigError for the first nil document.
func checkDocuments(docs []*schema.Document) error {
	for i, d := range docs {
		if d == nil {
			return &core.ConfigError{Field: fmt.Sprintf("documents[%d]", i), Rule: "the retriever or node before must not return nil documents"}
		}
	}
	return nil
}
