package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// What is planted is found.
func TestRun(t *testing.T) {
	t.Parallel()
	for reader, want := range map[string][]string{
		"u":       {"\nU: ", "the best match: r1 "},
		"recency": {"\nrecency: ", "match: r10 r9 r8 r7 r6 r5 r4 r3 r2 r1\n"},
	} {
		out, err := output(t, "-reader", reader, "-requests", "4000")
		if err != nil {
			t.Fatal(err)
		}
		terminal.Fits(t, out)
		for _, part := range append(want, "SIMULATED, no measurement: 4000 requests, ", "\nslot  planted  found ", "\n  10  ") {
			if !strings.Contains(out, part) {
				t.Errorf("-reader %s: the output lacks %q:\n%s", reader, part, out)
			}
		}
	}
}

// The file holds no text, only the share, and labels that are those of the ranks.
func TestRecords(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "traffic.jsonl")
	if _, err := output(t, "-requests", "500", "-out", path); err != nil {
		t.Fatal(err)
	}
	entries := 0
	_, err := record.Read(path, func(e record.Entry) error {
		entries++
		if e.Arm != record.Shuffled || !share.Has(e.RequestID) || e.Question != "" || e.Documents[0].Text != "" {
			t.Errorf("%+v", e)
		}
		for i, rank := range e.Answer.Ranks {
			if e.Answer.Labels[i] != rank+1 {
				t.Errorf("label %d cites rank %d", e.Answer.Labels[i], rank)
			}
		}
		return nil
	})
	if err != nil || entries < 50 || entries > 150 {
		t.Errorf("%d entries of 500 requests: %v", entries, err)
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-reader", "none"}, {"-requests", "0"}, {"-out", filepath.Join(t.TempDir(), "no", "where")}} {
		if out, err := output(t, args...); err == nil || out != "" {
			t.Errorf("%q: want an error and no output, got %v and:\n%s", args, err, out)
		}
	}
}
