package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

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

// fakeTime is a clock on which sleeping takes no time but moves the clock.
type fakeTime struct {
	mu     sync.Mutex
	at     time.Time
	sleeps []time.Duration
}

func newFakeTime() *fakeTime { return &fakeTime{at: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)} }

func (f *fakeTime) clock() clock {
	return clock{
		now: func() time.Time {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.at
		},
		sleep: func(ctx context.Context, d time.Duration) error {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.at = f.at.Add(d)
			f.sleeps = append(f.sleeps, d)
			return ctx.Err()
		},
	}
}

// waitFor polls until the condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// httpModel is a client of OpenAI's chat interface, as small as it can be.
type httpModel struct {
	url    string
	client *http.Client
	limit  int64
}

func (m httpModel) Ask(ctx context.Context, p model.Prompt) (model.Answer, error) {
	body, err := openai.RequestBody("fake", model.Params{}, p)
	if err != nil {
		return model.Answer{}, &model.Error{Permanent: true, Err: err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return model.Answer{}, &model.Error{Permanent: true, Err: err}
	}
	response, err := m.client.Do(request)
	if err != nil {
		return model.Answer{}, &model.Error{Err: err}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return model.Answer{}, &model.Error{
			Status:     response.StatusCode,
			RetryAfter: model.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now()),
		}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, m.limit))
	if err == nil && response.Header.Get("Content-Type") != "application/json" {
		err = errors.New("the response is no JSON by its content type")
	}
	if err != nil {
		return model.Answer{}, &model.Error{Status: response.StatusCode, Err: err}
	}
	return openai.ParseResponse(response.StatusCode, text)
}

// writeAnswer is what a server of that interface sends.
func writeAnswer(w http.ResponseWriter, text string) {
	quoted, _ := json.Marshal(text)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`, quoted)
}

// promptOf is the text of a request's only message.
func promptOf(r *http.Request) string {
	var body struct {
		Messages []struct{ Content string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Messages) != 1 {
		return ""
	}
	return body.Messages[0].Content
}

func answerRecord(key, text string) journal.Record {
	return journal.Record{
		Key: key, Question: "q", Arm: "slot", Slot: 1, Answers: []string{"a"}, Time: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		Answer: &model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 5, Completion: 2, Cached: 1}}, Attempts: 1, Estimated: 4,
	}
}
