package eino

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

var (
	_ retriever.Retriever = (*Retriever)(nil)
	_ components.Typer    = (*Retriever)(nil)
)

// RetrieverConfig is the configuration of a Retriever.
type RetrieverConfig struct {
	// Retriever is the inner retriever; it is required.
	Retriever retriever.Retriever
	// Config says how its documents are ranked, admitted and placed.
	Config core.Config
	// Reranker ranks what was found by a model that sees the query, before anything is
	// left out or placed. The documents and their metadata stay as they are. A
	// Threshold then needs core.Config.ThresholdBy. nil: none.
	Reranker *rank.Reranker
	// OverFetch asks the inner retriever for that many times the documents that
	// may be admitted, so that duplicates and weak ones can be left out, and a Reranker
	// can find what was ranked low. It acts where a top-k is known, from the call or from Config. 0 and 1 leave the
	// caller's options untouched.
	OverFetch int
}

// Retriever asks another retriever and places what it returns. It is immutable
// and as safe for concurrent use as the inner one.
//
// A graph reports the Retriever with the placed documents; the Retriever reports
// the inner one with the ranked documents, unless that reports by itself. So each
// is reported once, errors too.
type Retriever struct {
	inner     retriever.Retriever
	arranger  *core.Arranger
	reranker  *rank.Reranker
	observe   func(context.Context, core.Event)
	overFetch int
}

// NewRetriever wraps config.Retriever. Every fault comes at once, joined: those
// of config.Config, and a *core.ConfigError for a nil config, an inner retriever
// that is nil or a *Retriever itself, a Reranker without a Scorer, and a negative
// OverFetch.
func NewRetriever(_ context.Context, config *RetrieverConfig) (*Retriever, error) {
	if config == nil {
		config = &RetrieverConfig{}
	}
	arranger, err := core.New(config.Config)
	if err := errors.Join(checkInner(config.Retriever), checkOverFetch(config.OverFetch), config.Reranker.Check(), err); err != nil {
		return nil, err
	}
	_, fused := config.Retriever.(*Fusion)
	if err := arranger.CheckRanking(fused, config.Reranker != nil); err != nil {
		return nil, err
	}
	r := &Retriever{inner: config.Retriever, arranger: arranger, observe: config.Config.Observe, overFetch: max(config.OverFetch, 1)}
	if config.Reranker != nil {
		reranker := *config.Reranker
		r.reranker = &reranker
	}
	return r, nil
}

func checkInner(inner retriever.Retriever) error {
	switch inner.(type) {
	case nil:
		return &core.ConfigError{Field: "Retriever", Value: "nil", Rule: "set the retriever whose documents are to be placed"}
	case *Retriever:
		return &core.ConfigError{Field: "Retriever", Value: "a Bookend retriever", Rule: "place once, outermost: set the retriever that it wraps"}
	}
	return nil
}

func checkOverFetch(n int) error {
	if n < 0 {
		return &core.ConfigError{Field: "OverFetch", Value: n, Rule: "must be 0 or 1 (none) or more"}
	}
	return nil
}

// Retrieve returns what the inner retriever finds, ranked, admitted and placed: a
// fresh slice, nil for nil. retriever.WithTopK(k) admits at most k in place of
// Config.TopK; 0 leaves that as it is, a negative k is a *core.ConfigError. All
// options reach the inner retriever. Its error is returned as it is; a nil
// document is a *core.DocumentError; the others are those of core.Transform, and of
// rank.Rerank where there is a Reranker. core.Off asks no Reranker.
func (r *Retriever) Retrieve(ctx context.Context, query string, opts ...retriever.Option) ([]*schema.Document, error) {
	a := retriever.GetImplSpecificOptions(&retrieveOptions{r.arranger}, opts...).arranger.For(ctx)
	asked := 0
	if k := retriever.GetCommonOptions(nil, opts...).TopK; k != nil {
		asked = *k
	}
	if asked < 0 {
		return nil, &core.ConfigError{Field: "WithTopK", Value: asked, Rule: "must be 0 (the configured TopK) or more"}
	}
	docs, ranked, err := retrieve(ctx, r.inner, query, r.fetch(a, asked, opts))
	if err != nil {
		return nil, err
	}
	if err := checkDocuments(docs); err != nil {
		return nil, err
	}
	if !a.IsOff() {
		reranked, err := rank.Rerank(ctx, r.reranker, view, query, docs)
		if err != nil {
			return nil, err
		}
		ranked = append(ranked, reranked)
	}
	return transform(ctx, a, docs, append(ranked, core.ForQuery(query), core.AtMost(asked), core.Notify(r.unheard(a)))...)
}

// unheard returns the Retriever's Observe where a, chosen by RetrieveWith, has none.
func (r *Retriever) unheard(a *core.Arranger) func(context.Context, core.Event) {
	if a.Config().Observe != nil {
		return nil
	}
	return r.observe
}

// fetch returns the options for the inner retriever.
func (r *Retriever) fetch(a *core.Arranger, asked int, opts []retriever.Option) []retriever.Option {
	k := asked
	if k == 0 {
		k = a.Config().TopK
	}
	if r.overFetch == 1 || k == 0 || a.IsOff() {
		return opts
	}
	k = min(k, math.MaxInt/r.overFetch) * r.overFetch
	return append(slices.Clip(opts), retriever.WithTopK(k))
}

// retrieve asks a retriever under a run info of its own, and tells how a fusion ranked.
func retrieve(ctx context.Context, inner retriever.Retriever, query string, opts []retriever.Option) ([]*schema.Document, []core.CallOption, error) {
	kind, _ := components.GetType(inner)
	ctx = callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{
		Name:      kind + string(components.ComponentOfRetriever),
		Type:      kind,
		Component: components.ComponentOfRetriever,
	})
	if components.IsCallbacksEnabled(inner) {
		docs, err := inner.Retrieve(ctx, query, opts...)
		return docs, nil, err
	}
	ctx = callbacks.OnStart(ctx, query)
	var docs []*schema.Document
	var ranked []core.CallOption
	var err error
	if f, ok := inner.(*Fusion); ok {
		var fused rank.Fused[*schema.Document]
		fused, err = f.retrieve(ctx, query, opts)
		docs, ranked = fused.Docs, fused.Options()
	} else {
		docs, err = inner.Retrieve(ctx, query, opts...)
	}
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, nil, err
	}
	callbacks.OnEnd(ctx, docs)
	return docs, ranked, nil
}

// GetType returns "Bookend", the Type that eino's callbacks see.
func (r *Retriever) GetType() string { return "Bookend" }

type retrieveOptions struct{ arranger *core.Arranger }

// RetrieveWith uses a for one call in place of the Retriever's own settings; nil
// means those. Where a has no Observe, the Retriever's is called. Where a graph has several retrievers, designate it to a node.
func RetrieveWith(a *core.Arranger) retriever.Option {
	return retriever.WrapImplSpecificOptFn(func(o *retrieveOptions) {
		if a != nil {
			o.arranger = a
		}
	})
}
