package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

// ask asks all sources at the same time and fuses their lists; see rank.Fuse.
//
// No source holds back the others: one that has not answered within its Timeout
// counts as failed. Unless the fusion keeps going, the first failure ends the contexts
// of the others and is returned, as a *SourceError; with it the call goes on with the
// lists that came, and fails, with all errors joined, when none did. The end of ctx
// ends everything, and its error is returned. A source that panics, or that ends its
// goroutine, has failed.
//
// A source that heeds its context leaves no goroutine behind. One that does not is
// not waited for: its goroutine ends when it returns.
func (p *Pipeline[E]) ask(ctx context.Context, query string, k int) (rank.Fused[E], error) {
	if len(p.sources) == 0 {
		return rank.Fused[E]{}, errNoSources
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asked := make([]pending[E], len(p.sources))
	for i, s := range p.sources {
		asked[i] = start(running, s, query, k, func(err error) {
			if !p.fusion.KeepGoing {
				stop(err)
			}
		})
	}
	lists := make([]rank.List[E], 0, len(p.sources))
	failed := make([]*SourceError, len(p.sources))
	var failures []error
	for i, s := range p.sources {
		docs, failure := asked[i].wait()
		if failure != nil && !p.fusion.KeepGoing {
			stop(failure) // a first failure stays the cause
		}
		switch {
		case ctx.Err() != nil:
			return rank.Fused[E]{}, ctx.Err()
		case failure == nil:
			lists = append(lists, rank.List[E]{Name: s.Name, Weight: s.Weight, Docs: docs})
		case !p.fusion.KeepGoing:
			return rank.Fused[E]{}, context.Cause(running)
		default:
			failed[i], failures = failure, append(failures, failure)
		}
	}
	if len(lists) == 0 {
		return rank.Fused[E]{}, errors.Join(failures...)
	}
	fused, err := rank.Fuse(p.fusion, p.view, lists...)
	if err != nil || len(failures) == 0 {
		return fused, err
	}
	fused.Stages = withFailed(fused.Stages, failed)
	return fused, nil
}

var errNoSources = &core.ConfigError{Field: "Sources", Rule: "set what finds documents, or pass them to Place"}

// withFailed puts a stage for each source that failed among those of the lists that
// came, which stand in the order of the sources before that of the fusion.
func withFailed(came []core.Stage, failed []*SourceError) []core.Stage {
	stages := make([]core.Stage, 0, len(failed)+1)
	for _, failure := range failed {
		if failure != nil {
			stages = append(stages, core.Stage{Name: failure.Source, Failure: rank.FailureCode(failure.Err)})
			continue
		}
		stages, came = append(stages, came[0]), came[1:]
	}
	return append(stages, came...)
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
func start[E any](ctx context.Context, s Source[E], query string, k int, failed func(error)) pending[E] {
	cancel := func() {}
	if s.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.Timeout)
	}
	p := pending[E]{s.Name, ctx, make(chan answer[E], 1)}
	go func() {
		var a answer[E]
		defer func() { // also where Find panics, or calls runtime.Goexit
			if cause := recover(); cause != nil {
				a.err = &endedError{fmt.Sprintf("it panicked: %v", cause), "panic"}
			}
			p.answer <- a // before cancel, so that wait finds it
			if a.err != nil {
				failed(&SourceError{s.Name, a.err})
			}
			cancel()
		}()
		if a.err = ctx.Err(); a.err == nil { // a source before may have ended it
			a.err = &endedError{"it ended its goroutine", "ended"}
			a.docs, a.err = s.Find(ctx, query, k)
		}
	}()
	return p
}

// endedError says how a source ended that did not return.
type endedError struct{ text, code string }

func (e *endedError) Error() string   { return e.text }
func (e *endedError) Summary() string { return e.code }

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
