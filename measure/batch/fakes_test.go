package batch

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// mustPlan is a plan over generated key-value cases, of questions × (slots + 3)
// calls.
func mustPlan(t testing.TB, questions, documents int, change func(*sweep.Settings)) *sweep.Plan {
	t.Helper()
	dataset, err := dataset.KeyValues(1, questions, documents)
	if err != nil {
		t.Fatal(err)
	}
	s := sweep.Settings{Model: "fake"}
	if change != nil {
		change(&s)
	}
	p, err := sweep.NewPlan(dataset, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustJournal(t testing.TB, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "journal.jsonl") }

func mustRead(t testing.TB, path string) ([]journal.Record, journal.Reading) {
	t.Helper()
	var records []journal.Record
	reading, err := journal.Read(path, func(r journal.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, reading
}

func calls(t testing.TB, s run.Source) []model.Call {
	t.Helper()
	all := make([]model.Call, s.Len())
	for i := range all {
		var err error
		if all[i], err = s.Call(i); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// echo answers with a few words, at once.
var echo = model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
	return model.Answer{Text: "yes", FinishReason: "stop", Usage: model.Usage{Prompt: 10, Completion: 1}}, nil
})

func answerRecord(key, text string) journal.Record {
	return journal.Record{
		Key: key, Question: "q", Arm: sweep.ArmSlot, Slot: 1, Answers: []string{"a"}, Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		Answer: &model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 5, Completion: 2, Cached: 1}}, Attempts: 1, Estimated: 4,
	}
}

func failedRecord(key string) journal.Record {
	return journal.Record{Key: key, Slot: model.NoSlot, Failure: &journal.Failure{Status: 500, Message: "no"}, Attempts: 3, Estimated: 4, Lost: 8}
}
