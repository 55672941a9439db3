package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Summarize computes what a report shows from what a journal holds of a sweep: its
// description, the noted questions in their order, and the records in any order. It asks
// nothing, and reads neither clock nor file. For one key the order of records counts as
// in a journal: a later record replaces a failure, and an answer stays. Records of slots
// that d does not measure are left out, and a note says how many.
//
// Where no question is complete yet, the result has counts and no statistics. The
// error is a *judge.ScoreError, a *core.ConfigError or ErrNoSweep.
func Summarize(d Described, notes []journal.Note, records []journal.Record, j judge.Judging) (Result, error) {
	var spent journal.Spent
	for _, r := range records {
		spent.Add(r.Spent())
	}
	return summarize(d, notes, spent, j, nil, func(by string, add func(journal.Record) error) (int, error) {
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
// nil leaves it as the journal says. It reads the journal twice, and once more
// where there is something for Beside, and holds scores, and few texts. The errors are those of DescriptionOf, journal.Read and Summarize.
func SummarizeJournal(path string, judge func(*judge.Judging)) (Result, error) {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil {
		return Result{}, err
	}
	d, err := describe(path, reading.Manifest)
	if err != nil {
		return Result{}, err
	}
	j, err := JudgingOf(d)
	if err != nil {
		return Result{}, err
	}
	if judge != nil {
		judge(&j)
	}
	var remarks []string
	if reading.Torn > 0 {
		remarks = append(remarks, fmt.Sprintf("The last line of the journal is torn (%d bytes) and was left out: its call counts as not asked.", reading.Torn))
	}
	return summarize(d, reading.Notes, reading.Spent, j, remarks, func(by string, add func(journal.Record) error) (int, error) {
		reading, err := journal.ReadJudged(path, by, add)
		return reading.Unjudged, err
	})
}

func summarize(d Described, notes []journal.Note, spent journal.Spent, j judge.Judging, remarks []string, records func(by string, add func(journal.Record) error) (unjudged int, err error)) (Result, error) {
	l, err := newLedger(d, j)
	if err != nil {
		return Result{}, err
	}
	if err := l.readNotes(notes); err != nil {
		return Result{}, err
	}
	if l.waiting, err = records(l.judging.By(), l.add); err != nil {
		return Result{}, err
	}
	l.beginAll()
	w, err := newWatcher(l)
	if err == nil {
		err = w.settleAll()
	}
	if err != nil {
		return Result{}, err
	}
	r, err := w.result(remarks)
	if err != nil {
		return Result{}, err
	}
	r.Spent = spent
	if d.Prices != (model.Prices{}) || d.JudgePrices != (model.Prices{}) {
		cost := d.Prices.Cost(spent.Usage) + d.JudgePrices.Cost(spent.Judge)
		r.Cost = &cost
	}
	complete, ids := w.complete()
	r.Beside, err = l.beside(complete, ids, records)
	return r, err
}

// result computes everything.
func (w *watcher) result(remarks []string) (Result, error) {
	d := w.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, model.SimulatedPrefix),
		UntilDecided: d.UntilDecided, Unfit: w.unfit,
		Model: d.Model, Task: d.Task, Layout: d.Layout, Documents: d.Documents,
		Scorer: w.judging.Scorer.String(), JudgedBy: w.judging.JudgedBy(), Judge: w.judge(), Graded: w.graded,
		Setup: w.setup(), Notes: remarks,
	}
	if d.Prompt != nil {
		r.DocumentFormat = string(d.Prompt.Format)
	}
	if !w.last.IsZero() {
		r.Date = w.last.UTC().Format(time.DateOnly)
	}
	for _, e := range w.examples {
		r.Examples = append(r.Examples, e.Example)
	}
	complete, ids := w.complete()
	r.Questions = QuestionCounts{Planned: max(d.Questions, len(w.order)), Complete: len(complete)}
	if w.Decided() {
		r.Questions.After = len(w.order) - w.next
	}
	r.Questions.Incomplete = r.Questions.Planned - r.Questions.Complete - r.Questions.After
	if units := len(clustersOf(w.counted)); units < len(w.counted) {
		r.Questions.Clusters = units
	}
	w.arms(&r, complete)
	if w.stray > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of the journal stand in no arm of this sweep and were left out.", text.Count(w.stray, "record")))
	}
	r.Notes = append(r.Notes, judge.Unjudged(w.unjudged, w.waiting)...)
	if remedy := r.Counts.Remedy(); remedy != "" {
		r.Notes = append(r.Notes, remedy)
	}
	w.verdict(&r)
	if err := w.statistics(&r, complete, ids); err != nil {
		return Result{}, err
	}
	r.Finding = r.finding()
	return r, nil
}

// maxAsked is how many questions a curve file names: 400 kB.
const maxAsked = 24_000

// complete lists the counted questions that have an answer in every measured slot, and
// their IDs.
func (w *watcher) complete() (complete []*asked, ids []string) {
	for i, q := range w.counted {
		if !incomplete(q) {
			complete, ids = append(complete, q), append(ids, w.ids[i])
		}
	}
	return complete, ids
}

// incomplete says whether the question lacks an answer in some slot that it was asked in.
func incomplete(q *asked) bool {
	return slices.ContainsFunc(q.slots, func(c cell) bool { return c.state != answered && c.state != notAsked })
}
