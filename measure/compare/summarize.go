package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Summarize computes what a report shows from what a journal holds of a
// comparison: its description, the noted questions in their order, and the records
// in any order. It asks nothing, and reads neither clock nor file. judge may be nil.
// The error is that of a description that is not that of a comparison, or a
// *judge.ScoreError.
func Summarize(d Described, notes []journal.Note, records []journal.Record, judge func(*judge.Judging)) (Result, error) {
	var spent journal.Spent
	for _, r := range records {
		spent.Add(r.Spent())
	}
	return summarize("", d, notes, spent, judge, func(by string, add func(journal.Record) error) (int, error) {
		joined, unjudged := journal.Judged(records, by)
		for _, r := range joined {
			if err := add(r); err != nil {
				return unjudged, err
			}
		}
		return unjudged, nil
	})
}

// SummarizeJournal is Summarize for a journal. judge may change how it is judged;
// nil leaves it as the journal says. It reads the journal twice, and once more where
// there are Flips, and holds scores, and of texts those of the Flips alone.
func SummarizeJournal(path string, judge func(*judge.Judging)) (Result, error) {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil {
		return Result{}, err
	}
	d, err := describe(path, reading.Manifest)
	if err != nil {
		return Result{}, err
	}
	if reading.Torn > 0 {
		d.Remarks = append(d.Remarks, fmt.Sprintf("The last line of the journal is torn (%d bytes) and was left out: its call counts as not asked.", reading.Torn))
	}
	return summarize(path, d, reading.Notes, reading.Spent, judge, func(by string, add func(journal.Record) error) (int, error) {
		reading, err := journal.ReadJudged(path, by, add)
		return reading.Unjudged, err
	})
}

func summarize(path string, d Described, notes []journal.Note, spent journal.Spent, judge func(*judge.Judging), records func(by string, add func(journal.Record) error) (unjudged int, err error)) (Result, error) {
	if err := d.check(); err != nil {
		return Result{}, err
	}
	j, err := d.judging()
	if err != nil {
		return Result{}, err
	}
	if judge != nil {
		judge(&j)
	}
	if err := j.Check(); err != nil {
		return Result{}, err
	}
	l := newLedger(d, j)
	if err := l.readNotes(path, notes); err != nil {
		return Result{}, err
	}
	if l.waiting, err = records(j.By(), l.add); err != nil {
		return Result{}, err
	}
	w, err := newWatcher(l)
	if err == nil {
		err = w.settleAll()
	}
	if err != nil {
		return Result{}, err
	}
	r, err := w.result(spent)
	if err == nil {
		r.Flips, err = w.flips(records)
	}
	return r, err
}

func (w *watcher) result(spent journal.Spent) (Result, error) {
	l, d := w.ledger, w.ledger.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, model.SimulatedPrefix),
		Rule: d.Rule, UntilDecided: d.UntilDecided, By: d.by(),
		Model: d.Model, Scorer: l.judging.Scorer.String(), JudgedBy: l.judging.JudgedBy(), Judge: l.judge(), Unanswered: d.unanswered(),
		SameQuestions: d.SameQuestions, Graded: l.graded, Spent: spent, Notes: slices.Clone(d.Remarks), Setup: l.setup(),
	}
	r.Alpha = cmp.Or(r.Alpha, 0.05)
	if !l.last.IsZero() {
		r.Date = l.last.UTC().Format(time.DateOnly)
	}
	if d.Prices != (model.Prices{}) || d.JudgePrices != (model.Prices{}) {
		cost := d.Prices.Cost(spent.Usage) + d.JudgePrices.Cost(spent.Judge)
		r.Cost = &cost
	}
	if d.SameQuestions {
		r.Notes = append(r.Notes, "The measured placement was fitted on questions that are compared here: its gain is flattered.")
	}
	if len(d.Earlier) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("The arms of this journal changed between runs: all %d challengers that were ever looked at share the error rate.", len(w.challengers)))
	}
	w.countQuestions(&r)
	if err := w.arms(&r); err != nil {
		return Result{}, err
	}
	r.Notes = append(r.Notes, judge.Unjudged(l.unjudged, l.waiting)...)
	if remedy := r.Counts.Remedy(); remedy != "" {
		r.Notes = append(r.Notes, remedy)
	}
	w.strata(&r)
	w.verdict(&r)
	r.Finding = r.finding()
	return r, nil
}

// countQuestions says what became of the questions.
func (w *watcher) countQuestions(r *Result) {
	l := w.ledger
	r.Questions = Questions{Planned: max(l.described.Questions, len(l.order)), Counted: len(w.counted), Dropped: w.dropped}
	if w.clustered() {
		r.Questions.Clusters = w.units
	}
	r.Questions.After = w.after
	if !w.Decided() {
		for _, id := range l.order {
			if l.waits(l.questions[id]) {
				r.Questions.Missing++
			}
		}
		return
	}
	for _, id := range l.order[w.next:] {
		r.Questions.After += one(len(l.questions[id].Cells) > 0)
	}
}
