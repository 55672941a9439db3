package run

import (
	"context"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Judged is a model whose answers Run has judged, each as soon as it is known: by
// Grader, within the same Limits. A judgement is journaled as a record of its own, next
// to the answer's, and is never asked for again; equal calls of the Grader share one.
// One that fails after its retries is a failure of the call, whose answer stays, and the
// next run asks the Grader alone. An answer without text is not judged: its score is 0.
//
// Without a Model only the answers that the journal has are judged, as after batch.Read.
type Judged struct {
	model.Model
	Grader judge.Grader
	Prices model.Prices // of the Grader
}

// judging is the state of the judging of one run.
type judging struct {
	Judged
	by judge.Description
	id string // of by
	// unjudged are the answers of earlier runs that the Grader has not judged, by key.
	unjudged map[string]journal.Record
	// asking has a lock for each call of the Grader, so that equal ones wait for the first.
	asking sync.Map
}

// newJudging returns nil where m is no Judged.
func newJudging(m model.Model, j *journal.Journal) (*judging, error) {
	judged, ok := m.(Judged)
	if !ok {
		return nil, nil
	}
	if judged.Grader == nil {
		return nil, &core.ConfigError{Field: "Judged.Grader", Value: judged.Grader, Rule: "must be a grader to ask: without one give the model alone"}
	}
	g := &judging{Judged: judged, by: judged.Grader.Describe(), unjudged: map[string]journal.Record{}}
	g.id = g.by.ID()
	_, err := journal.Read(j.Path(), func(r journal.Record) error {
		if r.Of == "" && r.Answer != nil && !j.Judged(g.id, r.Key) {
			g.unjudged[r.Key] = r
		}
		return nil
	})
	return g, err
}

// known says whether the journal has the answer of a call, and returns the record of it
// where it is to be judged.
func (r *runner) known(key string) (answered bool, unjudged *journal.Record) {
	if r.judging != nil {
		if record, ok := r.judging.unjudged[key]; ok {
			return true, &record
		}
	}
	return r.journal.Answered(key), nil
}

// judge asks for the score of an answer and writes it down. A record without a key is one
// that was interrupted, or that a cap forbids.
func (r *runner) judge(ctx, patient context.Context, call model.Call, answered journal.Record) journal.Record {
	g := r.judging
	record := journal.Record{
		Of: call.Key, By: g.id, Question: call.Question, Arm: call.Arm, Slot: call.Slot, Repeat: call.Repeat,
		Time: r.clock.now().UTC(),
	}
	text := g.by.Text(answered.Answer.Text)
	if text == "" {
		record.Key, record.Score = call.Key, new(float64)
		return r.keep(record)
	}
	ask, err := g.Grader.Call(judge.Query{Question: call.Asked, Documents: call.Shown, Answer: text, References: call.Answers})
	record.Key = ask.Key
	if err != nil {
		record.Key, record.Failure = call.Key, failureOf(err, call.Prompt, true)
		return r.keep(record)
	}
	lock, _ := g.asking.LoadOrStore(ask.Key, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	if score, known := r.journal.Score(ask.Key); known {
		record.Score = &score
		return r.keep(record)
	}
	// It must not wait for the others: they might all be waiting like this.
	if err := r.purse.reserve(most(ask, true)); err != nil {
		r.stop(err, false)
		return journal.Record{}
	}
	return r.keep(r.ask(ctx, patient, ask, record)) // before the next of the same key looks for it
}
