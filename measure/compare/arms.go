package compare

import (
	"cmp"
	"slices"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/stats"
)

// arms fills in what each arm found over the counted questions.
func (w *watcher) arms(r *Result) error {
	l := w.ledger
	var found []evidence.Standing
	if w.trial != nil {
		found = w.trial.Verdict().Challengers
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
				against.Sequential = &found[at]
				if against.Fixed != nil {
					pvalues, fixed = append(pvalues, against.Fixed.McNemar), append(fixed, against.Fixed)
				}
			}
			a.Against = &against
		}
		r.Arms = append(r.Arms, a)
	}
	for i, p := range stats.Holm(pvalues) {
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
	if l.judge() != nil {
		a.Full.unjudged, a.FirstLine.unjudged = l.judging.FirstLine, !l.judging.FirstLine
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
func (w *watcher) wilson(k, n int) *stats.Interval {
	if w.ledger.described.UntilDecided {
		return nil
	}
	interval, err := stats.Wilson(k, n, stats.Confidence)
	if err != nil {
		return nil
	}
	return &interval
}

// calls counts what became of the calls of an arm; all counts each call once.
func (l *ledger) calls(a *ArmResult, all *judge.Counts, planned int, seen map[string]bool) {
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

func (l *ledger) tallyCall(c *judge.Counts, key string) {
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
	if a.Sequence, err = evidence.ConfidenceSequence(a.Counts, cmp.Or(l.described.Alpha, 0.05)); err != nil {
		return a, err
	}
	if l.described.UntilDecided {
		return a, nil
	}
	a.Fixed = &Fixed{McNemar: stats.McNemar(a.Wins, a.Losses)}
	if a.Fixed.Bootstrap, err = stats.Bootstrap(a.Counts, resamples, bootstrapSeed, stats.Confidence); err != nil {
		return a, err
	}
	if least, err := stats.MinimumDetectable(a.N(), a.Discordance, detectableAlpha, detectablePower); err == nil {
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
	flips, err := stats.FlipRate(first, again, stats.Confidence)
	r.Repeat = &Flips{Flips: flips.Flips, Pairs: flips.Pairs, Rate: flips.Rate, Wilson: w.wilson(flips.Flips, flips.Pairs)}
	return err
}
