package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

const (
	spreadPermutations = 1000
	spreadSeed         = 1
	detectableAlpha    = 0.05
	detectablePower    = 0.8
)

// verdict fills in the shape, or why there is none.
func (w *watcher) verdict(r *Result) {
	if len(w.counted) == 0 {
		return
	}
	v := w.trial.Verdict()
	if v.More != nil && !w.check.SweepReads() {
		v.More = &shape.More{Named: v.More.Named} // as it is, flat would not be said
	}
	if v.Shape == core.ShapeFlat && !w.check.SweepReads() {
		v.Shape, v.Settled = core.ShapeUndecided, false
		r.Withheld = true
		note := "Every slot is read alike so far, but nothing shows yet that the model uses its documents: with the answer's document alone it is not surely right more often than without any. So flat is not said."
		if r.Oracle == nil || r.ClosedBook == nil {
			note = "Every slot is read alike so far, but nothing shows that the model uses its documents, since closed-book or oracle was left out. So flat is not said."
		}
		r.Notes = append(r.Notes, note)
	}
	if r.Unfit != nil {
		r.Anyway = &v
		return
	}
	r.Verdict = &v
	w.remarks(r)
}

// remarks says what speaks against the shape, or for it.
func (w *watcher) remarks(r *Result) {
	r.Notes = append(r.Notes, w.check.Remarks(r.Simulated)...)
	if unread := r.unread(); unread != "" {
		r.Notes = append(r.Notes, unread)
	}
	failed := 0
	without, err := shape.NewTrial(w.described.Documents, w.described.Slots)
	for _, cluster := range clustersOf(w.counted) {
		var rows []shape.Row
		for _, q := range cluster {
			if row := w.row(q); incomplete(q) {
				failed++
			} else {
				rows = append(rows, row)
			}
		}
		if err == nil && len(rows) > 0 {
			err = without.Add(rows...)
		}
	}
	if failed == 0 || err != nil {
		return
	}
	with, _ := w.trial.Look()
	if word, _ := without.Look(); word != with {
		r.Notes = append(r.Notes, fmt.Sprintf("Failures decide: without the %s with a failed call the shape would be %s, but what they would have been may change it. Run again, and they are asked again.", text.Count(failed, "question"), word))
	}
}

// statistics fills in what needs complete questions.
func (w *watcher) statistics(r *Result, complete []*asked, ids []string) error {
	if len(complete) == 0 {
		r.CurveNote = "no question was answered in every slot that it was asked in"
		return nil
	}
	if !even(complete) { // what follows needs every question in every slot
		return w.curve(r, ids)
	}
	rows := make([][]bool, len(complete))
	for i, q := range complete {
		rows[i] = make([]bool, len(q.slots))
		for j, c := range q.slots {
			rows[i][j] = w.right(c)
		}
	}
	o, err := stats.NewOutcomes(w.described.Documents, w.described.Slots, rows)
	if err != nil {
		return err
	}
	cochran := stats.CochranQ(o)
	spread, err := stats.BestWorst(o, spreadPermutations, spreadSeed)
	if err != nil {
		return err
	}
	r.Cochran, r.Spread = &cochran, &spread
	discordance := o.Discordance(0, len(w.described.Slots)-1)
	if least, err := stats.MinimumDetectable(len(clustersOf(complete)), discordance, detectableAlpha, detectablePower); err == nil {
		r.Detectable = &Detectable{Difference: least, Discordance: discordance, Alpha: detectableAlpha, Power: detectablePower}
	}
	return w.curve(r, ids)
}

// even says whether every question was asked in every slot.
func even(questions []*asked) bool {
	return !slices.ContainsFunc(questions, func(q *asked) bool {
		return slices.ContainsFunc(q.slots, func(c cell) bool { return c.state == notAsked })
	})
}

// curve fits the curve of the file; that of an unfit run is marked as one.
func (w *watcher) curve(r *Result, ids []string) error {
	v := r.Verdict
	if v == nil {
		v = &shape.Verdict{Shape: core.ShapeUndecided}
	}
	info := shape.CurveInfo{
		Model: r.Model, Task: string(r.Task), Layout: r.Layout, Date: r.Date,
		Documents: w.described.Documents, Questions: r.Questions.Complete, Slots: w.described.Slots,
	}
	for _, a := range r.Slots {
		if a.N == 0 {
			r.CurveNote = fmt.Sprintf("slot %d was asked no question yet", a.Slot)
			return nil
		}
		info.Questions = min(info.Questions, a.N)
		accuracy, _ := r.Accuracy(a)
		info.Accuracy = append(info.Accuracy, accuracy)
	}
	curve, err := shape.Fit(*v, info)
	if err != nil {
		r.CurveNote = err.Error()
		return nil
	}
	if len(ids) <= maxAsked {
		curve.Asked = strings.Join(ids, " ")
	}
	if r.Unfit != nil {
		unfit(curve, r.Unfit)
	}
	r.Curve = curve
	return nil
}

func unfit(c *core.Curve, why *fitness.Unfit) {
	c.Shape, c.Unfit, c.Fitted, c.EndsDiffer = core.ShapeUnfit, why.Reason, nil, false
}

// unread tells of slots in which nothing is ever right, where others are read well: a
// server that cuts prompts and does not say so shows such a curve.
func (r Result) unread() string {
	const few, well = 20, 0.3
	var slots []int
	best := 0.0
	for _, a := range r.Slots {
		right, _ := r.Accuracy(a)
		best = max(best, right)
		if right == 0 && a.N >= few {
			slots = append(slots, a.Slot)
		}
	}
	if len(slots) == 0 || best < well || r.Simulated {
		return ""
	}
	return fmt.Sprintf("With the answer in %s %s nothing was right, and elsewhere up to %.1f %%. A server that cuts prompts shows such a curve, too: check how long a prompt it reads.",
		map[bool]string{true: "slot", false: "slots"}[len(slots) == 1], slotList(slots), 100*best)
}
