package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/internal/watch"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// plan asks five calls a question.
type plan struct{ fake.Calls }

func (plan) Place(i int) (question, call int) { return i / 5, i % 5 }

func (plan) NoteOf(question int) (id string, note any, err error) {
	return fmt.Sprint("q", question), map[string]int{"number": question}, nil
}

// watcher has enough after so many answers, and cannot take in the one called broken.
type watcher struct {
	enough          int
	broken          string
	begun, recalled []string
	answers         []string
	failed          int
	settled         int
}

func (w *watcher) By() string { return "" }

func (w *watcher) Recall(id string, note json.RawMessage) error {
	if string(note) == `"other"` {
		return errors.New("no question")
	}
	w.recalled = append(w.recalled, id)
	return nil
}

func (w *watcher) Begin(id string, note any) (kept any, ready bool) {
	w.begun = append(w.begun, fmt.Sprint(id, note.(map[string]int)["number"]))
	return note, true
}

// Asks leaves out the last call of the fourth question.
func (w *watcher) Asks(id string, call int) bool { return id != "q3" || call != 4 }

func (w *watcher) Add(r journal.Record) error {
	if r.Failure != nil {
		w.failed++
		return nil
	}
	w.answers = append(w.answers, r.Key)
	if r.Key == w.broken {
		return errors.New("the scorer broke")
	}
	return nil
}

func (w *watcher) Settle() error { w.settled++; return nil }

func (w *watcher) Decided() bool { return w.enough > 0 && len(w.answers) >= w.enough }

func source(t *testing.T, path string, w *watcher) *watch.Source {
	t.Helper()
	return sourceOf(t, 20, fake.Journal(t, path), w)
}

func sourceOf(t *testing.T, questions int, j *journal.Journal, w *watcher) *watch.Source {
	t.Helper()
	s, err := watch.New(plan{fake.Questions(questions, 2)}, "by hand", j, w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A question that was begun is asked to its end; no further one is begun.
func TestRunEndsWithAQuestion(t *testing.T) {
	t.Parallel()
	for enough, want := range map[int]int{1: 5, 5: 5, 6: 10, 12: 15} {
		w := &watcher{enough: enough}
		told := 0
		progress, err := source(t, fake.Path(t), w).Run(t.Context(), fake.Echo, run.Limits{Concurrency: 1, Progress: func(run.Progress) { told++ }})
		// One call is built ahead, which may begin one question more.
		if err != nil || (progress.Answered+progress.Skipped)%5 != 0 || progress.Answered+progress.Skipped < want || progress.Answered > want+5 || progress.Skipped != progress.Answered/19 || told != progress.Answered {
			t.Errorf("enough after %d: %v, %v", enough, progress, err)
		}
		if w.settled == 0 || w.begun[0] != "q00" {
			t.Errorf("settled %d times, begun %v", w.settled, w.begun)
		}
	}
}

// What an earlier run answered counts, and what failed in it is asked again.
func TestRunGoesOn(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	broken := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		if call, _ := model.CallFrom(ctx); call.Index == 1 {
			return model.Answer{}, &model.Error{Status: 400}
		}
		return model.Answer{Text: "yes"}, nil
	})
	j := fake.Journal(t, path)
	first := &watcher{}
	if _, err := sourceOf(t, 3, j, first).Run(t.Context(), broken, run.Limits{Concurrency: 1}); err != nil {
		t.Fatal(err)
	}
	second := &watcher{}
	progress, err := sourceOf(t, 3, j, second).Run(t.Context(), fake.Echo, run.Limits{Concurrency: 1})
	if err != nil || progress.Known != 10 || progress.Answered != 5 || first.failed != 5 || second.failed != 0 || len(second.answers) != 15 {
		t.Errorf("%v, %v; first %+v, second %+v", progress, err, first, second)
	}
	decided := &watcher{enough: 15}
	if progress, err := sourceOf(t, 3, j, decided).Run(t.Context(), fake.Echo, run.Limits{}); err != nil || progress.Known != 0 || progress.Answered != 0 {
		t.Errorf("decided before it began: %v, %v", progress, err)
	}
}

// What was noted may be answered by a batch although enough is known; nothing new begins.
func TestNotedGivesWhatWasBegun(t *testing.T) {
	t.Parallel()
	j := fake.Journal(t, fake.Path(t))
	if _, err := sourceOf(t, 2, j, &watcher{}).Run(t.Context(), fake.Echo, run.Limits{}); err != nil {
		t.Fatal(err)
	}
	decided := &watcher{enough: 1}
	s, err := watch.Noted(plan{fake.Questions(20, 2)}, "by hand", j, decided)
	if err != nil || len(decided.recalled) != 2 {
		t.Fatalf("%v, recalled %v", err, decided.recalled)
	}
	for i := range 10 {
		if _, err := s.Call(i); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if _, err := s.Call(10); !errors.Is(err, run.ErrEnough) {
		t.Errorf("a new question: %v", err)
	}
	if err := j.Note("q9", "other"); err != nil {
		t.Fatal(err)
	}
	if _, err := watch.New(plan{fake.Questions(20, 2)}, "by hand", j, decided); err == nil {
		t.Error("a note of something else is taken")
	}
}

// Nobody pays for answers that cannot be judged.
func TestAnAnswerThatCannotBeTakenInEndsTheRun(t *testing.T) {
	t.Parallel()
	w := &watcher{broken: fake.Questions(20, 2)[7].Key}
	progress, err := source(t, fake.Path(t), w).Run(t.Context(), fake.Echo, run.Limits{Concurrency: 1})
	if err == nil || err.Error() != "the scorer broke" || progress.Answered > 15 {
		t.Errorf("%v, %v", progress, err)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	cluster := func(id string) string { return id[1:] }
	for _, c := range []struct{ ids, want []string }{
		{nil, nil},
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"a1", "b", "c2", "d1", "e", "f2", "g1"}, []string{"a1", "d1", "g1", "b", "c2", "f2", "e"}},
	} {
		if got := watch.Together(c.ids, cluster); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.ids, got, c.want)
		}
	}
}
