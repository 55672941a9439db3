package core

import (
	"context"
	"slices"
	"sync"
)

// Trace remembers, for one request, how its documents were arranged, so that the
// code that holds the answer can resolve what the answer cites, however deep in a
// chain or a graph the prompt was laid out:
//
//	ctx, trace := core.WithTrace(ctx)
//	answer, err := chains.Run(ctx, chain, question)
//	for _, c := range prompt.Citations(answer, trace.Arrangement()) { … }
//
// It is safe for concurrent use. A Trace belongs to one request: make one for each.
type Trace struct {
	mutex sync.Mutex
	steps []step
}

// step is one arrangement, and where the documents that it placed went.
type step struct {
	arrangement Arrangement
	first       any // a pointer to the first placed document; nil where none was moved
	n           int
}

// maxSteps bounds what a Trace remembers: the latest steps.
const maxSteps = 64

type traceKey struct{}

// WithTrace returns a context whose calls are remembered by the Trace. A context
// that has one already gets another, which is told in its place.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := new(Trace)
	return context.WithValue(ctx, traceKey{}, t), t
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// Arrangement returns the latest arrangement of the request: that of the prompt,
// where Bookend laid it out. It is the zero Arrangement before anything was
// arranged. Its slices are a copy of the caller's own, who may change them.
func (t *Trace) Arrangement() Arrangement {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.steps) == 0 {
		return Arrangement{}
	}
	return t.steps[len(t.steps)-1].arrangement.clone()
}

// add remembers an arrangement. A nil Trace remembers nothing.
func (t *Trace) add(s step) {
	if t == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.steps) == maxSteps {
		t.steps = slices.Delete(t.steps, 0, 1)
	}
	s.arrangement = s.arrangement.clone()
	t.steps = append(t.steps, s)
}

// placing returns the arrangement by which the n documents from first on were placed.
func (t *Trace) placing(first any, n int) (Arrangement, bool) {
	if t == nil || n == 0 {
		return Arrangement{}, false
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, s := range slices.Backward(t.steps) {
		if s.first == first && s.n == n {
			return s.arrangement, true
		}
	}
	return Arrangement{}, false
}

// clone copies the lists of a; those of its stages are shared and read-only.
func (a Arrangement) clone() Arrangement {
	a.Slots, a.Dropped = slices.Clone(a.Slots), slices.Clone(a.Dropped)
	a.Stages, a.Notes = slices.Clone(a.Stages), slices.Clone(a.Notes)
	return a
}
