package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// Run makes every call of the source that the journal has no answer to, in order,
// as many at once as the limits allow, and writes down each as it ends.
//
// A call ends as an answer or, after its retries, as a failure; both are counted
// and journaled, and a failure is no error of Run. A journaled answer is never asked
// for again. So after a run was stopped, by its process being killed, too, the same
// call of Run makes what is missing and what failed, and nothing else: at most the
// calls that were open are repeated.
//
// Run returns early, with the Progress so far, for a *CapError (what is open ends
// first), a *FailuresError (likewise), the error of ctx, whose end interrupts what
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
	limits, err := limits.withDefaults()
	if err != nil {
		return Progress{}, err
	}
	if err := ctx.Err(); err != nil {
		return Progress{Calls: source.Len()}, err
	}
	if err := journal.Describe(source.Manifest()); err != nil {
		return Progress{Calls: source.Len()}, err
	}
	inner, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	r := &runner{
		model: m, journal: journal, limits: limits, clock: clock, luck: luck,
		purse:    newPurse(limits, journal.Spent()),
		gate:     gate{clock: clock, requests: perMinute(limits.RequestsPerMinute), tokens: perMinute(limits.TokensPerMinute)},
		halt:     make(chan struct{}),
		progress: Progress{Calls: source.Len()},
		started:  clock.now(), interrupt: interrupt,
	}
	work := make(chan model.Call)
	var workers sync.WaitGroup
	for range min(limits.Concurrency, max(source.Len(), 1)) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for call := range work {
				r.finish(r.ask(inner, call))
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

// runner is the state of one run.
type runner struct {
	model   model.Model
	journal *journal.Journal
	limits  Limits
	clock   clock
	luck    func() float64
	purse   *purse
	gate    gate
	started time.Time

	halt      chan struct{} // closed: nothing new begins
	interrupt context.CancelCauseFunc

	mu       sync.Mutex
	err      error // the first that ends the run
	progress Progress
	inARow   int // failures

	telling sync.Mutex // Progress is told by one at a time, in order
}

// stop ends the run: nothing new begins, and what is open is interrupted if asked.
func (r *runner) stop(err error, interrupt bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopLocked(err, interrupt)
}

func (r *runner) stopLocked(err error, interrupt bool) {
	if r.err == nil {
		r.err = err
		close(r.halt)
	}
	if interrupt {
		r.interrupt(err)
	}
}

// dispatch builds the calls in order and hands out those that are not known.
func (r *runner) dispatch(ctx context.Context, source Source, work chan<- model.Call) {
	begun := map[string]struct{}{}
	for i := range source.Len() {
		select { // one of several ready cases would be chosen at random below
		case <-ctx.Done():
			return
		case <-r.halt:
			return
		default:
		}
		call, err := source.Call(i)
		if errors.Is(err, ErrEnough) {
			return
		}
		if err != nil {
			r.stop(fmt.Errorf("bookend: call %d cannot be built: %w", i, err), true)
			return
		}
		_, twice := begun[call.Key]
		if twice || r.journal.Answered(call.Key) {
			r.mu.Lock()
			r.progress.Known++
			r.mu.Unlock()
			continue
		}
		begun[call.Key] = struct{}{}
		if err := r.purse.await(most(call)); err != nil {
			r.stop(err, false)
			return
		}
		r.mu.Lock()
		r.progress.Open++
		r.mu.Unlock()
		select {
		case work <- call:
			continue
		case <-ctx.Done():
		case <-r.halt:
		}
		r.purse.settle(most(call), journal.Spent{})
		r.mu.Lock()
		r.progress.Open--
		r.mu.Unlock()
		return
	}
}

// most is what one attempt may use.
func most(call model.Call) journal.Spent {
	return journal.Spent{Requests: 1, Usage: model.Usage{Prompt: call.Tokens, Completion: call.MaxTokens}}
}

// ask makes one call, which the purse has room for, until it ends. A record without
// a key is one that was interrupted.
func (r *runner) ask(ctx context.Context, call model.Call) journal.Record {
	record := journal.Record{
		Key: call.Key, Question: call.Question, Arm: call.Arm, Slot: call.Slot, Repeat: call.Repeat,
		Answers: call.Answers, Estimated: call.Tokens,
	}
	expected := call.Tokens + call.MaxTokens
	reserved := true
	release := func() {
		if reserved {
			r.purse.settle(most(call), journal.Spent{})
		}
	}
	for {
		if err := r.gate.pass(ctx, expected); err != nil {
			release()
			return journal.Record{}
		}
		record.Attempts++
		begun := r.clock.now()
		answer, err := r.attempt(ctx, call)
		ended := r.clock.now()
		record.Time, record.Seconds = ended.UTC(), ended.Sub(begun).Seconds()
		used := journal.Record{Attempts: 1, Estimated: call.Tokens} // by this attempt
		if err == nil {
			record.Answer, used.Answer = &answer, &answer
		} else if mayBeCharged(err) {
			record.Lost += call.Tokens
			used.Lost = call.Tokens
		}
		r.purse.settle(most(call), used.Spent())
		r.gate.correct(expected, used.Spent().Tokens())
		reserved = false
		if err == nil {
			return record
		}
		if ctx.Err() != nil {
			return journal.Record{}
		}
		record.Failure = journal.NewFailure(err)
		wait, again := r.patience(err, record.Attempts)
		if !again {
			return record
		}
		// It must not wait for the others: they might all be waiting like this.
		if err := r.purse.reserve(most(call)); err != nil {
			r.stop(err, false)
			return record
		}
		reserved = true
		r.mu.Lock()
		r.progress.Retries++
		r.mu.Unlock()
		if err := r.clock.sleep(ctx, wait); err != nil {
			release()
			return journal.Record{}
		}
		record.Failure = nil
	}
}

// attempt asks once.
func (r *runner) attempt(ctx context.Context, call model.Call) (model.Answer, error) {
	ctx = model.WithCall(ctx, call)
	if r.limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.limits.Timeout)
		defer cancel()
	}
	return r.model.Ask(ctx, call.Prompt)
}

