package rank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// Source is one of several retrievers that Retrieve asks.
type Source[E any] struct {
	// Name is what the arrangement and errors call it. Empty: "list 1" and so on.
	Name string
	// Weight multiplies what its list counts in the fusion; 0 means 1.
	Weight float64
	// Timeout bounds its answer; 0 leaves that to the caller's context.
	Timeout time.Duration
	// Retrieve returns documents best first. It should return soon after ctx ends.
	Retrieve func(ctx context.Context, query string) ([]E, error)
}

// SourceError says which source of a fusion failed. One that took longer than its
// Timeout failed with context.DeadlineExceeded.
type SourceError struct {
	Source string
	Err    error
}

// Error names the source and gives its error.
func (e *SourceError) Error() string {
	return fmt.Sprintf("bookend: retriever %q failed: %v", e.Source, e.Err)
}

// Unwrap returns the source's own error.
func (e *SourceError) Unwrap() error { return e.Err }

// CheckSources returns every fault of f and of the sources, joined, as Retrieve
// does: *core.ConfigError.
func CheckSources[E any](f Fusion, sources ...Source[E]) error {
	weights := make([]float64, len(sources))
	for i, s := range sources {
		weights[i] = s.Weight
	}
	faults := f.check(weights)
	if len(sources) == 0 {
		faults = append(faults, &core.ConfigError{Field: "sources", Value: "empty", Rule: "pass the retrievers whose lists are to be fused"})
	}
	for i, s := range sources {
		if s.Retrieve == nil {
			faults = append(faults, &core.ConfigError{Field: fmt.Sprintf("Retrieve of source %d", i+1), Value: "nil", Rule: "set what finds documents"})
		}
		if s.Timeout < 0 {
			faults = append(faults, &core.ConfigError{Field: fmt.Sprintf("Timeout of source %d", i+1), Value: s.Timeout, Rule: "must be 0 (none) or more"})
		}
	}
	return errors.Join(faults...)
}

// Retrieve asks all sources at the same time and fuses their lists; see Fuse.
//
// No source holds back the others: one that has not answered within its Timeout
// counts as failed. Unless f.KeepGoing, the first failure ends the contexts of the
// others and is returned, as a *SourceError; with it the call goes on with the lists
// that came, and fails, with all errors joined, when none did. The end of ctx ends
// everything, and its error is returned. A panic in a source is its failure.
//
// A source that heeds its context leaves no goroutine behind. One that does not is
// not waited for: its goroutine ends when it returns.
func Retrieve[E any](ctx context.Context, f Fusion, v *core.View[E], query string, sources ...Source[E]) (Fused[E], error) {
	if err := CheckSources(f, sources...); err != nil {
		return Fused[E]{}, err
	}
	if err := ctx.Err(); err != nil {
		return Fused[E]{}, err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asked := make([]pending[E], len(sources))
	for i, s := range sources {
		if s.Name == "" {
			s.Name = fmt.Sprintf("list %d", i+1)
		}
		asked[i] = start(running, s, query, func(err error) {
			if !f.KeepGoing {
				stop(err)
			}
		})
	}
	lists := make([]List[E], 0, len(sources))
	var missing []*SourceError
	var failures []error
	for i, s := range sources {
		docs, failure := asked[i].wait()
		switch {
		case ctx.Err() != nil:
			return Fused[E]{}, ctx.Err()
		case failure == nil:
			lists = append(lists, List[E]{Name: asked[i].name, Weight: s.Weight, Docs: docs})
			continue
		case !f.KeepGoing:
			stop(failure) // a first failure stays the cause
			return Fused[E]{}, context.Cause(running)
		}
		missing, failures = append(missing, failure), append(failures, failure)
	}
	if len(lists) == 0 {
		return Fused[E]{}, errors.Join(failures...)
	}
	fused, err := Fuse(f, v, lists...)
	fused.Missing = missing
	return fused, err
}

// pending is the answer of one source that is still to come.
type pending[E any] struct {
	name   string
	ctx    context.Context // ends with the source's time
	answer chan answer[E]
}

type answer[E any] struct {
	docs []E
	err  error
}

// start asks s in a goroutine of its own, and calls failed when that fails.
func start[E any](ctx context.Context, s Source[E], query string, failed func(error)) pending[E] {
	cancel := func() {}
	if s.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	p := pending[E]{s.Name, ctx, make(chan answer[E], 1)}
	go func() {
		defer cancel()
		docs, err := retrieve(ctx, s, query)
		p.answer <- answer[E]{docs, err} // before cancel, so that wait finds it
		if err != nil {
			failed(&SourceError{s.Name, err})
		}
	}()
	return p
}

func retrieve[E any](ctx context.Context, s Source[E], query string) (docs []E, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return s.Retrieve(ctx, query)
}

// wait returns what the source answered, or its failure once its time is over.
func (p pending[E]) wait() ([]E, *SourceError) {
	var a answer[E]
	select {
	case a = <-p.answer:
	case <-p.ctx.Done():
		select {
		case a = <-p.answer:
		default:
			a.err = p.ctx.Err()
		}
	}
	if a.err != nil {
		return nil, &SourceError{p.name, a.err}
	}
	return a.docs, nil
}
