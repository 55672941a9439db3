package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/model"
)

func mustJournal(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "journal.jsonl") }

func mustRead(t testing.TB, path string) ([]Record, Reading) {
	t.Helper()
	var records []Record
	reading, err := Read(path, func(r Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, reading
}

func answerRecord(key, text string) Record {
	return Record{
		Key: key, Question: "q", Arm: "slot", Slot: 1, Answers: []string{"a"}, Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		Answer: &model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 5, Completion: 2, Cached: 1}}, Attempts: 1, Estimated: 4,
	}
}

func failedRecord(key string) Record {
	return Record{Key: key, Slot: model.NoSlot, Failure: &Failure{Status: 500, Message: "no"}, Attempts: 3, Estimated: 4, Lost: 8}
}

const threeDocuments = `{"question":"who?","answers":["Ada"],"ctxs":[{"title":"A","text":"one"},{"title":"B","text":"Ada did","isgold":true},{"title":"C","text":"three"}]}`
