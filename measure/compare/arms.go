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
	if len(w.parts) == 1 && r.By == "" {
		found = w.parts[0].trial.Verdict().Challengers
	}
	var pvalues []float64
	var fixed []*Fixed
	seen := map[string]bool{}
	for i, arm := range l.arms {
		a := ArmResult{Name: arm.Name, Kind: arm.Kind, Identical: arm.Identical}
		w.tally(&a, arm.Name)
		l.calls(&a, &r.Counts, seen)
		if i > 0 {
			against, err := w.against(arm, w.counted)
			if err != nil {
				return err
			}
			if at := slices.Index(w.challengers, arm.Name); at >= 0 && len(w.counted) > 0 && found != nil {
				against.Sequential = &found[at]
				if against.Fixed != nil {
					pvalues, fixed = append(pvalues, against.Fixed.McNemar), append(fixed, against.Fixed)
				}
			}
			a.Against = &against
		}
		a.Cost = w.cost(arm, w.counted)
		r.Arms = append(r.Arms, a)
	}
	for i, p := range stats.Holm(pvalues) {
		fixed[i].Holm = &p
	}
	return w.repeat(r)
}

// tally counts right answers and what the cache did. Controls and earlier arms may lack
// answers.
func (w *watcher) tally(a *ArmResult, name string) {
	l, size, common, n := w.ledger, 0, 0, 0
	for _, id := range w.counted {
		q := l.questions[id]
		o := l.of(q, name)
		if !l.shown(o) { // of a control, or of an earlier arm
			continue
		}
		n++
		full, first := o, o
		full.scores.FirstLine, first.scores.Full = o.scores.Full, o.scores.FirstLine
		a.Full.add(l, full)
		a.FirstLine.add(l, first)
		a.Caching.Prompt += o.usage.Prompt
		a.Caching.Cached += o.usage.Cached
		size += q.Cells[name].Size
		common += q.Cells[name].Prefix
	}
	if l.judge() != nil {
		a.Full.unjudged, a.FirstLine.unjudged = l.judging.FirstLine, !l.judging.FirstLine
	}
	w.finish(&a.Full, n)
	w.finish(&a.FirstLine, n)
	if size > 0 {
		a.Caching.Common = float64(common) / float64(size)
	}
}

// add counts an outcome; finish makes shares of the sums.
func (t *Tally) add(l *ledger, o outcome) {
	t.Correct += one(l.right(o))
	t.Accuracy += l.score(o)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// finish fills in the shares of a tally; all are 0 where nothing is counted.
func (w *watcher) finish(t *Tally, n int) {
	if t.N = n; n > 0 {
		t.Accuracy /= float64(n)
		t.Wilson = w.wilson(t.Correct, n)
	}
}

// wilson is nil where an interval for a fixed number of independent right and wrong
// answers means nothing.
func (w *watcher) wilson(k, n int) *stats.Interval {
	if w.ledger.described.UntilDecided || w.ledger.graded || w.clustered() {
		return nil
	}
	interval, err := stats.Wilson(k, n, stats.Confidence)
	if err != nil {
		return nil
	}
	return &interval
}

// calls counts what became of the calls of an arm in the questions that were begun; all
// counts each call once.
func (l *ledger) calls(a *ArmResult, all *judge.Counts, seen map[string]bool) {
	for _, id := range l.order {
		cell, asked := l.questions[id].Cells[a.Name]
		if !asked {
			continue
		}
		a.Counts.Planned++
		key := cell.Key
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

// against holds an arm against the baseline over some questions.
func (w *watcher) against(arm ArmInfo, ids []string) (Against, error) {
	l, baseline := w.ledger, w.ledger.arms[0].Name
	var a Against
	var mean evidence.Mean
	for _, unit := range w.unitsOf(ids) {
		sum, n := 0.0, 0
		for _, q := range unit {
			before, now := l.of(q, baseline), l.of(q, arm.Name)
			if !l.shown(now) {
				continue
			}
			n++
			sum += l.score(now) - l.score(before)
			a.Add(l.right(before), l.right(now))
		}
		if n > 0 {
			d := sum / float64(n)
			if err := mean.Add(d, d); err != nil {
				return a, err
			}
		}
	}
	a.Difference, a.Discordance = mean.Value(), mean.Square()
	if mean.Len() == 0 {
		return a, nil
	}
	var err error
	if a.Sequence, err = mean.Interval(cmp.Or(l.described.Alpha, 0.05)); err != nil {
		return a, err
	}
	if l.described.UntilDecided || l.graded || mean.Len() < a.N() {
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

// unitsOf splits questions by their clusters, which stand together.
func (w *watcher) unitsOf(ids []string) (units [][]Question) {
	last := ""
	for _, id := range ids {
		q := w.ledger.questions[id]
		if n := len(units); n > 0 && q.Cluster != "" && q.Cluster == last {
			units[n-1] = append(units[n-1], q)
		} else {
			units = append(units, []Question{q})
		}
		last = q.Cluster
	}
	return units
}

// clustered says that some questions count as one.
func (w *watcher) clustered() bool { return w.units < len(w.counted)+w.dropped }

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
			if one, two := l.of(q, baseline), l.of(q, arm.Name); one.known() && two.known() {
				first, again = append(first, l.right(one)), append(again, l.right(two))
			}
		}
	}
	if len(first) == 0 {
		return nil
	}
	flips, err := stats.FlipRate(first, again, stats.Confidence)
	r.Repeat = &Flips{Flips: flips.Flips, Pairs: flips.Pairs, Rate: flips.Rate, Wilson: w.wilson(flips.Flips, flips.Pairs)}
	return err
}

// kindArms fills in what each arm found over the questions of a kind.
func (w *watcher) kindArms(k *KindResult, p *part) error {
	l, found := w.ledger, p.trial.Verdict().Challengers
	for i, arm := range l.arms {
		at := slices.Index(w.challengers, arm.Name)
		if i > 0 && at < 0 {
			continue
		}
		a, n := KindArm{Name: arm.Name}, 0
		for _, id := range p.counted {
			if o := l.of(l.questions[id], arm.Name); l.shown(o) {
				n++
				a.Tally.add(l, o)
			}
		}
		w.finish(&a.Tally, n)
		a.Cost = w.cost(arm, p.counted)
		if i > 0 {
			against, err := w.against(arm, p.counted)
			if err != nil {
				return err
			}
			if against.Fixed = nil; len(p.counted) > 0 { // those are for one look at one part
				against.Sequential = &found[at]
			}
			a.Against = &against
		}
		k.Arms = append(k.Arms, a)
	}
	return nil
}
