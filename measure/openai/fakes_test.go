package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

const key = "sk-test-4f9a1c77d2"

var question = model.Prompt{
	Text:     "Where is <Oslo>?",
	Messages: []prompt.Message{{Role: prompt.System, Text: "Be short."}, {Role: prompt.User, Text: "Where is <Oslo>?"}},
}

// chat is the shortest answer of a chat.
func chat(text string) string {
	content, _ := json.Marshal(text)
	return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, content)
}

// serve answers every request with the handler, until the test ends.
func serve(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// says answers every request with a status, a content type and a body.
func says(t testing.TB, status int, contentType, body string) *httptest.Server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = nil // no guess
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// client asks the server at the address with the key; change may alter that.
func client(t testing.TB, url string, change func(*openai.Config)) *openai.Client {
	t.Helper()
	config := openai.Config{BaseURL: url, Key: openai.NewKey(key), Model: "m", Timeout: 20 * time.Second}
	if change != nil {
		change(&config)
	}
	c, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// fault asks and wants an error of the kind and the status, without the key.
func fault(t *testing.T, c *openai.Client, kind error, status int) *model.Error {
	t.Helper()
	answer, err := c.Ask(t.Context(), question)
	return wantFault(t, answer, err, kind, status)
}

func wantFault(t *testing.T, answer model.Answer, err error, kind error, status int) *model.Error {
	t.Helper()
	if answer != (model.Answer{}) {
		t.Errorf("answer beside an error: %+v", answer)
	}
	e := (*model.Error)(nil)
	if !errors.As(err, &e) {
		t.Fatalf("error %T %v, want a *sweep.ModelError", err, err)
	}
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want of the kind %v", err, kind)
	}
	if e.Status != status {
		t.Errorf("status %d, want %d", e.Status, status)
	}
	noSecret(t, err, key)
	return e
}

// noSecret prints a value in every way that comes to mind.
func noSecret(t *testing.T, value any, secrets ...string) {
	t.Helper()
	texts := []string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts = append(texts, fmt.Sprintf(verb, value))
	}
	encoded, _ := json.Marshal(value)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", value)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", value)
	texts = append(texts, string(encoded), log.String())
	if err, ok := value.(error); ok {
		for ; err != nil; err = errors.Unwrap(err) {
			texts = append(texts, err.Error(), fmt.Sprintf("%#v", err))
		}
	}
	for _, text := range texts {
		for _, secret := range secrets {
			if strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%q shows the secret %q", text, secret)
			}
		}
	}
}

func short(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	t.Cleanup(cancel)
	return ctx
}
