// Package watch runs an experiment whose outcome is looked at after every question, so
// that it may leave out calls, and end, as soon as they would tell nothing new.
package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// Plan is a plan whose calls stand together by question.
type Plan interface {
	Len() int
	Call(i int) (model.Call, error)
	// Place returns the question that call i belongs to, by its place in the plan from 0,
	// and the call's place among those of the question.
	Place(i int) (question, call int)
	// NoteOf returns the ID of a question, by its place in the plan from 0, and what the
	// journal notes of it.
	NoteOf(question int) (id string, note any, err error)
}

// Watcher takes in what happens, in any order, and says what is asked and when it is
// enough. It is used by one goroutine at a time.
type Watcher interface {
	// By returns the ID of the judge whose scores count; empty where a rule judges.
	By() string
	// Recall takes in a question that an earlier run noted.
	Recall(id string, note json.RawMessage) error
	// Begin says that a question is asked next, and returns what the journal notes of it:
	// note, perhaps with fewer calls, or nil where it was recalled. ready is false while
	// that depends on calls that are open.
	Begin(id string, note any) (kept any, ready bool)
	// Asks says whether a call of a question that has begun is made, by its place among
	// the calls of the question.
	Asks(id string, call int) bool
	// Add takes a finished call in.
	Add(journal.Record) error
	// Settle looks at what is there.
	Settle() error
	// Decided says that no further question is needed.
	Decided() bool
}

// Source is a plan that notes each question in the journal when its first call is built,
// that leaves out the calls that its watcher does not want, and that ends when the watcher
// says so.
type Source struct {
	Plan
	manifest any
	journal  *journal.Journal

	recalled map[string]bool // the questions that earlier runs noted
	all      bool            // of these, give every call, although enough may be known

	mu      sync.Mutex
	watcher Watcher
	begun   int // questions
	err     error
}

var _ run.Source = (*Source)(nil)

// New returns the source of a plan that is described by manifest. The watcher takes in
// what the journal holds; what failed counts as not asked.
func New(plan Plan, manifest any, j *journal.Journal, watcher Watcher) (*Source, error) {
	reading, err := journal.ReadJudged(j.Path(), watcher.By(), func(r journal.Record) error {
		if r.Failure != nil {
			return nil
		}
		return watcher.Add(r)
	})
	if err != nil {
		return nil, err
	}
	for _, note := range reading.Notes {
		if err := watcher.Recall(note.Name, note.Value); err != nil {
			return nil, &journal.Error{Path: j.Path(), Rule: fmt.Sprintf("notes under %q what is not a question of this experiment", note.Name), Err: err}
		}
	}
	s := &Source{Plan: plan, manifest: manifest, journal: j, watcher: watcher, recalled: map[string]bool{}}
	for _, note := range reading.Notes {
		s.recalled[note.Name] = true
	}
	return s, watcher.Settle()
}

// Noted is New for a source whose answers come by other ways than Run, as those of a batch
// do: what was noted may be answered although enough is known by now.
func Noted(plan Plan, manifest any, j *journal.Journal, watcher Watcher) (*Source, error) {
	s, err := New(plan, manifest, j, watcher)
	if err == nil {
		s.all = true
	}
	return s, err
}

// Manifest goes into the journal.
func (s *Source) Manifest() any { return s.manifest }

// Call builds a call, unless it is not wanted. The first one of a question is refused once
// enough is known, or once an answer could not be taken in; a question that was begun is
// asked to its end, so that the result does not depend on how many calls are open at once.
func (s *Source) Call(i int) (model.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	question, call := s.Place(i)
	id, note, err := s.NoteOf(question)
	if err != nil {
		return model.Call{}, err
	}
	if question == s.begun {
		if s.err != nil || s.watcher.Decided() && !(s.all && s.recalled[id]) {
			return model.Call{}, run.ErrEnough
		}
		kept, ready := s.watcher.Begin(id, note)
		if !ready {
			return model.Call{}, run.ErrWait
		}
		if kept != nil {
			if err := s.journal.Note(id, kept); err != nil {
				return model.Call{}, err
			}
		}
		s.begun++
		s.settle()
	}
	if !s.watcher.Asks(id, call) {
		return model.Call{}, run.ErrSkip
	}
	return s.Plan.Call(i)
}

// Run asks what the journal has no answer to, by run.Run, as far as the watcher lets it.
// A judge must be the one whose scores count: else the error is a *core.ConfigError.
func (s *Source) Run(ctx context.Context, model model.Model, limits run.Limits) (run.Progress, error) {
	by := ""
	if judged, ok := model.(run.Judged); ok && judged.Grader != nil {
		by = judged.Grader.Describe().ID()
	}
	if by != s.watcher.By() {
		return run.Progress{}, &core.ConfigError{Field: "Described.Judge", Value: s.watcher.By(), Rule: "must describe the Grader of the run.Judged that is asked, or be nil where there is none"}
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
