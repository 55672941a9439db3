// Package fake has what the tests of running and of what follows it share: calls
// behind which no dataset stands, a model that answers at once, and journals. Nothing
// else may use it.
package fake

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// Calls is a source of calls made by hand. One without a key cannot be built.
type Calls []model.Call

// Len returns the number of calls.
func (c Calls) Len() int { return len(c) }

// Call returns call i.
func (c Calls) Call(i int) (model.Call, error) {
	if c[i].Key == "" {
		return model.Call{}, errors.New("the dataset is gone")
	}
	return c[i], nil
}

// Manifest describes nothing.
func (c Calls) Manifest() any { return "by hand" }

// Questions are what a sweep asks: each question alone, with its document alone, in
// each slot, and in the middle slot again. The prompt of each arm is its own, but that
// of the repeat, which only its key tells apart.
func Questions(questions, slots int) Calls {
	var all Calls
	for q := range questions {
		add := func(arm string, slot, repeat int, text string) {
			all = append(all, model.Call{
				Key: fmt.Sprintf("%d %s %d", q, text, repeat), Question: fmt.Sprint("q", q), Index: q, Arm: arm, Slot: slot, Repeat: repeat,
				Prompt: model.User(fmt.Sprintf("question %d, %s", q, text)), Answers: []string{"yes"}, Tokens: 8, MaxTokens: 100,
			})
		}
		add("closed-book", model.NoSlot, 0, "alone")
		add("oracle", model.NoSlot, 0, "its document")
		for slot := range slots {
			add("slot", slot, 0, fmt.Sprint("slot ", slot))
		}
		add("repeat", slots/2, 1, fmt.Sprint("slot ", slots/2))
	}
	return all
}

// Sized returns the calls with other sizes.
func (c Calls) Sized(tokens, maxTokens int) Calls {
	for i := range c {
		c[i].Tokens, c[i].MaxTokens = tokens, maxTokens
	}
	return c
}

// Echo answers with a word, at once.
var Echo = model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
	return model.Answer{Text: "yes", FinishReason: "stop", Usage: model.Usage{Prompt: 10, Completion: 1}}, nil
})

// Path is that of a journal which is not there yet.
func Path(t testing.TB) string { return filepath.Join(t.TempDir(), "journal.jsonl") }

// Journal opens a journal for the time of a test.
func Journal(t testing.TB, path string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// Read returns all records of a journal.
func Read(t testing.TB, path string) ([]journal.Record, journal.Reading) {
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

// Answered is the record of a call that was answered.
func Answered(key, text string) journal.Record {
	return journal.Record{
		Key: key, Question: "q", Arm: "slot", Slot: 1, Answers: []string{"a"}, Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		Answer: &model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 5, Completion: 2, Cached: 1}}, Attempts: 1, Estimated: 4,
	}
}

// Failed is the record of a call that failed.
func Failed(key string) journal.Record {
	return journal.Record{Key: key, Slot: model.NoSlot, Failure: &journal.Failure{Status: 500, Message: "no"}, Attempts: 3, Estimated: 4, Lost: 8}
}
