package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Requests keep what an experiment leaves out, and tell when they came.
func TestRequests(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	lines := []string{
		`{"time":"2026-12-01T09:00:00+01:00","conversation":"c","question":"q","answers":["forty"],"ctxs":[{"text":"forty"}]}`,
		`{"time":null,"conversation":7,"question":"q","ctxs":[{"text":"a"}]}`,
		`{"ctxs":[{"text":"a"}]}`,
		`{"question":"no document","ctxs":[]}`,
		`{"time":"noon","question":"q","ctxs":[{"text":"a"}]}`,
		`{"conversation":[],"question":"q","ctxs":[{"text":"a"}]}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	requests, err := Rules{Lists: true, Requests: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer requests.Close()
	var got []Case
	for i := range requests.Len() {
		c, err := requests.Case(i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if len(got) != 3 || !got[0].Time.Equal(time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)) || got[0].Conversation != "c" ||
		!got[1].Time.IsZero() || got[1].Conversation != "7" || got[2].Question != "" {
		t.Errorf("%+v", got)
	}
	if report := requests.Report().String(); !strings.Contains(report, `"time" holds a text and must hold a time such as`) {
		t.Errorf("%s", report)
	}
	lists, err := Rules{Lists: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lists.Close()
	if c, err := lists.Case(0); err != nil || lists.Len() != 1 || !c.Time.IsZero() || c.Conversation != "" {
		t.Errorf("as lists of an experiment: %d, %+v, %v", lists.Len(), c, err)
	}
}
