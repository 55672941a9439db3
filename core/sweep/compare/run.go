package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/bookend-rag/bookend/core/sweep/paired"
)

// Run asks what the journal has no answer to, by sweep.Run, and notes every
// question before it is asked. With d.UntilDecided it looks at the verdict after
// every question, in plan order, and begins no further one once it is known; what
// is open then ends first. d must describe plan.
//
// The errors are those of sweep.Run. A plan that is decided returns none, with
// calls left.
func Run(ctx context.Context, plan *Plan, d Described, model sweep.Model, journal *sweep.Journal, limits sweep.Limits) (sweep.Progress, error) {
	s, err := newSource(plan, d, journal)
	if err != nil {
		return sweep.Progress{}, err
	}
	if d.UntilDecided {
		if err := s.recall(); err != nil {
			return sweep.Progress{Calls: plan.Len()}, err
		}
		told := limits.Progress
		limits.Progress = func(p sweep.Progress) {
			s.watch(p.Last)
			if told != nil {
				told(p)
			}
		}
	}
	progress, err := sweep.Run(ctx, s, model, journal, limits)
	return progress, errors.Join(err, s.err)
}

// Noted returns plan as a source that notes each question in the journal when its
// first call is built, for sweep.ReadBatch. d must describe plan.
func Noted(plan *Plan, d Described, journal *sweep.Journal) (sweep.Source, error) {
	d.UntilDecided = false
	return newSource(plan, d, journal)
}

// source notes questions, and stops when the watch says so.
type source struct {
	*Plan
	described Described
	journal   *sweep.Journal

	mu      sync.Mutex
	watcher *watcher
	err     error
}

func newSource(plan *Plan, d Described, journal *sweep.Journal) (*source, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	j, err := d.judging()
	if err != nil {
		return nil, err
	}
	w, err := newWatcher(newLedger(d, j))
	if err != nil {
		return nil, err
	}
	return &source{Plan: plan, described: d, journal: journal, watcher: w}, nil
}

// Manifest goes into the journal.
func (s *source) Manifest() any { return s.described }

// Call builds a call, unless the verdict is known.
func (s *source) Call(i int) (sweep.Call, error) {
	s.mu.Lock()
	decided := s.watcher.decided()
	s.mu.Unlock()
	if decided {
		return sweep.Call{}, sweep.ErrEnough
	}
	if i%len(s.arms) == 0 {
		id, q, err := s.Question(i / len(s.arms))
		if err != nil {
			return sweep.Call{}, err
		}
		if err := s.journal.Note(id, q); err != nil {
			return sweep.Call{}, err
		}
		if s.described.UntilDecided {
			s.mu.Lock()
			s.watcher.ledger.note(id, q)
			s.settle()
			s.mu.Unlock()
		}
	}
	return s.Plan.Call(i)
}

// watch takes a finished call in.
func (s *source) watch(r sweep.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.watcher.ledger.add(r); err != nil && s.err == nil {
		s.err = err
	}
	s.settle()
}

func (s *source) settle() {
	if err := s.watcher.settle(); err != nil && s.err == nil {
		s.err = err
	}
}

// recall takes in the answers of earlier runs. What failed then is asked again.
func (s *source) recall() error {
	_, err := sweep.ReadJournal(s.journal.Path(), func(r sweep.Record) error {
		if r.Failure != nil {
			return nil
		}
		return s.watcher.ledger.add(r)
	})
	return err
}

// watcher looks at the verdict after every question, in order.
type watcher struct {
	ledger      *ledger
	trial       *paired.Trial
	challengers []string // those that the verdict is about
	next        int      // the first question that is not settled
	word        paired.Word
	counted     []string // the questions that the verdict is about, in order
	dropped     int
}

func newWatcher(l *ledger) (*watcher, error) {
	w := &watcher{ledger: l, word: paired.Inconclusive}
	for _, arm := range l.arms {
		if arm.Kind == Challenger && arm.Identical == "" {
			w.challengers = append(w.challengers, arm.Name)
		}
	}
	if len(w.challengers) == 0 {
		return w, nil
	}
	var err error
	w.trial, err = paired.NewTrial(l.described.Rule, len(w.challengers))
	return w, err
}

// decided says that no further question is needed. Where all arms are identical
// nothing needs to be asked at all.
func (w *watcher) decided() bool {
	return w.ledger.described.UntilDecided && (w.trial == nil || w.word != paired.Inconclusive)
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

// readNotes takes the noted questions of a journal in.
func (l *ledger) readNotes(path string, notes []sweep.Note) error {
	for _, n := range notes {
		var q Question
		if err := json.Unmarshal(n.Value, &q); err != nil {
			return &sweep.JournalError{Path: path, Rule: fmt.Sprintf("notes under %q what is no question of a comparison", n.Name), Err: ErrNoComparison}
		}
		l.note(n.Name, q)
	}
	return nil
}
