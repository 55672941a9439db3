package record

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// doc is a document of a user's own type.
type doc struct {
	id, title, text string
	score           float64
}

var view = &core.View[*doc]{
	Text:  func(d *doc) string { return d.text },
	ID:    func(d *doc) string { return d.id },
	Score: func(d *doc) (float64, bool) { return d.score, d.score != 0 },
	Meta:  func(d *doc) map[string]any { return map[string]any{"title": d.title} },
}

func documents(n int) []*doc {
	docs := make([]*doc, n)
	for i := range docs {
		docs[i] = &doc{id: fmt.Sprint("d", i), title: fmt.Sprint("Title ", i), text: fmt.Sprint("text ", i), score: 1 / float64(i+1)}
	}
	return docs
}

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newPath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "traffic.jsonl")
}

func mustOpen(t testing.TB, path string, c Config, now func() time.Time) *Recorder {
	t.Helper()
	r, err := open(path, c, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func mustRead(t testing.TB, path string) ([]Entry, Reading) {
	t.Helper()
	var entries []Entry
	found, err := Read(path, func(e Entry) error { entries = append(entries, e); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return entries, found
}

// retrieve runs a chain's retrieval under an Observe.
func retrieve(t testing.TB, r *Recorder, id string, docs []*doc, c core.Config) {
	t.Helper()
	c.Observe = r.Observe
	a, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := core.WithRequestID(context.Background(), id)
	if _, err := core.Transform(ctx, a, docs, view, core.Call{Query: "What is " + id + "?"}); err != nil {
		t.Fatal(err)
	}
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func equal[T comparable](t testing.TB, what string, want, got T) {
	t.Helper()
	if want != got {
		t.Errorf("%s (-want +got)\n-%v\n+%v", what, want, got)
	}
}

func contains(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, text)
		}
	}
}
