package prompt_test

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
)

func remembering(t *testing.T) (*core.Arranger, *reuse.Memory) {
	t.Helper()
	m, err := reuse.New(reuse.Config{Hold: 1})
	if err != nil {
		t.Fatal(err)
	}
	return mustArranger(t, core.Config{Placement: core.Choice{Placement: core.RankOrder}, Reuse: m}), m
}

// shown writes the documents of a prompt by their letters.
func shown(p prompt.Prompt, docs []doc) string {
	var b strings.Builder
	for _, placed := range p.Arrangement.Slots {
		b.WriteString(docs[placed.Index].text)
	}
	return b.String()
}

func ask(t *testing.T, c prompt.Config, a *core.Arranger, docs string, in prompt.Input) string {
	t.Helper()
	list := texts(strings.Split(docs, "")...)
	p, err := prompt.Build(t.Context(), mustNew(t, c), a, list, docView, in)
	if err != nil {
		t.Fatal(err)
	}
	return shown(p, list)
}

// A beginning is reused behind the same history and question alone, as far as they stand
// before the documents.
func TestReuseBehindTheSame(t *testing.T) {
	t.Parallel()
	one, two := said("user: U1", "assistant: A1"), said("user: U2", "assistant: A2")
	for _, test := range []struct {
		layout prompt.Layout
		first  prompt.Input
		second prompt.Input
		want   string
	}{
		{prompt.QuestionLast, prompt.Input{Question: "Q1"}, prompt.Input{Question: "Q2"}, "ACBD"},
		{prompt.QuestionLast, prompt.Input{Question: "Q1", History: one}, prompt.Input{Question: "Q2", History: one}, "ACBD"},
		{prompt.QuestionLast, prompt.Input{Question: "Q1", History: one}, prompt.Input{Question: "Q1", History: two}, "ABDC"},
		{prompt.QuestionLast, prompt.Input{Question: "Q1"}, prompt.Input{Question: "Q1", History: one}, "ABDC"},
		{prompt.DocumentsFirst, prompt.Input{Question: "Q1", History: one}, prompt.Input{Question: "Q2", History: two}, "ACBD"},
		{prompt.QueryAware, prompt.Input{Question: "Q1"}, prompt.Input{Question: "Q2"}, "ABDC"},
		{prompt.QueryAware, prompt.Input{Question: "Q1"}, prompt.Input{Question: "Q1"}, "ACBD"},
	} {
		a, _ := remembering(t)
		c := prompt.Config{Layout: test.layout, Labels: prompt.ByID}
		ask(t, c, a, "ACB", test.first)
		if got := ask(t, c, a, "ABDC", test.second); got != test.want {
			t.Errorf("%s, %v after %v: %s, want %s", test.layout, test.second, test.first, got, test.want)
		}
	}
}

// What a budget leaves out was not sent, and the rest begins as before.
func TestReuseUnderABudget(t *testing.T) {
	t.Parallel()
	a, m := remembering(t)
	c := prompt.Config{Labels: prompt.BySlot, Unit: core.Runes, Budget: len("[1] A\n\n[2] B\n\n[3] C\n\nQuestion: Q")}
	in := prompt.Input{Question: "Q"}
	same(t, "first", "ACB", ask(t, c, a, "ACBD", in))
	same(t, "bytes", int64(3), m.Stats().DocumentBytes)
	same(t, "second", "ACB", ask(t, c, a, "ABCD", in))
	same(t, "predicted", int64(3), m.Stats().PredictedBytes)
}

// Labels by rank change the text of a document: nothing would be reused.
func TestReuseNeedsLabelsThatStay(t *testing.T) {
	t.Parallel()
	a, m := remembering(t)
	_, _, err := prompt.Compile(prompt.Config{}, a.Config(), false, false)
	mustMention(t, err, "Labels", `"rank"`, `set "id", or "slot"`)
	for _, labels := range []prompt.LabelBy{prompt.ByID, prompt.BySlot} {
		if _, _, err := prompt.Compile(prompt.Config{Labels: labels}, a.Config(), false, false); err != nil {
			t.Errorf("%s: %v", labels, err)
		}
	}
	_, _, err = prompt.Compile(prompt.Config{Labels: prompt.ByID}, core.Config{Reuse: m}, true, false)
	mustMention(t, err, "Config.Reuse", "Placed")

	ask(t, prompt.Config{}, a, "ACB", prompt.Input{Question: "Q"})
	p, err := prompt.Build(t.Context(), nil, a, texts("A", "B", "C"), docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(p.Arrangement.Notes, "\n"); !strings.Contains(notes, "labels by rank") {
		t.Errorf("notes %q", notes)
	}
}