// patience says whether a failed attempt is repeated, and after how long. What the
// server asks for holds back the other calls even when this one is not repeated.
func (r *runner) patience(err error, attempts int) (wait time.Duration, again bool) {
	wait, again = r.limits.backoff(attempts, r.luck()), model.Retryable(err) && attempts <= r.limits.Retries
	e := (*model.Error)(nil)
	if !errors.As(err, &e) || e.RetryAfter <= 0 {
		return wait, again
	}
	r.gate.closeFor(min(e.RetryAfter, maxRetryAfter))
	return e.RetryAfter, again && e.RetryAfter <= maxRetryAfter
}

// mayBeCharged says that the server may have worked although no answer came: there
// is no status, or one that promises an answer.
func mayBeCharged(err error) bool {
	e := (*model.Error)(nil)
	return !errors.As(err, &e) || e.Status == 0 || e.Status >= 200 && e.Status < 300
}

// finish journals a record, counts it and tells about it.
func (r *runner) finish(record journal.Record) {
	if record.Key == "" {
		r.mu.Lock()
		r.progress.Open--
		r.mu.Unlock()
		return
	}
	err := r.journal.Append(record)
	if errors.Is(err, journal.ErrLimit) { // an answer that is too long for the journal
		record.Lost = record.Spent().Tokens()
		record.Answer, record.Failure = nil, journal.NewFailure(err)
		err = r.journal.Append(record)
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.mu.Lock()
	r.progress.Open--
	switch {
	case err != nil:
		r.stopLocked(err, true)
		r.mu.Unlock()
		return
	case record.Answer != nil:
		r.progress.Answered++
		r.inARow = 0
	default:
		r.progress.Failed++
		r.inARow++
		if r.limits.MaxFailures > 0 && r.inARow >= r.limits.MaxFailures {
			r.stopLocked(&FailuresError{Failures: r.inARow, Last: *record.Failure}, false)
		}
	}
	r.progress.Spent.Add(record.Spent())
	r.progress.Last = record
	r.measure()
	told := r.progress
	r.mu.Unlock()
	if r.limits.Progress != nil {
		r.limits.Progress(told)
	}
}

func (r *runner) measure() {
	r.progress.Elapsed = r.clock.now().Sub(r.started)
	r.progress.Cost = r.limits.Prices.Cost(r.progress.Spent.Usage)
}
