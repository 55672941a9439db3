package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// fields returns the columns of the lines that match, without the scores.
func fields(out, pattern string) []string {
	var rows []string
	for _, line := range regexp.MustCompile("(?m)"+pattern).FindAllString(out, -1) {
		rows = append(rows, strings.Join(strings.Fields(regexp.MustCompile(`\d\.\d+`).ReplaceAllString(line, "*")), " "))
	}
	return rows
}

func TestRun(t *testing.T) {
	t.Parallel()
	out, err := output(t, "-prompt")
	if err != nil {
		t.Fatal(err)
	}
	first := terminal.First(out)
	for _, want := range []string{
		"Question  Can I get a refund after 45 days?\n", "store credit instead of money. [4]\n", "\n[4] is refunds.md#2, in slot 5 of 6\n",
		"6 of 11 documents enter the prompt. house-rule is pinned",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in the first ten lines:\n%s", want, first)
		}
	}
	terminal.Fits(t, out)
	if want := "head-tail: 11 in, 6 placed, 5 left out, budget 398 of 450 used\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in the output:\n%s", want, out)
	}
	// slot, rank, label, place in the input, score, tokens
	slots := []string{
		"1 r1 [1] 1 * 92", "2 r3 [3] 3 * 53", "3 r5 [5] 5 * 70",
		"4 r11 [6] 11 - 21 pinned", "5 r4 [4] 4 * 87", "6 r2 [2] 2 * 75",
	}
	if got := fields(out, `^\d+ +r.*`); !slices.Equal(got, slots) {
		t.Errorf("slots (-want +got)\n-%s\n+%s", strings.Join(slots, "\n-"), strings.Join(got, "\n+"))
	}
	dropped := fields(out, `^out .*`)
	if len(dropped) != 5 || !strings.HasPrefix(dropped[0], "out r6 6 * 69 beyond the budget") {
		t.Errorf("left out: %q", dropped)
	}
	// The documents in the prompt: label and first words.
	want := []string{
		"[1]\nWhen a maker does not help", "[3]\nWhat we cannot send", "[5]\nEstimates and changes",
		"[6]\nIf a customer is ill", "[4]\nWhen the month is over", "[2]\nCancelling a place",
	}
	rest := out
	for _, document := range want {
		_, after, found := strings.Cut(rest, "\n\n"+document)
		if !found {
			t.Fatalf("no %q, or in the wrong slot, in the output:\n%s", document, out)
		}
		rest = after
	}
	if out, err := output(t); err != nil || strings.Contains(out, "\n[1]\n") {
		t.Errorf("the prompt is shown unasked (%v):\n%s", err, out)
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for budget, want := range map[string]string{
		"21":  "head-tail: 11 in, 1 placed, 10 left out, budget 21 of 21 used",
		"112": "head-tail: 11 in, 1 placed, 10 left out, budget 21 of 112 used",
		"113": "head-tail: 11 in, 2 placed, 9 left out, budget 113 of 113 used",
		"0":   "head-tail: 11 in, 11 placed, 0 left out\n",
	} {
		out, err := output(t, "-prompt", "-budget", budget)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("-budget %s: error %v, no %q in the output:\n%s", budget, err, want, out)
		}
		if !strings.Contains(out, "If a customer is ill") {
			t.Errorf("-budget %s: the pinned document is missing", budget)
		}
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	var pin *core.PinError
	if _, err := output(t, "-budget", "20"); !errors.As(err, &pin) || pin.Got != 21 {
		t.Errorf("a budget below the pin: want a *core.PinError over 21, got %v", err)
	}
	var config *core.ConfigError
	if _, err := output(t, "-budget", "-1"); !errors.As(err, &config) || config.Field != "Budget" {
		t.Errorf("a negative budget: want a *core.ConfigError, got %v", err)
	}
	for _, arg := range []string{"-answer", "refunds"} {
		if out, err := output(t, arg); err == nil || out != "" {
			t.Errorf("%s: want an error and no output, got %v and:\n%s", arg, err, out)
		}
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	// Labels are neither places in the input, which is not ranked, nor ranks: r2 is
	// a duplicate and has no label.
	found := []passage{{ID: "b", Score: 2}, {ID: "c", Score: 1}, {ID: "a", Score: 4}, {ID: "a", Score: 3}}
	arranger, err := core.New(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, DropSameID: true})
	if err != nil {
		t.Fatal(err)
	}
	arrangement, err := core.Arrange(t.Context(), arranger, found, view, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	got := sources(arrangement, found, "Yes [1], but [3] and [2] say no [7] [0] [2, 1] [99999999999999999999].")
	want := []string{
		"[1] is a, in slot 1 of 3", "[3] is c, in slot 2 of 3", "[2] is b, in slot 3 of 3",
		"[7] is no document of this prompt", "[0] is no document of this prompt",
		"[99999999999999999999] is not understood",
	}
	if !slices.Equal(got, want) {
		t.Errorf("sources (-want +got)\n-%q\n+%q", want, got)
	}
	if got := sources(arrangement, found, "No citation."); got != nil {
		t.Errorf("no citation: got %q", got)
	}
}

func TestNothingFound(t *testing.T) {
	t.Parallel()
	out, err := output(t, "-prompt", "-q", "giraffe?")
	if err != nil {
		t.Fatal(err)
	}
	if want := "[1]\nIf a customer is ill or in danger, do not argue: hand over to a person at once.\n\nQuestion: giraffe?"; !strings.Contains(out, want) {
		t.Errorf("no %q in the output:\n%s", want, out)
	}
	if !strings.Contains(out, "Answer    The documents do not say.\n") {
		t.Errorf("want no answer and no citation:\n%s", out)
	}
}
