package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// Run makes every call of the source that the journal has no answer to, in order,
// as many at once as the limits allow, and writes down each as it ends.
//
// A call ends as an answer or, after its retries, as a failure; both are counted
// and journaled, and a failure is no error of Run. A journaled answer is never asked
// for again; where the model is a Judged, so is a score. So after a run was stopped, by
// its process being killed, too, the same call of Run makes what is missing and what
// failed, and nothing else: at most the calls that were open are repeated.
//
// As long as fewer than 1,000 calls were begun, none begins while the oldest open one is
// 100 calls behind, or twice limits.Concurrency where that is more: one answer that is
// long in coming does not let a run go on that the source would have ended.
//
// Run returns early, with the Progress so far, for a *CapError (what is open ends
// first), a *FailuresError (likewise), a *LaterError (likewise, but nothing waits for
// its turn or for another attempt), the error of ctx, whose end interrupts what
// is open, a *journal.Error, as on a full disk, and an error of the source. Faults
// of the limits are *core.ConfigErrors, joined. It returns only after all its
// goroutines have ended. Two runs must not share a journal at one time.
//
// Beside waiting for the model it costs the building of every call, finished ones
// included, since only that tells their keys, and one write an answer. It holds
// the keys of the calls, and the prompts of the open ones.
func Run(ctx context.Context, source Source, model model.Model, journal *journal.Journal, limits Limits) (Progress, error) {
	return run(ctx, source, model, journal, limits, wallClock(), rand.Float64)
}

func run(ctx context.Context, source Source, m model.Model, journal *journal.Journal, limits Limits, clock clock, luck func() float64) (Progress, error) {
	judged, _ := m.(Judged)
	limits, err := limits.withDefaults(judged.Prices)
	if err != nil {
		return Progress{}, err
	}
	if err := ctx.Err(); err != nil {
		return Progress{Calls: source.Len()}, err
	}
	if err := journal.Describe(source.Manifest()); err != nil {
		return Progress{Calls: source.Len()}, err
	}
	judging, err := newJudging(m, journal)
	if err != nil {
		return Progress{Calls: source.Len()}, err
	}
	if judging != nil {
		m = judging.Model
	}
	inner, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	patient, quit := context.WithCancelCause(inner)
	defer quit(nil)
	r := &runner{
		model: m, judging: judging, journal: journal, limits: limits, clock: clock, luck: luck,
		purse:    newPurse(limits, judged.Prices, journal.Spent()),
		gate:     gate{clock: clock, requests: perMinute(limits.RequestsPerMinute), tokens: perMinute(limits.TokensPerMinute)},
		open:     map[int]struct{}{},
		halt:     make(chan struct{}),
		ended:    make(chan struct{}, 1),
		progress: Progress{Calls: source.Len()},
		started:  clock.now(), interrupt: interrupt, quit: quit,
	}
	work := make(chan task)
	var workers sync.WaitGroup
	for range min(limits.Concurrency, max(source.Len(), 1)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for t := range work {
				r.do(inner, patient, t)
			}
		}()
	}
	r.dispatch(inner, source, work)
	close(work)
	workers.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.measure()
	if r.err == nil {
		r.err = ctx.Err()
		if r.progress.Left() == 0 {
			r.err = nil
		}
	}
	return r.progress, r.err
}

// task is a call that is to be made, or one whose answer is to be judged.
type task struct {
	number   int // of those that this run began, from 0
	call     model.Call
	reserved journal.Spent   // by the purse
	answered *journal.Record // nil: not yet
}

// do makes a call, has its answer judged, and writes both down.
func (r *runner) do(ctx, patient context.Context, t task) {
	var record journal.Record
	spent := journal.Spent{}
	if t.answered != nil {
		record = *t.answered
	} else {
		record = r.keep(r.ask(ctx, patient, t.call, journal.RecordOf(t.call)))
		spent = record.Spent()
	}
	if r.judging != nil && record.Answer != nil {
		judgement := r.judge(ctx, patient, t.call, record)
		spent.Add(judgement.Spent())
		if record = record.WithJudgement(judgement); judgement.Key == "" {
			record.Key = ""
		}
	}
	r.finish(t, record, spent)
}

// build builds a call, waiting for those that it depends on.
func (r *runner) build(ctx context.Context, source Source, i int) (model.Call, error) {
	for {
		r.telling.Lock() // so that every call that is not open has been told of
		r.mu.Lock()
		open, tooFar := len(r.open), r.tooFarAhead()
		r.mu.Unlock()
		r.telling.Unlock()
		call, err := model.Call{}, ErrWait
		if !tooFar {
			call, err = source.Call(i)
		}
		switch {
		case !errors.Is(err, ErrWait):
			return call, err
		case open == 0 && r.model == nil: // it depends on calls that nobody makes
			return call, errStopped
		case open == 0: // nothing that is open can change it
			return call, err
		}
		select {
		case <-r.ended:
		case <-r.halt:
			return call, errStopped
		case <-ctx.Done():
			return call, errStopped
		}
	}
}

// Up to early calls a run stays close to its oldest open one.
const (
	early  = 1000
	window = 100 // or twice as many as are open at once
)

// tooFarAhead says whether the oldest open call has to end before the next one begins.
func (r *runner) tooFarAhead() bool {
	if r.begun >= early {
		return false
	}
	for number := range r.open {
		if r.begun-number >= max(window, 2*r.limits.Concurrency) {
			return true
		}
	}
	return false
}

// errStopped is what build returns where the run ends while it waits.
var errStopped = errors.New("the run ends")

// dispatch builds the calls in order and hands out those that are not known.
func (r *runner) dispatch(ctx context.Context, source Source, work chan<- task) {
	begun := map[string]struct{}{}
	for i := range source.Len() {
		select { // one of several ready cases would be chosen at random below
		case <-ctx.Done():
			return
		case <-r.halt:
			return
		default:
		}
		call, err := r.build(ctx, source, i)
		switch {
		case errors.Is(err, errStopped):
			return
		case errors.Is(err, ErrEnough):
			r.mu.Lock()
			r.progress.Enough = true
			r.mu.Unlock()
			return
		case errors.Is(err, ErrSkip):
			r.mu.Lock()
			r.progress.Skipped++
			r.mu.Unlock()
			continue
		}
		if err != nil {
			r.stop(fmt.Errorf("bookend: call %d cannot be built: %w", i, err), true)
			return
		}
		if _, twice := begun[call.Key]; twice {
			r.mu.Lock()
			r.progress.Calls--
			r.mu.Unlock()
			continue
		}
		begun[call.Key] = struct{}{}
		answered, unjudged := r.known(call.Key)
		if !answered && r.model == nil {
			continue
		}
		if answered && unjudged == nil {
			r.mu.Lock()
			r.progress.Known++
			r.mu.Unlock()
			continue
		}
		t := task{call: call, answered: unjudged}
		if unjudged == nil {
			t.reserved = most(call, false)
			if err := r.purse.await(t.reserved); err != nil {
				r.stop(err, false)
				return
			}
		}
		r.begin(&t)
		select {
		case work <- t:
			continue
		case <-ctx.Done():
		case <-r.halt:
		}
		if unjudged == nil {
			r.purse.settle(t.reserved, journal.Spent{})
		}
		r.end(t)
		return
	}
}
