package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

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

	halt      chan struct{}           // closed: nothing new begins
	ended     chan struct{}           // a call ended since somebody waited
	interrupt context.CancelCauseFunc // ends what is open
	quit      context.CancelCauseFunc // ends what waits

	mu       sync.Mutex
	err      error // the first that ends the run
	progress Progress
	inARow   int // failures

	telling sync.Mutex // Progress and Repeating are told by one at a time, in order
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

// finish journals a record, counts it and tells about it.
func (r *runner) finish(record journal.Record) {
	defer func() {
		select {
		case r.ended <- struct{}{}:
		default:
		}
	}()
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

func (r *runner) tellRepeating(why journal.Failure, wait time.Duration) {
	if r.limits.Repeating == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.limits.Repeating(why, wait)
}

func (r *runner) measure() {
	r.progress.Elapsed = r.clock.now().Sub(r.started)
	r.progress.Cost = r.limits.Prices.Cost(r.progress.Spent.Usage)
}
