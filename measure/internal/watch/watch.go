// Package watch runs an experiment whose outcome is looked at after every question, so
// that it may end as soon as more calls would tell nothing new.
package watch

import (
	"context"
	"errors"
	"sync"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Plan is a plan whose calls stand together by question.
type Plan interface {
	Len() int
	Call(i int) (model.Call, error)
	// CallsEach returns how many calls a question has.
	CallsEach() int
	// NoteOf returns the ID of a question, by its place in the plan from 0, and what the
	// journal notes of it.
	NoteOf(question int) (id string, note any, err error)
}

// Watcher takes in what happens, in any order, and says when it is enough. It is used by
// one goroutine at a time.
type Watcher interface {
	// Begin says that a question, which NoteOf noted, is asked next.
	Begin(id string, note any)
	// Add takes a finished call in.
	Add(journal.Record) error
	// Settle looks at what is there.
	Settle() error
	// Decided says that no further question is needed.
	Decided() bool
}

// Source is a plan that notes each question in the journal when its first call is built,
// and that begins no further question when its watcher says so.
type Source struct {
	Plan
	manifest any
	journal  *journal.Journal

	mu      sync.Mutex
	watcher Watcher // nil: nobody looks
	err     error
}

var _ run.Source = (*Source)(nil)

// New returns the source of a plan that is described by manifest. watcher may be nil
// for a source that Run is not called of.
func New(plan Plan, manifest any, journal *journal.Journal, watcher Watcher) *Source {
	return &Source{Plan: plan, manifest: manifest, journal: journal, watcher: watcher}
}

// Manifest goes into the journal.
func (s *Source) Manifest() any { return s.manifest }

// Call builds a call. The first one of a question is refused once enough is known, or
// once an answer could not be taken in; a question that was begun is asked to its end, so
// that the result does not depend on how many calls are open at once.
func (s *Source) Call(i int) (model.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i%s.CallsEach() == 0 {
		if s.enough() {
			return model.Call{}, run.ErrEnough
		}
		id, note, err := s.NoteOf(i / s.CallsEach())
		if err != nil {
			return model.Call{}, err
		}
		if err := s.journal.Note(id, note); err != nil {
			return model.Call{}, err
		}
		if s.watcher != nil {
			s.watcher.Begin(id, note)
			s.settle()
			if s.enough() { // by what an earlier run answered
				return model.Call{}, run.ErrEnough
			}
		}
	}
	return s.Plan.Call(i)
}

func (s *Source) enough() bool { return s.watcher != nil && (s.err != nil || s.watcher.Decided()) }

// Run asks what the journal has no answer to, by run.Run, as far as the watcher lets it.
// What failed in an earlier run is asked again, and counts as not asked until then. The
// errors are those of run.Run, of the journal and of the watcher, joined.
func (s *Source) Run(ctx context.Context, model model.Model, limits run.Limits) (run.Progress, error) {
	_, err := journal.Read(s.journal.Path(), func(r journal.Record) error {
		if r.Failure != nil {
			return nil
		}
		return s.watcher.Add(r)
	})
	if err != nil {
		return run.Progress{Calls: s.Len()}, err
	}
	told := limits.Progress
	limits.Progress = func(p run.Progress) {
		s.watch(p.Last)
		if told != nil {
			told(p)
		}
	}
	progress, err := run.Run(ctx, s, model, s.journal, limits)
	return progress, errors.Join(err, s.err)
}

// watch takes a finished call in.
func (s *Source) watch(r journal.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.watcher.Add(r); err != nil && s.err == nil {
		s.err = err
	}
	s.settle()
}

func (s *Source) settle() {
	if err := s.watcher.Settle(); err != nil && s.err == nil {
		s.err = err
	}
}
