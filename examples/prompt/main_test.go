package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

const want = `Can I get a refund after 45 days?
The best document, [3], moves from slot 3 to slot 1. The question moves from
above the documents to below them, and the rules are repeated at the end.

BEFORE: as the parts came to hand      │ AFTER: laid out on purpose
                                       │
rules     You are the support          │ rules     You are the support
          assistant of Tarn & Fell.    │           assistant of Tarn & Fell.
          Use only the documents, stay │           Use only the documents, stay
          under 80 words, and cite the │           under 80 words, and cite the
          number of each document that │           number of each document that
          you use.                     │           you use.
question  Question: Can I get a refund │ slot 1    [3] Unused items: money back
          after 45 days?               │           for 30 days, from day 31 to
slot 1    [1] Gift cards are not       │           day 60 store credit.
          refunded. A card stays valid │ slot 2    [4] Sale items can be
          for 5 years.                 │           exchanged for 45 days, and
slot 2    [2] A refund goes to the     │           are not refunded.
          card that paid, within 5 to  │ slot 3    [1] Gift cards are not
          7 working days.              │           refunded. A card stays valid
slot 3    [3] Unused items: money back │           for 5 years.
          for 30 days, from day 31 to  │ slot 4    [5] Store credit is valid
          day 60 store credit.         │           for 18 months, in every shop
slot 4    [4] Sale items can be        │           and online.
          exchanged for 45 days, and   │ slot 5    [2] A refund goes to the
          are not refunded.            │           card that paid, within 5 to
slot 5    [5] Store credit is valid    │           7 working days.
          for 18 months, in every shop │ question  Question: Can I get a refund
          and online.                  │           after 45 days?
                                       │ reminder  Remember: only the
                                       │           documents, under 80 words,
                                       │           cite the number.

A number says when a document arrived. From best to worst: 3, 2, 4, 5, 1.

An answer, made up for this example
───────────────────────────────────
After 30 days you get store credit [3], at once in any shop [2], and cash from
the manager [9].

[3] exists: slot 1, rank 1. It says:
    Unused items: money back for 30 days, from day 31 to day 60 store credit.
[2] exists: slot 5, rank 2. It says:
    A refund goes to the card that paid, within 5 to 7 working days.
[9] is no document of this prompt

That a document exists does not mean that it supports the sentence: read both.

What is cut first
─────────────────
With 2 earlier turns, in tokens; 120 of each budget are kept for the answer.

budget  prompt  earlier turns  slots 1 to 5  cut
   400     201              2  3 4 1 5 2
   320     180              1  3 4 1 5 2     the oldest turn
   299     159              0  3 4 1 5 2     the oldest turn
   278     141              0  3 4 5 2       document 1, of rank 5
   260     123              0  3 4 2         document 5, of rank 4
   242     105              0  3 2           document 4, of rank 3
   224      84              0  3             document 2, of rank 2
   203      64              0                document 3, of rank 1
   183  no prompt: rules, question and reminder are never cut, and need 64
`

func output(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), args, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	t.Parallel()
	out, err := output(t)
	if err != nil {
		t.Fatal(err)
	}
	if out != want {
		t.Errorf("output (-want +got)\n-%s\n+%s", strings.ReplaceAll(want, "\n", "\n-"), strings.ReplaceAll(out, "\n", "\n+"))
	}
	terminal.Fits(t, out)
}

// TestThePicture tells from the prompts themselves what the picture has to show.
func TestThePicture(t *testing.T) {
	t.Parallel()
	texts := map[int]string{}
	for i, d := range documents {
		texts[i+1] = fmt.Sprintf("[%d] %s", i+1, d.Text)
	}
	before, err := arrived(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, err := onPurpose(t.Context(), 400, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		prompt prompt.Prompt
		want   []string
	}{
		"before": {before, []string{rules, "Question: " + question, texts[1], texts[2], texts[3], texts[4], texts[5]}},
		"after":  {after, []string{rules, texts[3], texts[4], texts[1], texts[5], texts[2], "Question: " + question, reminder}},
	} {
		if got, want := c.prompt.Text, strings.Join(c.want, "\n\n"); got != want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", name, want, got)
		}
		// Without the margin the picture holds the words of the prompt.
		var words []string
		for _, line := range picture(c.prompt) {
			words = append(words, strings.Fields(line[margin:])...)
		}
		if got, want := strings.Join(words, " "), strings.Join(strings.Fields(c.prompt.Text), " "); got != want {
			t.Errorf("picture of %s (-want +got)\n-%s\n+%s", name, want, got)
		}
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for budget, want := range map[string][]string{
		"278": {"The budget of 278 tokens left out: [1].\n", "\n   278     141              0  3 4 5 2       turns: 2, documents: 1\n", "[2] exists: slot 4, rank 2."},
		"210": {"The budget of 210 tokens left out: [2], [4], [5], [1].\n", "[2] is no document of this prompt\n", "[9] is no document of this prompt\n"},
		"184": {"left out: [3], [2], [4], [5], [1].\n", "AFTER: laid out on purpose", "No documents were found.", "\n   183  no prompt"},
		"900": {"\n   900     201              2  3 4 1 5 2\n   320 "},
	} {
		out, err := output(t, "-budget", budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range want {
			if !strings.Contains(out, want) {
				t.Errorf("-budget %s: no %q in the output:\n%s", budget, want, out)
			}
		}
	}
	// Each row is the largest prompt that fits: with one token less something goes.
	for _, row := range regexp.MustCompile(`(?m)^ +(\d+) +(\d+) +(\d) `).FindAllStringSubmatch(want, -1) {
		var budget, size, turns int
		fmt.Sscan(strings.Join(row[1:], " "), &budget, &size, &turns)
		p, err := onPurpose(t.Context(), budget, earlier)
		if err != nil {
			t.Fatal(err)
		}
		if got := tokens(p.Text); got != size || got+answerRoom > budget || len(p.Messages) != 2*turns+2 {
			t.Errorf("budget %d: %d tokens in %d messages, want %d and %d turns", budget, got, len(p.Messages), size, turns)
		}
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-budget", "0"}, {"-budget", "-1"}, {"-answer"}, {"refunds"}} {
		if out, err := output(t, args...); err == nil || out != "" || !strings.Contains(err.Error(), args[0]) {
			t.Errorf("%q: want an error and no output, got %v and:\n%s", args, err, out)
		}
	}
	var tooSmall *prompt.BudgetError
	if out, err := output(t, "-budget", "183"); !errors.As(err, &tooSmall) || tooSmall.Needed != 64 || out != "" {
		t.Errorf("a budget without room: want a *prompt.BudgetError over 64, got %v", err)
	}
}
