package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/watch"
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
	// tokens of the prompt, estimated, and the fewest that it can have
	estimated, least int
	long             bool // the answer is at least half as long as the prompt
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
	graded    bool               // some score gives a part of a point
	last      time.Time
	unjudged  int // answers on which the judge failed
	waiting   int // answers that the judge was not asked about
}

func newLedger(d Described, j judge.Judging) *ledger {
	return &ledger{
		described: d, judging: j, arms: slices.Concat(d.Arms, d.Earlier),
		questions: map[string]Question{}, outcomes: map[string]outcome{},
	}
}

// note takes a question in; a later note of one ID replaces an earlier one, but for the
// arms that it no longer has.
func (l *ledger) note(id string, q Question) {
	earlier, known := l.questions[id]
	if !known {
		l.order = append(l.order, id)
	}
	q.Cells = maps.Clone(q.Cells)
	for name, cell := range earlier.Cells {
		if _, asked := q.Cells[name]; !asked {
			q.Cells[name] = cell
		}
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
		estimated: r.Estimated, least: r.Least, long: fitness.IsLong(r.Answer.Text, r.Estimated),
	}
	score := l.judging.Score(scores)
	l.graded = l.graded || score > 0 && score < 1
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

// known says whether an outcome is an answer; a refusal is none.
func (o outcome) known() bool { return o.state == answered && !o.class.Refusal }

// shown says whether an outcome counts in the figures of its arm: an answer, and by the
// rule Wrong every call that ended.
func (l *ledger) shown(o outcome) bool {
	return o.known() || o.state != missing && l.described.unanswered() == Wrong
}

// score is what an outcome is worth; what is no answer is worth nothing.
func (l *ledger) score(o outcome) float64 {
	if !o.known() {
		return 0
	}
	return l.judging.Score(o.scores)
}

// most is what an outcome may be worth at most: everything where a failure hides what the
// answer would have been, or a refusal does, unless by rule it is wrong.
func (l *ledger) most(o outcome) float64 {
	if o.known() || o.state == answered && l.described.unanswered() == Wrong {
		return l.score(o)
	}
	return 1
}

// right says whether an outcome counts as right.
func (l *ledger) right(o outcome) bool { return o.known() && l.score(o) >= judge.RightFrom }

// judged lists the arms that the verdict is about, the baseline first.
func (l *ledger) judged() []ArmInfo {
	return slices.DeleteFunc(slices.Clone(l.arms), func(a ArmInfo) bool { return a.Kind != Baseline && a.Kind != Challenger })
}

// waits says whether a call of the question that the verdict needs has neither answer
// nor failure yet.
func (l *ledger) waits(q Question) bool {
	for _, arm := range l.arms {
		if l.decides(q, arm) && l.of(q, arm.Name).state == missing {
			return true
		}
	}
	return false
}

// decides says whether a question is asked in an arm that the verdict is about.
func (l *ledger) decides(q Question, arm ArmInfo) bool {
	_, asked := q.Cells[arm.Name]
	return arm.Kind == Baseline || asked && arm.Kind == Challenger
}

// drops says whether the rule leaves the question out of what is shown.
func (l *ledger) drops(q Question) bool {
	if l.described.unanswered() != Drop {
		return false
	}
	for _, arm := range l.arms {
		if l.decides(q, arm) && !l.of(q, arm.Name).known() {
			return true
		}
	}
	return false
}

// readNotes takes the noted questions of a journal in.
func (l *ledger) readNotes(path string, notes []journal.Note) error {
	for _, n := range notes {
		var q Question
		if err := json.Unmarshal(n.Value, &q); err != nil {
			return &journal.Error{Path: path, Rule: fmt.Sprintf("notes under %q what is not a question of a comparison", n.Name), Err: ErrNoComparison}
		}
		l.note(n.Name, q)
	}
	l.order = watch.Together(l.order, func(id string) string { return l.questions[id].Cluster })
	return nil
}
