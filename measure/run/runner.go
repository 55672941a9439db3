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
	model   model.Model // nil: what is answered is judged, and nothing else
	judging *judging    // nil: nothing is judged by asking
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
	begun    int              // calls
	open     map[int]struct{} // those of them that have not ended, by their numbers
	inARow   int              // failures

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

// keep journals a record, as a failure where its answer is too long for the journal. It
// returns what it wrote; a record without a key where it wrote nothing.
func (r *runner) keep(record journal.Record) journal.Record {
	if record.Key == "" {
		return record
	}
	err := r.journal.Append(record)
	if errors.Is(err, journal.ErrLimit) {
		record.Lost = record.Spent().Tokens()
		record.Answer, record.Score, record.Failure = nil, nil, journal.NewFailure(err)
		err = r.journal.Append(record)
	}
	if err != nil {
		r.stop(err, true)
		return journal.Record{}
	}
	return record
}

// begin numbers a task, which is open from then on.
func (r *runner) begin(t *task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.number = r.begun
	r.begun++
	r.open[t.number] = struct{}{}
	r.progress.Open = len(r.open)
}

// end says that a task is not open any more.
func (r *runner) end(t task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, t.number)
	r.progress.Open = len(r.open)
}

// finish counts a record and what it took, and tells about it.
func (r *runner) finish(t task, record journal.Record, spent journal.Spent) {
	defer func() {
		select {
		case r.ended <- struct{}{}:
		default:
		}
	}()
	r.telling.Lock()
	defer r.telling.Unlock()
	r.end(t)
	r.mu.Lock()
	r.progress.Spent.Add(spent)
	switch {
	case record.Key == "":
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
	r.progress.Cost = r.purse.cost(r.progress.Spent)
}
