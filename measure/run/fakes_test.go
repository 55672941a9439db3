package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

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
		err = errors.New("the response is not JSON by its content type")
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
