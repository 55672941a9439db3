package eino

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/document"
	"github.com/cloudwego/eino/schema"
)

var (
	_ document.Transformer = (*Transformer)(nil)
	_ components.Typer     = (*Transformer)(nil)
	_ components.Checker   = (*Transformer)(nil)
)

// Config is the configuration of a Transformer: core.Config, whose zero value
// places by head-tail.
type Config = core.Config

// EventKey is the key under which callbacks find the core.Event of a call, in the
// Extra of a document.TransformerCallbackOutput.
const EventKey = "bookend"

// Transformer ranks, admits and places documents as a node of a graph. It is
// immutable and safe for concurrent use; nodes may share their input.
type Transformer struct {
	arranger *core.Arranger
	observe  func(context.Context, core.Event)
}

// NewTransformer returns a Transformer, or every fault of the configuration
// joined: *core.ConfigError and its like. A nil config means the defaults.
func NewTransformer(_ context.Context, config *Config) (*Transformer, error) {
	if config == nil {
		config = &Config{}
	}
	arranger, err := core.New(*config)
	if err != nil {
		return nil, err
	}
	return &Transformer{arranger, config.Observe}, nil
}

// Transform returns the admitted documents, each once, in the order of their
// slots: a fresh slice, nil for nil. docs, the documents and their metadata are
// never written to; the result shares the documents. A nil document is a
// *core.DocumentError that names its index; the other errors are those of
// core.Transform. Without options the default costs one allocation and about as
// much as slices.Clone.
func (t *Transformer) Transform(ctx context.Context, docs []*schema.Document, opts ...document.TransformerOption) ([]*schema.Document, error) {
	a := t.arranger
	if len(opts) > 0 {
		a = document.GetTransformerImplSpecificOptions(&transformOptions{a}, opts...).arranger.For(ctx)
	}
	if !t.IsCallbacksEnabled() {
		return transform(ctx, a, docs)
	}
	ctx = callbacks.EnsureRunInfo(ctx, t.GetType(), components.ComponentOfTransformer)
	ctx = callbacks.OnStart(ctx, &document.TransformerCallbackInput{Input: docs})
	var event core.Event
	unheard := a.Config().Observe == nil // of a value of this call
	placed, err := transform(ctx, a, docs, core.Notify(func(ctx context.Context, e core.Event) {
		event = e
		if unheard {
			t.observe(ctx, e)
		}
	}))
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &document.TransformerCallbackOutput{Output: placed, Extra: map[string]any{EventKey: event}})
	return placed, nil
}

func transform(ctx context.Context, a *core.Arranger, docs []*schema.Document, opts ...core.CallOption) ([]*schema.Document, error) {
	if err := checkDocuments(docs); err != nil {
		return nil, err
	}
	return core.Transform(ctx, a, docs, view, opts...)
}

// GetType returns "Bookend", the Type that eino's callbacks see.
func (t *Transformer) GetType() string { return "Bookend" }

// IsCallbacksEnabled says whether the Transformer reports to eino's callbacks by
// itself. It does so when the Config has an Observe: the callbacks then get what
// Observe gets, in Extra under EventKey. Otherwise the graph reports, documents
// alone. Either way a call is reported once.
func (t *Transformer) IsCallbacksEnabled() bool { return t.observe != nil }

type transformOptions struct{ arranger *core.Arranger }

// TransformWith uses a for one call in place of the Transformer's own settings;
// nil means those. Where a has no Observe, the Transformer's is called. Designate
// the option to a node (compose.Option.DesignateNode): one without a node reaches
// every transformer of the graph.
func TransformWith(a *core.Arranger) document.TransformerOption {
	return document.WrapTransformerImplSpecificOptFn(func(o *transformOptions) {
		if a != nil {
			o.arranger = a
		}
	})
}
