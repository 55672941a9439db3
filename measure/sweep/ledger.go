package sweep

import (
	"strconv"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
)

// cell is what is known of one call.
type cell struct {
	state  cellState
	scores judge.Scores
}

type cellState byte

const (
	missing cellState = iota
	failed
	answered
)

// asked holds the cells of one question.
type asked struct {
	slots              []cell
	closedBook, oracle cell
	repeats            map[int]*cell // by the number of the repeat
}

type summary struct {
	described Described
	judging   judge.Judging
	position  map[int]int // of a measured slot among the measured
	questions map[string]*asked
	order     []string
	counts    map[string]*judge.Counts
	examples  examples
	notes     []string
	last      time.Time
	stray     int
	unjudged  int // answers on which the judge failed
	waiting   int // answers that the judge was not asked about
}

func newSummary(d Described, j judge.Judging) (*summary, error) {
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
	s := &summary{
		described: d, judging: j, position: map[int]int{}, questions: map[string]*asked{},
		counts: map[string]*judge.Counts{},
	}
	for i, slot := range d.Slots {
		s.position[slot] = i
	}
	return s, nil
}

// add takes one record in.
func (s *summary) add(r journal.Record) error {
	if (r.Answer != nil) == (r.Failure != nil) {
		return nil
	}
	c := s.cell(r)
	if c == nil {
		s.stray++
		return nil
	}
	if r.Time.After(s.last) {
		s.last = r.Time
	}
	if c.state == answered {
		return nil
	}
	if r.Failure != nil {
		c.state = failed
		if r.Failure.Judge {
			s.unjudged++
		}
		return nil
	}
	scores, err := s.judging.ScoresOf(r.Answer.Text, r.Answers, r.Score)
	if err != nil {
		return err
	}
	c.state, c.scores = answered, scores
	s.countsOf(armKey(r.Arm, r.Slot)).Answer(judge.Classify(*r.Answer))
	if s.judging.Score(scores) < judge.RightFrom {
		s.examples.add(r)
	}
	return nil
}

// cell finds the place of a record; nil where the sweep has none.
func (s *summary) cell(r journal.Record) *cell {
	position, measured := s.position[r.Slot]
	switch r.Arm {
	case ArmSlot:
		if !measured {
			return nil
		}
	case ArmRepeat:
		if !measured || position != s.middle() || r.Repeat < 1 {
			return nil
		}
	case ArmClosedBook, ArmOracle:
	default:
		return nil
	}
	q := s.questions[r.Question]
	if q == nil {
		q = &asked{slots: make([]cell, len(s.described.Slots))}
		s.questions[r.Question] = q
		s.order = append(s.order, r.Question)
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

// judge is the Grader whose scores count; nil where the scorer judges.
func (s *summary) judge() *judge.Description {
	if s.judging.By() == "" {
		return nil
	}
	return s.described.Judge
}

func armKey(arm string, slot int) string { return arm + " " + strconv.Itoa(slot) }

func (s *summary) countsOf(key string) *judge.Counts {
	if s.counts[key] == nil {
		s.counts[key] = &judge.Counts{}
	}
	return s.counts[key]
}

func (s *summary) right(c cell) bool { return s.judging.Score(c.scores) >= judge.RightFrom }

// middle is the measured slot that the repeat arm asks again.
func (s *summary) middle() int { return len(s.described.Slots) / 2 }
