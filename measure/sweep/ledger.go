package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
)

// cell is what is known of one call.
type cell struct {
	state  cellState
	scores judge.Scores
	class  judge.Class
	// prompt, in tokens: estimated, the fewest it can have, and read by the server
	estimated, least, read int
	long                   bool // the answer is at least half as long as the prompt
}

type cellState byte

const (
	missing cellState = iota
	failed
	answered
	notAsked // chosen to be left out
)

// asked holds the cells of one question.
type asked struct {
	cluster            string
	noted              bool
	bare               bool // without baselines and repeats
	slots              []cell
	closedBook, oracle cell
	repeats            map[int]*cell // by the number of the repeat
}

// cells lists all calls of the question.
func (q *asked) cells() []cell {
	all := append(slices.Clone(q.slots), q.closedBook, q.oracle)
	for _, number := range sortedKeys(q.repeats) {
		all = append(all, *q.repeats[number])
	}
	return all
}

// ledger brings questions and records together, in any order.
type ledger struct {
	described Described
	judging   judge.Judging
	position  map[int]int // of a measured slot among the measured
	questions map[string]*asked
	order     []string // those that were noted, in their order
	examples  examples
	graded    bool // some score gives a part of a point
	last      time.Time
	stray     int
	unjudged  int // answers on which the judge failed
	waiting   int // answers that the judge was not asked about
}

func newLedger(d Described, j judge.Judging) (*ledger, error) {
	if err := slot.Check(d.Documents, d.Slots); err != nil {
		return nil, err
	}
	if d.Repeats < 0 || d.Repeats > 1000 {
		return nil, &core.ConfigError{Field: "Repeats", Value: d.Repeats, Rule: "must be 0 to 1000"}
	}
	if j.Scorer == nil {
		named, err := JudgingOf(d)
		if err != nil {
			return nil, err
		}
		j.Scorer = named.Scorer
	}
	if err := j.Check(); err != nil {
		return nil, err
	}
	l := &ledger{described: d, judging: j, position: map[int]int{}, questions: map[string]*asked{}}
	for i, slot := range d.Slots {
		l.position[slot] = i
	}
	return l, nil
}

// begin takes a question in.
func (l *ledger) begin(id string, n noted) {
	q := l.question(id)
	if n.Cluster != "" {
		q.cluster = n.Cluster
	}
	q.bare = n.Bare
	for i := range q.slots {
		if n.Slots != nil && !slices.Contains(n.Slots, i) && q.slots[i].state == missing {
			q.slots[i].state = notAsked
		}
	}
	if !q.noted {
		q.noted = true
		l.order = append(l.order, id)
	}
}

// beginAll takes in the questions of which there is a record alone, ordered by their
// IDs, so that the order in which answers came does not matter. Then those of one cluster
// stand together.
func (l *ledger) beginAll() {
	for _, id := range slices.Sorted(maps.Keys(l.questions)) {
		if q := l.questions[id]; !q.noted {
			l.begin(id, noted{Cluster: q.cluster})
		}
	}
	l.order = watch.Together(l.order, func(id string) string { return l.questions[id].cluster })
}

func (l *ledger) question(id string) *asked {
	q := l.questions[id]
	if q == nil {
		q = &asked{slots: make([]cell, len(l.described.Slots))}
		l.questions[id] = q
	}
	return q
}

// readNotes takes the noted questions of a journal in.
func (l *ledger) readNotes(notes []journal.Note) error {
	for _, note := range notes {
		var n noted
		if err := json.Unmarshal(note.Value, &n); err != nil {
			return fmt.Errorf("bookend: %w: it notes under %q what is not a question of a sweep", ErrNoSweep, note.Name)
		}
		l.begin(note.Name, n)
	}
	return nil
}

// add takes a record in: a later one replaces a failure, and an answer stays.
func (l *ledger) add(r journal.Record) error {
	if (r.Answer != nil) == (r.Failure != nil) {
		return nil
	}
	c := l.cell(r)
	if c == nil {
		l.stray++
		return nil
	}
	if r.Time.After(l.last) {
		l.last = r.Time
	}
	if c.state == answered {
		return nil
	}
	if r.Failure != nil {
		c.state = failed
		if r.Failure.Judge {
			l.unjudged++
		}
		return nil
	}
	scores, err := l.judging.ScoresOf(r.Answer.Text, r.Answers, r.Score)
	if err != nil {
		return err
	}
	*c = cell{
		state: answered, scores: scores, class: judge.Classify(*r.Answer),
		estimated: r.Estimated, least: r.Least, read: r.Answer.Usage.Prompt,
		long: fitness.IsLong(r.Answer.Text, r.Estimated),
	}
	score := l.judging.Score(scores)
	l.graded = l.graded || score > 0 && score < 1
	if score < judge.RightFrom {
		l.examples.add(r)
	}
	return nil
}

// cell finds the place of a record; nil where the sweep has none.
func (l *ledger) cell(r journal.Record) *cell {
	position, measured := l.position[r.Slot]
	switch r.Arm {
	case ArmSlot:
		if !measured {
			return nil
		}
	case ArmRepeat:
		if !measured || position != l.middle() || r.Repeat < 1 {
			return nil
		}
	case ArmClosedBook, ArmOracle:
	default:
		return nil
	}
	q := l.question(r.Question)
	if r.Cluster != "" {
		q.cluster = r.Cluster
	}
	switch r.Arm {
	case ArmSlot:
		return &q.slots[position]
	case ArmClosedBook:
		return &q.closedBook
	case ArmOracle:
		return &q.oracle
	}
	if q.repeats == nil {
		q.repeats = map[int]*cell{}
	}
	if q.repeats[r.Repeat] == nil {
		q.repeats[r.Repeat] = &cell{}
	}
	return q.repeats[r.Repeat]
}

// By is the ID of the Grader whose scores count; empty where the scorer judges.
func (l *ledger) By() string { return l.judging.By() }

// judge is the Grader whose scores count; nil where the scorer judges.
func (l *ledger) judge() *judge.Description {
	if l.judging.By() == "" {
		return nil
	}
	return l.described.Judge
}

// waits says whether a call of the question has neither answer nor failure: a slot, or
// with all any that is planned.
func (l *ledger) waits(q *asked, all bool) bool {
	if slices.ContainsFunc(q.slots, func(c cell) bool { return c.state == missing }) {
		return true
	}
	if !all || q.bare {
		return false
	}
	has := func(arm string) bool { return slices.Contains(l.described.Arms, arm) }
	if has(ArmClosedBook) && q.closedBook.state == missing || has(ArmOracle) && q.oracle.state == missing {
		return true
	}
	return has(ArmRepeat) && len(q.repeats) < l.described.Repeats
}

func (l *ledger) score(c cell) float64 { return l.judging.Score(c.scores) }

func (l *ledger) right(c cell) bool { return c.state == answered && l.score(c) >= judge.RightFrom }

// middle is the measured slot that the repeat arm asks again.
func (l *ledger) middle() int { return len(l.described.Slots) / 2 }
