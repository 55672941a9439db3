package sweep

import (
	"slices"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/stats"
)

// arms fills in slots, baselines and counts.
func (w *watcher) arms(r *Result, complete []*asked) {
	for i, slot := range w.described.Slots {
		r.Slots = append(r.Slots, w.arm(*r, complete, ArmSlot, slot, func(q *asked) cell { return q.slots[i] }))
	}
	add := func(name string, slot int, at func(*asked) cell) *ArmResult {
		if !slices.Contains(w.described.Arms, name) {
			return nil
		}
		a := w.arm(*r, complete, name, slot, at)
		return &a
	}
	r.ClosedBook = add(ArmClosedBook, model.NoSlot, func(q *asked) cell { return q.closedBook })
	r.Oracle = add(ArmOracle, model.NoSlot, func(q *asked) cell { return q.oracle })
	r.Again = add(ArmRepeat, w.described.Slots[w.middle()], func(q *asked) cell {
		if numbers := sortedKeys(q.repeats); len(numbers) > 0 {
			return *q.repeats[numbers[0]]
		}
		return cell{}
	})
	w.repeat(r)
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
func (w *watcher) arm(r Result, complete []*asked, name string, slot int, at func(*asked) cell) ArmResult {
	a := ArmResult{Arm: name, Slot: slot, Counts: w.planned(r.Questions.Planned, at)}
	var scores evidence.Mean
	for _, cluster := range clustersOf(complete) {
		sum, n := 0.0, 0
		for _, q := range cluster {
			c := at(q)
			if c.state != answered {
				continue
			}
			n++
			sum += w.score(c)
			a.Full.Correct += one(c.scores.Full)
			a.FirstLine.Correct += one(c.scores.FirstLine)
		}
		if n > 0 {
			a.N += n
			mean := min(sum/float64(n), 1) // but for rounding
			_ = scores.Add(mean, mean)     // cannot fail: scores lie from 0 to 1
		}
	}
	if w.judge() != nil {
		a.Full.unjudged, a.FirstLine.unjudged = w.judging.FirstLine, !w.judging.FirstLine
	}
	if a.N == 0 {
		return a
	}
	a.Full.finish(a.N)
	a.FirstLine.finish(a.N)
	a.MeanScore = scores.Value()
	if w.graded || r.Questions.Clusters > 0 {
		interval, _ := scores.Interval(1 - stats.Confidence) // the error is that of another confidence
		a.MeanRange = &stats.Interval{Low: max(interval.Low, 0), High: interval.High}
	}
	return a
}

// clustersOf splits questions by their clusters, which stand together.
func clustersOf(questions []*asked) (clusters [][]*asked) {
	for i, q := range questions {
		if i > 0 && q.cluster != "" && q.cluster == questions[i-1].cluster {
			last := len(clusters) - 1
			clusters[last] = append(clusters[last], q)
			continue
		}
		clusters = append(clusters, []*asked{q})
	}
	return clusters
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

// planned counts what became of the calls of one arm, in all questions of the plan.
func (w *watcher) planned(questions int, at func(*asked) cell) judge.Counts {
	counts := judge.Counts{Planned: questions}
	for _, q := range w.questions {
		tally(&counts, at(q))
	}
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	return counts
}

func tally(counts *judge.Counts, c cell) {
	switch c.state {
	case answered:
		counts.Answer(c.class)
	case failed:
		counts.Failed++
	}
}

// repeat counts the repeats, and compares their answers with the first ones.
func (w *watcher) repeat(r *Result) {
	if r.Again == nil {
		return
	}
	middle := w.middle()
	counts := judge.Counts{}
	var first, again []bool
	for _, id := range w.order {
		q := w.questions[id]
		for _, number := range sortedKeys(q.repeats) {
			c := *q.repeats[number]
			tally(&counts, c)
			if c.state == answered && q.slots[middle].state == answered {
				first = append(first, w.right(q.slots[middle]))
				again = append(again, w.right(c))
			}
		}
	}
	counts.Planned = max(r.Questions.Planned*w.described.Repeats, counts.Answered+counts.Failed)
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	r.Again.Counts = counts
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
