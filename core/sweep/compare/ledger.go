package compare

import (
	"time"

	"github.com/bookend-rag/bookend/core/sweep"
)

// Question is what a journal notes of a question, under its ID, so that a report
// needs no data.
type Question struct {
	Documents int             `json:"documents"`
	Gold      int             `json:"gold"`  // the rank of the best document with the answer, from 0; -1: none has it
	Golds     int             `json:"golds"` // how many have it
	Cells     map[string]Cell `json:"cells"` // by the name of the arm
}

// Cell is one arm of a question.
type Cell struct {
	Key    string `json:"key"`    // of the call; arms of one prompt share it
	Slot   int    `json:"slot"`   // where the answer's document stands; sweep.NoSlot: nowhere
	Size   int    `json:"size"`   // of the prompt, in bytes
	Prefix int    `json:"prefix"` // in how many bytes it begins like the baseline's
}

// Unanswered says what a failed or refused call does to its question.
type Unanswered string

// The rules for failed and refused calls. Refused is a call whose answer ended for
// that reason, by the server's word; "I don't know" is an answer.
const (
	// Drop, the default, removes the question from every arm.
	Drop Unanswered = "drop"
	// Wrong lets the arm that failed or refused be wrong in that question.
	Wrong Unanswered = "wrong"
)

// outcome is what is known of a call.
type outcome struct {
	state  state
	scores sweep.Scores
	class  sweep.AnswerClass
	// refused says that the server gave a refusal as the reason of the answer's end.
	// Words of refusal, as "I don't know", are an answer like any other.
	refused bool
	usage   sweep.Usage
}

type state byte

const (
	missing state = iota
	failed
	answered
)

// ledger brings questions and records together, in any order.
type ledger struct {
	described Described
	judging   sweep.Judging
	arms      []ArmInfo
	order     []string // the IDs of the noted questions, in the order of their first note
	questions map[string]Question
	outcomes  map[string]outcome // by key
	last      time.Time
}

func newLedger(d Described, j sweep.Judging) *ledger {
	return &ledger{
		described: d, judging: j, arms: d.Arms,
		questions: map[string]Question{}, outcomes: map[string]outcome{},
	}
}

// note takes a question in; a later note of one ID replaces an earlier one.
func (l *ledger) note(id string, q Question) {
	if _, known := l.questions[id]; !known {
		l.order = append(l.order, id)
	}
	l.questions[id] = q
}

// add takes a record in: a later one replaces a failure, and an answer stays.
func (l *ledger) add(r sweep.Record) error {
	if r.Key == "" || (r.Answer != nil) == (r.Failure != nil) || l.outcomes[r.Key].state == answered {
		return nil
	}
	if r.Time.After(l.last) {
		l.last = r.Time
	}
	if r.Failure != nil {
		l.outcomes[r.Key] = outcome{state: failed}
		return nil
	}
	scores, err := sweep.Score(l.judging.Scorer, r.Answer.Text, r.Answers)
	if err != nil {
		return err
	}
	l.outcomes[r.Key] = outcome{
		state: answered, scores: scores, class: sweep.Classify(r.Answer.Text, r.Answer.FinishReason),
		refused: sweep.Classify("", r.Answer.FinishReason).Refusal, usage: r.Answer.Usage,
	}
	return nil
}

// of returns what is known of an arm in a question.
func (l *ledger) of(q Question, arm string) outcome { return l.outcomes[q.Cells[arm].Key] }

// right says whether an outcome counts as right.
func (l *ledger) right(o outcome) bool {
	return o.state == answered && !o.refused && l.judging.Score(o.scores) >= sweep.RightFrom
}

// standing says what a question is worth to the comparison.
type standing byte

const (
	waiting standing = iota // a call has neither answer nor failure yet
	dropped                 // a call failed or was refused, and the rule is Drop
	counted
)

func (l *ledger) standing(q Question) standing {
	worth := counted
	for _, arm := range l.arms {
		switch o := l.of(q, arm.Name); {
		case o.state == missing:
			return waiting
		case (o.state == failed || o.refused) && l.described.unanswered() == Drop:
			worth = dropped
		}
	}
	return worth
}
