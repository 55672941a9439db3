package langchaingo

import (
	"context"
	"errors"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
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
	inner     func(k int) schema.Retriever // k is 0 but for NewOverFetching
	topK      int                          // to over-fetch by where a Select knows none; 0: no over-fetch
	overFetch int
	arranger  *core.Arranger
	reranker  *rank.Reranker
	callbacks callbacks.Handler
}

// NewRetriever wraps inner. Every fault comes at once, joined: those of the
// options, and a *core.ConfigError for an inner retriever that is nil or is a
// *Retriever itself, since a second placement on top of the first puts rank 2 in
// the middle.
func NewRetriever(inner schema.Retriever, opts ...Option) (*Retriever, error) {
	return newRetriever(inner, func(int) schema.Retriever { return inner }, opts)
}

// NewOverFetching wraps the retriever that open returns for k documents, and asks
// it for overFetch times as many as may be admitted: core.Config.TopK, which has to
// be set, or that of what a Select returns for the call. So duplicates and weak ones
// can be left out, and a reranker can find what the retriever ranked low. langchaingo's
// retrievers take their number when they are made, which is cheap; open is called once
// here and once for each call:
//
//	open := func(k int) schema.Retriever { return vectorstores.ToRetriever(store, k) }
//	r, err := bookend.NewOverFetching(open, 4, bookend.WithConfig(core.Config{TopK: 5}))
//
// The errors are those of NewRetriever, and *core.ConfigError for an overFetch below 1
// and a TopK of 0.
func NewOverFetching(open func(k int) schema.Retriever, overFetch int, opts ...Option) (*Retriever, error) {
	var faults []error
	if overFetch < 1 {
		faults = append(faults, &core.ConfigError{Field: "overFetch", Value: overFetch, Rule: "must be 1 (none) or more"})
	}
	if open == nil {
		return nil, errors.Join(append(faults, checkInner(nil))...)
	}
	topK := settingsOf(opts).config.TopK
	if topK <= 0 {
		faults = append(faults, &core.ConfigError{Field: "TopK", Value: topK, Rule: "over-fetching needs the number of documents that may be admitted: 1 or more"})
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	r, err := newRetriever(open(product(topK, overFetch)), open, opts)
	if err != nil {
		return nil, err
	}
	r.topK, r.overFetch = topK, overFetch
	return r, nil
}

func newRetriever(inner schema.Retriever, open func(int) schema.Retriever, opts []Option) (*Retriever, error) {
	s, arranger, err := build(opts, checkInner(inner))
	if err := errors.Join(err, s.reranker.Check()); err != nil {
		return nil, err
	}
	_, fused := inner.(*Fusion)
	if err := arranger.CheckRanking(fused, s.reranker != nil); err != nil {
		return nil, err
	}
	return &Retriever{inner: open, arranger: arranger, reranker: s.reranker, callbacks: s.callbacks}, nil
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

// product multiplies without wrapping around.
func product(k, n int) int { return min(k, math.MaxInt/n) * n }

// GetRelevantDocuments returns what the inner retriever finds, ranked, admitted
// and placed: a fresh slice, nil for nil. An error of the inner retriever is
// returned as it is; the others are those of core.Transform, and of rank.Rerank where
// there is a reranker. core.Off asks no reranker.
func (r *Retriever) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	if r.callbacks != nil {
		r.callbacks.HandleRetrieverStart(ctx, query)
	}
	a := r.arranger.For(ctx)
	docs, opts, err := r.retrieve(ctx, a, query)
	if err != nil {
		return nil, err
	}
	if !a.IsOff() {
		reranked, err := rank.Rerank(ctx, r.reranker, view, query, docs)
		if err != nil {
			return nil, err
		}
		opts = append(opts, reranked)
	}
	placed, err := core.Transform(ctx, a, docs, view, append(opts, core.ForQuery(query))...)
	if err != nil {
		return nil, err
	}
	if r.callbacks != nil {
		r.callbacks.HandleRetrieverEnd(ctx, query, placed)
	}
	return placed, nil
}

// retrieve asks the inner retriever, and tells how a fusion ranked.
func (r *Retriever) retrieve(ctx context.Context, a *core.Arranger, query string) ([]schema.Document, []core.CallOption, error) {
	inner := r.inner(r.fetch(a))
	if err := checkInner(inner); err != nil {
		return nil, nil, err
	}
	if f, ok := inner.(*Fusion); ok {
		fused, err := f.retrieve(ctx, query)
		return fused.Docs, fused.Options(), err
	}
	docs, err := inner.GetRelevantDocuments(ctx, query)
	return docs, nil, err
}

// fetch returns how many documents to ask for.
func (r *Retriever) fetch(a *core.Arranger) int {
	switch k := a.Config().TopK; {
	case r.topK == 0:
		return 0
	case a.IsOff():
		return r.topK
	case k > 0:
		return product(k, r.overFetch)
	}
	return product(r.topK, r.overFetch)
}
