package compare

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// outcome is what is known of a call.
type outcome struct {
	state  state
	scores judge.Scores
	class  judge.Class
	usage  model.Usage
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
	judging   judge.Judging
	arms      []ArmInfo
	order     []string // the IDs of the noted questions, in the order of their first note
	questions map[string]Question
	outcomes  map[string]outcome // by key
	last      time.Time
	unjudged  int // answers on which the judge failed
	waiting   int // answers that the judge was not asked about
}

func newLedger(d Described, j judge.Judging) *ledger {
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
func (l *ledger) add(r journal.Record) error {
	if r.Key == "" || (r.Answer != nil) == (r.Failure != nil) || l.outcomes[r.Key].state == answered {
		return nil
	}
	if r.Time.After(l.last) {
		l.last = r.Time
	}
	if r.Failure != nil {
		if r.Failure.Judge {
			l.unjudged++
		}
		l.outcomes[r.Key] = outcome{state: failed}
		return nil
	}
	scores, err := l.judging.ScoresOf(r.Answer.Text, r.Answers, r.Score)
	if err != nil {
		return err
	}
	l.outcomes[r.Key] = outcome{
		state: answered, scores: scores, class: judge.Classify(*r.Answer), usage: r.Answer.Usage,
	}
	return nil
}

// judge is the Grader whose scores count; nil where the scorer judges.
func (l *ledger) judge() *judge.Description {
	if l.judging.By() == "" {
		return nil
	}
	return l.described.Judge
}

// of returns what is known of an arm in a question.
func (l *ledger) of(q Question, arm string) outcome { return l.outcomes[q.Cells[arm].Key] }

// right says whether an outcome counts as right.
func (l *ledger) right(o outcome) bool {
	return o.state == answered && !o.class.Refusal && l.judging.Score(o.scores) >= judge.RightFrom
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
		case (o.state == failed || o.class.Refusal) && l.described.unanswered() == Drop:
			worth = dropped
		}
	}
	return worth
}

// readNotes takes the noted questions of a journal in.
func (l *ledger) readNotes(path string, notes []journal.Note) error {
	for _, n := range notes {
		var q Question
		if err := json.Unmarshal(n.Value, &q); err != nil {
			return &journal.Error{Path: path, Rule: fmt.Sprintf("notes under %q what is no question of a comparison", n.Name), Err: ErrNoComparison}
		}
		l.note(n.Name, q)
	}
	return nil
}
