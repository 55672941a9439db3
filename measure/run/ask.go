package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// most is what one attempt may use, of a model or of its judge.
func most(call model.Call, judges bool) journal.Spent {
	usage := model.Usage{Prompt: call.Tokens, Completion: call.MaxTokens}
	if judges {
		return journal.Spent{Requests: 1, Judge: usage}
	}
	return journal.Spent{Requests: 1, Usage: usage}
}

// ask makes one call, which the purse has room for, until it ends: asking as long as
// ctx lasts, waiting as long as patient does. It fills in the record, which says what is
// asked. A record without a key is one that was interrupted.
func (r *runner) ask(ctx, patient context.Context, call model.Call, record journal.Record) journal.Record {
	record.Estimated = call.Tokens
	most := most(call, record.Of != "")
	expected := most.Tokens()
	reserved := true
	release := func() {
		if reserved {
			r.purse.settle(most, journal.Spent{})
		}
	}
	for {
		if err := r.gate.pass(patient, expected); err != nil {
			release()
			return journal.Record{}
		}
		record.Attempts++
		begun := r.clock.now()
		var answer model.Answer
		var err error
		if record.Of == "" {
			answer, err = r.attempt(ctx, call)
		} else {
			answer, record.Score, err = r.grade(ctx, call)
		}
		ended := r.clock.now()
		record.Time, record.Seconds = ended.UTC(), ended.Sub(begun).Seconds()
		used := journal.Record{Of: record.Of, Attempts: 1, Estimated: call.Tokens} // by this attempt
		if err == nil {
			record.Answer, used.Answer = &answer, &answer
		} else if mayBeCharged(err) {
			record.Lost += call.Tokens
			used.Lost = call.Tokens
		}
		r.purse.settle(most, used.Spent())
		r.gate.correct(expected, used.Spent().Tokens())
		reserved = false
		if err == nil {
			return record
		}
		if ctx.Err() != nil {
			return journal.Record{}
		}
		record.Failure = failureOf(err, call.Prompt, record.Of != "")
		wait, again := r.patience(err, record.Attempts)
		if !again {
			return record
		}
		// It must not wait for the others: they might all be waiting like this.
		if err := r.purse.reserve(most); err != nil {
			r.stop(err, false)
			return record
		}
		reserved = true
		r.mu.Lock()
		r.progress.Retries++
		r.mu.Unlock()
		r.tellRepeating(*record.Failure, wait)
		if err := r.clock.sleep(patient, wait); err != nil {
			release()
			return journal.Record{}
		}
		record.Failure = nil
	}
}

// failureOf is what is written down of an error of a model, or of its judge.
func failureOf(err error, asked model.Prompt, judges bool) *journal.Failure {
	if e := (*model.Error)(nil); judges && errors.As(err, &e) && e.Status == 0 && e.Err != nil {
		err = e.Err // no server and no model of the experiment
	}
	f := journal.NewFailure(err).WithoutEcho(asked)
	if f.Judge = judges; judges {
		f.Message = "the judge failed: " + strings.TrimPrefix(f.Message, "bookend: ")
	}
	return f
}

// attempt asks once. Where its own timeout has ended it, and not the run, the error is
// a *model.Error with which the call is repeated, whatever the model makes of the end
// of its context.
func (r *runner) attempt(ctx context.Context, call model.Call) (model.Answer, error) {
	once := model.WithCall(ctx, call)
	if r.limits.Timeout > 0 {
		var cancel context.CancelFunc
		once, cancel = context.WithTimeout(once, r.limits.Timeout)
		defer cancel()
	}
	answer, err := r.model.Ask(once, call.Prompt)
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if ended && once.Err() != nil && ctx.Err() == nil {
		timeout := &model.Error{Err: fmt.Errorf("no full answer in time: waited %v", r.limits.Timeout)}
		if e := (*model.Error)(nil); errors.As(err, &e) {
			timeout.Status = e.Status
		}
		err = timeout
	}
	return answer, err
}

// grade asks the judge once, which ends in a time of its own. A score that is none is an
// error.
func (r *runner) grade(ctx context.Context, call model.Call) (model.Answer, *float64, error) {
	score, words, err := r.judging.Grader.Grade(model.WithCall(ctx, call), call.Prompt)
	if err == nil && !(score >= 0 && score <= 1) {
		err = &model.Error{Permanent: true, Err: &judge.ScoreError{Scorer: r.judging.by.String(), Value: score}}
	}
	if err != nil {
		return words, nil, err
	}
	return words, &score, nil
}

// patience says whether a failed attempt is repeated, and after how long. What the
// server asks for holds back the other calls even when this one is not repeated, and
// ends the run where it is longer than anyone waits for.
func (r *runner) patience(err error, attempts int) (wait time.Duration, again bool) {
	wait, again = r.limits.backoff(attempts, r.luck()), model.Retryable(err) && attempts <= r.limits.Retries
	e := (*model.Error)(nil)
	if !errors.As(err, &e) || e.RetryAfter <= 0 {
		return wait, again
	}
	if e.RetryAfter > maxRetryAfter {
		late := &LaterError{Wait: e.RetryAfter, Until: r.clock.now().Add(e.RetryAfter), Last: *journal.NewFailure(err)}
		r.stop(late, false)
		r.quit(late)
		return 0, false
	}
	r.gate.closeFor(e.RetryAfter)
	return e.RetryAfter, again
}

// mayBeCharged says that the server may have worked although no answer came: there
// is no status, or one that promises an answer.
func mayBeCharged(err error) bool {
	e := (*model.Error)(nil)
	return !errors.As(err, &e) || e.Status == 0 || e.Status >= 200 && e.Status < 300
}
