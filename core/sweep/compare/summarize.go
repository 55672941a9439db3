package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/bookend-rag/bookend/core/sweep/paired"
)

// Summarize computes what a report shows from what a journal holds of a
// comparison: its description, the noted questions in their order, and the records
// in any order. It asks nothing, and reads neither clock nor file. judge may be nil.
// The error is that of a description that is not that of a comparison, or a
// *sweep.ScoreError.
func Summarize(d Described, notes []sweep.Note, records []sweep.Record, judge func(*sweep.Judging)) (Result, error) {
	return summarize("", d, notes, judge, func(add func(sweep.Record) error) error {
		for _, r := range records {
			if err := add(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// SummarizeJournal is Summarize for a journal. judge may change how it is judged;
// nil leaves it as the journal says. It reads the journal twice and holds scores,
// not texts.
func SummarizeJournal(path string, judge func(*sweep.Judging)) (Result, error) {
	reading, err := sweep.ReadJournal(path, func(sweep.Record) error { return nil })
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
	return summarize(path, d, reading.Notes, judge, func(add func(sweep.Record) error) error {
		_, err := sweep.ReadJournal(path, add)
		return err
	})
}

func summarize(path string, d Described, notes []sweep.Note, judge func(*sweep.Judging), records func(func(sweep.Record) error) error) (Result, error) {
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
	l := newLedger(d, j)
	if err := l.readNotes(path, notes); err != nil {
		return Result{}, err
	}
	var spent sweep.Spent
	err = records(func(r sweep.Record) error {
		spent.Add(r.Spent())
		return l.add(r)
	})
	if err != nil {
		return Result{}, err
	}
	w, err := newWatcher(l)
	if err == nil {
		err = w.settle()
	}
	if err != nil {
		return Result{}, err
	}
	return w.result(spent)
}

func (w *watcher) result(spent sweep.Spent) (Result, error) {
	l, d := w.ledger, w.ledger.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, sweep.SimulatedPrefix),
		Rule: d.Rule, UntilDecided: d.UntilDecided,
		Model: d.Model, Scorer: l.judging.Scorer.String(), JudgedBy: l.judging.JudgedBy(), Unanswered: d.unanswered(),
		SameQuestions: d.SameQuestions, Spent: spent, Notes: slices.Clone(d.Remarks), Setup: l.setup(),
	}
	r.Alpha = cmp.Or(r.Alpha, 0.05)
	if !l.last.IsZero() {
		r.Date = l.last.UTC().Format(time.DateOnly)
	}
	if d.Prices != (sweep.Prices{}) {
		cost := d.Prices.Cost(spent.Usage)
		r.Cost = &cost
	}
	if d.SameQuestions {
		r.Notes = append(r.Notes, "The measured placement was fitted on questions that are compared here: its gain is flattered.")
	}
	w.countQuestions(&r)
	if err := w.arms(&r); err != nil {
		return Result{}, err
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
	if !w.decided() {
		for _, id := range l.order {
			if l.standing(l.questions[id]) == waiting {
				r.Questions.Missing++
			}
		}
		return
	}
	r.Questions.After = len(l.order) - w.next
}

// arms fills in what each arm found over the counted questions.
func (w *watcher) arms(r *Result) error {
	l := w.ledger
	var evidence []paired.Evidence
	if w.trial != nil {
		evidence = w.trial.Verdict().Challengers
	}
	var pvalues []float64
	var fixed []*Fixed
	seen := map[string]bool{}
	for i, arm := range l.arms {
		a := ArmResult{Name: arm.Name, Kind: arm.Kind, Identical: arm.Identical}
		w.tally(&a, arm.Name)
		l.calls(&a, &r.Counts, r.Questions.Planned, seen)
		if i > 0 {
			against, err := w.against(arm)
			if err != nil {
				return err
			}
			if at := slices.Index(w.challengers, arm.Name); at >= 0 && len(w.counted) > 0 {
				against.Sequential = &evidence[at]
				if against.Fixed != nil {
					pvalues, fixed = append(pvalues, against.Fixed.McNemar), append(fixed, against.Fixed)
				}
			}
			a.Against = &against
		}
		r.Arms = append(r.Arms, a)
	}
	for i, p := range paired.Holm(pvalues) {
		fixed[i].Holm = &p
	}
	return w.repeat(r)
}

// tally counts right answers and what the cache did.
func (w *watcher) tally(a *ArmResult, name string) {
	l, size, common := w.ledger, 0, 0
	for _, id := range w.counted {
		q := l.questions[id]
		o := l.of(q, name)
		full, first := o, o
		full.scores.FirstLine, first.scores.Full = o.scores.Full, o.scores.FirstLine
		a.Full.Correct += one(l.right(full))
		a.FirstLine.Correct += one(l.right(first))
		a.Caching.Prompt += o.usage.Prompt
		a.Caching.Cached += o.usage.Cached
		size += q.Cells[name].Size
		common += q.Cells[name].Prefix
	}
	w.finish(&a.Full, len(w.counted))
	w.finish(&a.FirstLine, len(w.counted))
	if size > 0 {
		a.Caching.Common = float64(common) / float64(size)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// finish fills in the shares of a tally; all are 0 where nothing is counted.
func (w *watcher) finish(t *Tally, n int) {
	if n > 0 {
		t.Accuracy, t.Wilson = float64(t.Correct)/float64(n), w.wilson(t.Correct, n)
	}
}

// wilson is nil where an interval for a fixed number of questions means nothing.
func (w *watcher) wilson(k, n int) *sweep.Interval {
	if w.ledger.described.UntilDecided {
		return nil
	}
	interval, err := sweep.Wilson(k, n, sweep.Confidence)
	if err != nil {
		return nil
	}
	return &interval
}

// calls counts what became of the calls of an arm; all counts each call once.
func (l *ledger) calls(a *ArmResult, all *sweep.Counts, planned int, seen map[string]bool) {
	a.Counts.Planned = planned
	for _, id := range l.order {
		key := l.questions[id].Cells[a.Name].Key
		l.tallyCall(&a.Counts, key)
		if !seen[key] {
			seen[key] = true
			all.Planned++
			l.tallyCall(all, key)
		}
	}
	a.Counts.Missing = a.Counts.Planned - a.Counts.Answered - a.Counts.Failed
	all.Missing = all.Planned - all.Answered - all.Failed
}

func (l *ledger) tallyCall(c *sweep.Counts, key string) {
	switch o := l.outcomes[key]; o.state {
	case answered:
		c.Answer(o.class)
	case failed:
		c.Failed++
	}
}

// against holds an arm against the baseline.
func (w *watcher) against(arm ArmInfo) (Against, error) {
	l, baseline := w.ledger, w.ledger.arms[0].Name
	var a Against
	for _, id := range w.counted {
		q := l.questions[id]
		switch before, now := l.right(l.of(q, baseline)), l.right(l.of(q, arm.Name)); {
		case now == before:
			a.Same++
		case now:
			a.Wins++
		default:
			a.Losses++
		}
	}
	a.Difference, a.Discordance = a.Counts.Difference(), a.Counts.Discordance()
	if a.N() == 0 {
		return a, nil
	}
	var err error
	if a.Sequence, err = paired.ConfidenceSequence(a.Counts, cmp.Or(l.described.Alpha, 0.05)); err != nil {
		return a, err
	}
	if l.described.UntilDecided {
		return a, nil
	}
	a.Fixed = &Fixed{McNemar: paired.McNemar(a.Wins, a.Losses)}
	if a.Fixed.Bootstrap, err = paired.Bootstrap(a.Counts, resamples, bootstrapSeed, sweep.Confidence); err != nil {
		return a, err
	}
	if least, err := sweep.MinimumDetectable(a.N(), a.Discordance, detectableAlpha, detectablePower); err == nil {
		a.Fixed.Detectable = &least
	}
	return a, nil
}

// repeat compares the repeats with the first answers of the baseline.
func (w *watcher) repeat(r *Result) error {
	l, baseline := w.ledger, w.ledger.arms[0].Name
	var first, again []bool
	for _, arm := range l.arms {
		if arm.Kind != Repeat {
			continue
		}
		for _, id := range w.counted {
			q := l.questions[id]
			first = append(first, l.right(l.of(q, baseline)))
			again = append(again, l.right(l.of(q, arm.Name)))
		}
	}
	if len(first) == 0 {
		return nil
	}
	flips, err := sweep.FlipRate(first, again, sweep.Confidence)
	r.Repeat = &Flips{Flips: flips.Flips, Pairs: flips.Pairs, Rate: flips.Rate, Wilson: w.wilson(flips.Flips, flips.Pairs)}
	return err
}
