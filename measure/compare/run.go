package compare

import (
	"context"
	"errors"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Run asks what the journal has no answer to, by run.Run, and notes every
// question before it is asked. With d.UntilDecided it looks at the verdict after
// every question, in plan order, and begins no further one once it is known; what
// is open then ends first. d must describe plan, and its Judge the Grader of a model that
// is a run.Judged.
//
// The errors are those of run.Run, and a *core.ConfigError for another Judge. A plan that is decided returns none, with
// calls left.
func Run(ctx context.Context, plan *Plan, d Described, model model.Model, journal *journal.Journal, limits run.Limits) (run.Progress, error) {
	s, err := newSource(plan, d, journal)
	if err != nil {
		return run.Progress{}, err
	}
	if by := s.watcher.ledger.judging.By(); by != judgeOf(model) {
		return run.Progress{}, &core.ConfigError{Field: "Described.Judge", Value: by, Rule: "must describe the Grader of the run.Judged that is asked, or be nil where there is none"}
	}
	if d.UntilDecided {
		if err := s.recall(); err != nil {
			return run.Progress{Calls: plan.Len()}, err
		}
		told := limits.Progress
		limits.Progress = func(p run.Progress) {
			s.watch(p.Last)
			if told != nil {
				told(p)
			}
		}
	}
	progress, err := run.Run(ctx, s, model, journal, limits)
	return progress, errors.Join(err, s.err)
}

// judgeOf is the ID of who judges the answers of a model; empty for a rule.
func judgeOf(m model.Model) string {
	if judged, ok := m.(run.Judged); ok && judged.Grader != nil {
		return judged.Grader.Describe().ID()
	}
	return ""
}

// Noted returns plan as a source that notes each question in the journal when its
// first call is built, for batch.Read. d must describe plan.
func Noted(plan *Plan, d Described, journal *journal.Journal) (run.Source, error) {
	d.UntilDecided = false
	return newSource(plan, d, journal)
}

// source notes questions, and stops when the watch says so.
type source struct {
	*Plan
	described Described
	journal   *journal.Journal

	mu      sync.Mutex
	watcher *watcher
	err     error
}

func newSource(plan *Plan, d Described, journal *journal.Journal) (*source, error) {
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
func (s *source) Call(i int) (model.Call, error) {
	s.mu.Lock()
	decided := s.watcher.decided()
	s.mu.Unlock()
	if decided {
		return model.Call{}, run.ErrEnough
	}
	if i%len(s.arms) == 0 {
		id, q, err := s.Question(i / len(s.arms))
		if err != nil {
			return model.Call{}, err
		}
		if err := s.journal.Note(id, q); err != nil {
			return model.Call{}, err
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
func (s *source) watch(r journal.Record) {
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
	_, err := journal.ReadJudged(s.journal.Path(), s.watcher.ledger.judging.By(), func(r journal.Record) error {
		if r.Failure != nil {
			return nil
		}
		return s.watcher.ledger.add(r)
	})
	return err
}
