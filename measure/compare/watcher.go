package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// watcher looks at the verdict after every question, in order.
type watcher struct {
	ledger      *ledger
	trial       *evidence.Trial
	challengers []string // those that the verdict is about
	next        int      // the first question that is not settled
	word        evidence.Word
	counted     []string // the questions that the verdict is about, in order
	dropped     int
}

func newWatcher(l *ledger) (*watcher, error) {
	w := &watcher{ledger: l, word: evidence.Inconclusive}
	for _, arm := range l.arms {
		if arm.Kind == Challenger && arm.Identical == "" {
			w.challengers = append(w.challengers, arm.Name)
		}
	}
	if len(w.challengers) == 0 {
		return w, nil
	}
	var err error
	w.trial, err = evidence.NewTrial(l.described.Rule, len(w.challengers))
	return w, err
}

// decided says that no further question is needed. Where all arms are identical
// nothing needs to be asked at all.
func (w *watcher) decided() bool {
	return w.ledger.described.UntilDecided && (w.trial == nil || w.word != evidence.Inconclusive)
}

// settle counts the questions that are complete, in order; with UntilDecided up to
// the first that is not, or to the decision.
func (w *watcher) settle() error {
	for ; w.next < len(w.ledger.order) && !w.decided(); w.next++ {
		id := w.ledger.order[w.next]
		q := w.ledger.questions[id]
		switch w.ledger.standing(q) {
		case waiting:
			if w.ledger.described.UntilDecided {
				return nil
			}
			continue
		case dropped:
			w.dropped++
			continue
		}
		if err := w.count(id, q); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) count(id string, q Question) error {
	w.counted = append(w.counted, id)
	if w.trial == nil {
		return nil
	}
	right := make([]bool, len(w.challengers))
	for i, name := range w.challengers {
		right[i] = w.ledger.right(w.ledger.of(q, name))
	}
	var err error
	w.word, err = w.trial.Add(w.ledger.right(w.ledger.of(q, w.ledger.arms[0].Name)), right)
	return err
}

func (w *watcher) strata(r *Result) {
	l := w.ledger
	for _, within := range ranges {
		s := Stratum{From: within.from, To: within.to, Arms: make([]Tally, len(l.arms))}
		deepest := within.from
		for _, id := range w.counted {
			q := l.questions[id]
			if q.Gold < within.from || q.Gold > within.to {
				continue
			}
			s.Questions++
			deepest = max(deepest, q.Gold)
			for i, arm := range l.arms {
				s.Arms[i].Correct += one(l.right(l.of(q, arm.Name)))
			}
		}
		if s.Questions == 0 {
			continue
		}
		s.To = min(s.To, deepest)
		for i := range s.Arms {
			w.finish(&s.Arms[i], s.Questions)
		}
		s.Name = stratumName(s.From, s.To)
		r.Strata = append(r.Strata, s)
	}
}

func (w *watcher) result(spent journal.Spent) (Result, error) {
	l, d := w.ledger, w.ledger.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, model.SimulatedPrefix),
		Rule: d.Rule, UntilDecided: d.UntilDecided,
		Model: d.Model, Scorer: l.judging.Scorer.String(), JudgedBy: l.judging.JudgedBy(), Unanswered: d.unanswered(),
		SameQuestions: d.SameQuestions, Spent: spent, Notes: slices.Clone(d.Remarks), Setup: l.setup(),
	}
	r.Alpha = cmp.Or(r.Alpha, 0.05)
	if !l.last.IsZero() {
		r.Date = l.last.UTC().Format(time.DateOnly)
	}
	if d.Prices != (model.Prices{}) {
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
