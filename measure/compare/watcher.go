package compare

import "github.com/bookend-rag/bookend/measure/evidence"

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
