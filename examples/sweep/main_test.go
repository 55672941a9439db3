package main

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/terminal"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/simulate"
)

func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	t.Parallel()
	for reader, want := range map[string]string{
		"u":       "\nshape of the curve  U\nbest order by it    r1 r3 r5 r7 r9 r10 r8 r6 r4 r2\n",
		"recency": "\nshape of the curve  recency\nbest order by it    r10 r9 r8 r7 r6 r5 r4 r3 r2 r1\n",
	} {
		out, err := output(t, "-reader", reader, "-questions", "300")
		if err != nil {
			t.Fatal(err)
		}
		terminal.Fits(t, out)
		first := terminal.First(out)
		if !strings.HasPrefix(out, "SIMULATED, no measurement: in which slot of 10 documents does the reader") || !strings.Contains(first, want) {
			t.Errorf("-reader %s: want SIMULATED and %q in the first ten lines, got:\n%s", reader, want, out)
		}
		if n := strings.Count(out, "█\n"); n != documents || !strings.Contains(out, "\n   1 ") || !strings.Contains(out, "\n  10 ") {
			t.Errorf("-reader %s: %d slots, want %d", reader, n, documents)
		}
	}
}

// The reader has to read by the prompt, not by what the loop knows.
func TestAskLooksIntoThePrompt(t *testing.T) {
	t.Parallel()
	accuracy := make([]float64, documents)
	accuracy[3] = 1
	reader, err := simulate.NewReader(accuracy, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := dataset.KeyValues(1, 1, documents)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cases.Case(0)
	if err != nil {
		t.Fatal(err)
	}
	for slot := range documents {
		text, err := build(t.Context(), c.WithGoldAt(slot, documents), c.Question)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(reader, 0, c, text) == c.Answers[0]; got != (slot == 3) {
			t.Errorf("answer in slot %d: right %v, want right in slot 3 alone", slot, got)
		}
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-reader", "none"}, {"-questions", "0"}, {"-questions", "-1"}, {"u"}} {
		if out, err := output(t, args...); err == nil || out != "" {
			t.Errorf("%q: want an error and no output, got %v and:\n%s", args, err, out)
		}
	}
}
