package sweep

import (
	"slices"

	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/stats"
)

// arms fills in slots, baselines and counts.
func (s *summary) arms(r *Result, complete []*asked) {
	for i, slot := range s.described.Slots {
		r.Slots = append(r.Slots, s.arm(*r, complete, ArmSlot, slot, func(q *asked) cell { return q.slots[i] }))
	}
	add := func(name string, slot int, at func(*asked) cell) *ArmResult {
		if !slices.Contains(s.described.Arms, name) {
			return nil
		}
		a := s.arm(*r, complete, name, slot, at)
		return &a
	}
	r.ClosedBook = add(ArmClosedBook, model.NoSlot, func(q *asked) cell { return q.closedBook })
	r.Oracle = add(ArmOracle, model.NoSlot, func(q *asked) cell { return q.oracle })
	r.Again = add(ArmRepeat, s.described.Slots[s.middle()], func(q *asked) cell {
		if numbers := sortedKeys(q.repeats); len(numbers) > 0 {
			return *q.repeats[numbers[0]]
		}
		return cell{}
	})
	s.repeat(r)
	for _, a := range append([]*ArmResult{r.ClosedBook, r.Oracle, r.Again}, pointers(r.Slots)...) {
		if a != nil {
			r.Counts.Add(a.Counts)
		}
	}
}

func pointers(arms []ArmResult) []*ArmResult {
	all := make([]*ArmResult, len(arms))
	for i := range arms {
		all[i] = &arms[i]
	}
	return all
}

// arm judges one arm over the complete questions.
func (s *summary) arm(r Result, complete []*asked, name string, slot int, at func(*asked) cell) ArmResult {
	a := ArmResult{Arm: name, Slot: slot, Counts: s.planned(name, slot, r.Questions.Planned, at)}
	score := 0.0
	for _, q := range complete {
		c := at(q)
		if c.state != answered {
			continue
		}
		a.N++
		score += s.judging.Score(c.scores)
		a.Full.Correct += one(c.scores.Full)
		a.FirstLine.Correct += one(c.scores.FirstLine)
	}
	if asked := s.judge() != nil; asked {
		a.Full.unjudged, a.FirstLine.unjudged = s.judging.FirstLine, !s.judging.FirstLine
	}
	if a.N > 0 {
		a.MeanScore = score / float64(a.N)
		a.Full.finish(a.N)
		a.FirstLine.finish(a.N)
	}
	return a
}

// one is 1 for a score that counts as right.
func one(score float64) int {
	if score >= judge.RightFrom {
		return 1
	}
	return 0
}

func (t *Tally) finish(n int) {
	t.Accuracy = float64(t.Correct) / float64(n)
	t.Interval, _ = stats.Wilson(t.Correct, n, stats.Confidence) // n is 1 or more
}

// planned counts what became of the calls of one arm.
func (s *summary) planned(name string, slot, questions int, at func(*asked) cell) judge.Counts {
	counts := *s.countsOf(armKey(name, slot))
	counts.Planned = questions
	for _, q := range s.questions {
		if at(q).state == failed {
			counts.Failed++
		}
	}
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	return counts
}

// repeat counts the repeats, and compares their answers with the first ones.
func (s *summary) repeat(r *Result) {
	if r.Again == nil {
		return
	}
	middle := s.middle()
	counts := &r.Again.Counts
	counts.Planned, counts.Failed = r.Questions.Planned*s.described.Repeats, 0
	var first, again []bool
	for _, id := range s.order {
		q := s.questions[id]
		for _, number := range sortedKeys(q.repeats) {
			c := q.repeats[number]
			if c.state == failed {
				counts.Failed++
			}
			if c.state == answered && q.slots[middle].state == answered {
				first = append(first, s.right(q.slots[middle]))
				again = append(again, s.right(*c))
			}
		}
	}
	counts.Planned = max(counts.Planned, counts.Answered+counts.Failed)
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	if flips, err := stats.FlipRate(first, again, stats.Confidence); err == nil { // else there is no pair yet
		r.Repeat = &flips
	}
}

func sortedKeys(m map[int]*cell) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
