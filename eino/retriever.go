package eino

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/internal/nilvalue"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

var _ retriever.Retriever = (*Retriever)(nil)

// RetrieverConfig is the configuration of a Retriever.
type RetrieverConfig struct {
	Retriever retriever.Retriever // the inner retriever, or
	Sources   []Source            // several, which are asked at the same time
	Fusion    rank.Fusion         // how the lists of Sources become one
	Reranker  *rank.Reranker      // as in a pipeline.Config; nil: none
	OverFetch int                 // as in a pipeline.Config
	Config    core.Config         // how documents are ranked, admitted and placed
}

// Retriever asks another retriever, or several, and places what they return. It is as safe for
// concurrent use as they are. A graph reports it with the placed documents, and it reports each
// inner one with its ranked documents, unless that does: each is reported once, errors too.
type Retriever struct {
	part
	pipeline *pipeline.Pipeline[*schema.Document]
}

// NewRetriever returns a Retriever, or every fault, joined: those of pipeline.New, and that of
// Retriever and Sources, of which one has to be set.
func NewRetriever(_ context.Context, config *RetrieverConfig) (*Retriever, error) {
	config = cmp.Or(config, &RetrieverConfig{})
	sources, both := config.Sources, error(nil)
	if len(sources) == 0 {
		sources = []Source{From("", config.Retriever)}
	} else if config.Retriever != nil {
		both = &core.ConfigError{Field: "Retriever", Value: "set", Rule: "set it or {Sources}, not both"}
	}
	p, err := pipeline.New(pipeline.Config[*schema.Document]{
		Sources: sources, Fusion: config.Fusion, Reranker: config.Reranker, OverFetch: config.OverFetch,
		Order: config.Config, View: view,
	})
	if err := errors.Join(both, err); err != nil {
		return nil, err
	}
	return &Retriever{part{p.Arranger(), config.Config.Observe != nil}, p}, nil
}

// Source is one of the retrievers that a Retriever asks.
type Source = pipeline.Source[*schema.Document]

// From returns the Source that asks inner, of that name: what the arrangement and errors
// call it. Its Weight and Timeout may be set. The options of a call reach inner; where
// the Retriever over-fetches, inner gets the larger top-k. A nil document from inner is a *core.ConfigError.
func From(name string, inner retriever.Retriever) Source {
	if nilvalue.Is(inner) {
		return Source{Name: name, Inner: (*Retriever)(nil)} // NewRetriever refuses it
	}
	kind, _ := components.GetType(inner)
	info := &callbacks.RunInfo{Name: kind + string(components.ComponentOfRetriever), Type: kind, Component: components.ComponentOfRetriever}
	reports := components.IsCallbacksEnabled(inner)
	return Source{Name: name, Inner: inner, Find: func(ctx context.Context, query string, k int) ([]*schema.Document, error) {
		opts, _ := ctx.Value(optionsKey{}).([]retriever.Option)
		if k > 0 {
			opts = append(slices.Clip(opts), retriever.WithTopK(k))
		}
		own := *info // handlers may keep it
		ctx = callbacks.ReuseHandlers(ctx, &own)
		if !reports {
			ctx = callbacks.OnStart(ctx, query)
		}
		docs, err := inner.Retrieve(ctx, query, opts...)
		switch {
		case err != nil && !reports:
			callbacks.OnError(ctx, err)
		case err == nil && !reports:
			callbacks.OnEnd(ctx, docs)
		}
		if err == nil {
			err = checkDocuments(docs)
		}
		return docs, err
	}}
}

// optionsKey is where a context holds the options of the call for the sources.
type optionsKey struct{}

// Retrieve returns what is found, ranked, admitted and placed: a fresh slice, nil for nil. All
// options reach the sources; retriever.WithTopK(k) admits at most k in place of Config.TopK, 0
// leaves that as it is. The errors are those of pipeline.Run. core.Off asks no Reranker.
func (r *Retriever) Retrieve(ctx context.Context, query string, opts ...retriever.Option) ([]*schema.Document, error) {
	call := core.Call{Query: query}
	if len(opts) > 0 || ctx.Value(optionsKey{}) != nil {
		call.Arranger = retriever.GetImplSpecificOptions(&callOptions{}, opts...).arranger
		if k := retriever.GetCommonOptions(nil, opts...).TopK; k != nil {
			call.TopK = *k
		}
		ctx = context.WithValue(ctx, optionsKey{}, opts)
	}
	if !r.observed { // apart from report, which keeps the call on the heap
		return r.pipeline.Run(ctx, call)
	}
	return report(ctx, r.part, components.ComponentOfRetriever, call, &retriever.CallbackInput{Query: query, TopK: call.TopK}, r.pipeline.Run,
		func(docs []*schema.Document, extra map[string]any) callbacks.CallbackOutput {
			return &retriever.CallbackOutput{Docs: docs, Extra: extra}
		})
}

type callOptions struct{ arranger *core.Arranger }

// RetrieveWith uses a for one call in place of the Retriever's own settings; nil means
// those. Where a has no Observe, the Retriever's is called. Where a graph has several
// retrievers, designate it to a node.
func RetrieveWith(a *core.Arranger) retriever.Option {
	return retriever.WrapImplSpecificOptFn(func(o *callOptions) { o.arranger = a })
}
