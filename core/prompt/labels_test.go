package prompt_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// Under BySlot the arrangement, its table and the event say the label that the prompt
// shows, also where the budget left documents out.
func TestBySlotIsWhatTheArrangementSays(t *testing.T) {
	t.Parallel()
	for _, budget := range []int{0, len("[1] A\n\n[2] C\n\n[3] B\n\nQuestion: Q")} {
		var event core.Event
		a := mustArranger(t, core.Config{Observe: func(_ context.Context, e core.Event) { event = e }})
		c := prompt.Config{Labels: prompt.BySlot, NoDocuments: "-", Budget: budget}
		if budget > 0 {
			c.Unit = core.Runes
		}
		p, err := prompt.Build(t.Context(), mustNew(t, c), a, letters(5), docView, prompt.Input{Question: "Q"})
		if err != nil {
			t.Fatal(err)
		}
		for slot, placed := range p.Arrangement.Slots {
			if !strings.Contains(p.Text, fmt.Sprintf("[%d] %c", placed.Label, 'A'+placed.Index)) || placed.Label != slot+1 {
				t.Errorf("slot %d has label %d, the prompt is %q", slot, placed.Label, p.Text)
			}
			same(t, "rank of the label", placed.Rank, p.Arrangement.Labels()[placed.Label])
		}
		same(t, "event", p.Arrangement.String(), event.Arrangement.String())
		same(t, "labels of the event", p.Arrangement.Labels(), event.Arrangement.Labels())
		if !strings.Contains(p.Arrangement.String(), fmt.Sprintf("[%d]", len(p.Arrangement.Labels()))) {
			t.Errorf("the table is\n%s", p.Arrangement)
		}
	}
}

// The arrangement that Render is given keeps its labels.
func TestBySlotLeavesTheCallersArrangement(t *testing.T) {
	t.Parallel()
	a := mustArranged(t, core.Reversed, 3)
	p, err := prompt.Render(t.Context(), mustNew(t, prompt.Config{Labels: prompt.BySlot}), a, letters(3), docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the prompt's", []int{1, 2, 3}, labelsOf(p.Arrangement))
	same(t, "the caller's", []int{3, 2, 1}, labelsOf(a))
}

func labelsOf(a core.Arrangement) []int {
	var labels []int
	for _, p := range a.Slots {
		labels = append(labels, p.Label)
	}
	return labels
}

// A FormatFunc with numbers of its own sends no citation to another document: its labels
// cite nothing, and a note says so.
func TestLabelsThatFormatFuncDoesNotShow(t *testing.T) {
	t.Parallel()
	bySlot := func(d prompt.Document) (string, error) { return fmt.Sprintf("[%d] %s", d.Slot+1, d.Text), nil }
	for _, test := range []struct {
		name   string
		format func(prompt.Document) (string, error)
		docs   []doc
		labels []int
		note   string
	}{
		{"the label", func(d prompt.Document) (string, error) { return fmt.Sprintf("(%d) %s", d.Label, d.Text), nil }, letters(5), []int{0, 1, 2, 3, 4}, ""},
		{"numbers by slot", bySlot, letters(5), []int{0, -1, -1, 3, -1}, "3 of 5 documents, first of [2]"},
		{"the same by accident", bySlot, letters(1), []int{0}, ""},
		{"letters", func(d prompt.Document) (string, error) { return "A: " + d.Text, nil }, letters(2), []int{-1, -1}, "2 of 2"},
		{"the number of a text", func(d prompt.Document) (string, error) { return d.Text, nil }, texts("in 1", "in 2 days"), []int{-1, -1}, "2 of 2"},
		{"the number of a title", func(d prompt.Document) (string, error) { return d.Title + ": " + d.Text, nil }, titled("Part 1", "A", "Part 2", "B"), []int{-1, -1}, "2 of 2"},
		{"a part of a number", func(d prompt.Document) (string, error) { return fmt.Sprintf("%d: ", d.Label*11) + d.Text, nil }, letters(2), []int{-1, -1}, "2 of 2"},
		{"with an escaped text", func(d prompt.Document) (string, error) { return fmt.Sprintf("%d: %q", d.Label, d.Text), nil }, texts("a\n", "b\n"), []int{0, 1}, ""},
	} {
		p := build(t, prompt.Config{FormatFunc: test.format}, test.docs, prompt.Input{Question: "Q"})
		same(t, test.name, test.labels, citedRanks(p))
		notes := strings.Join(p.Arrangement.Notes, "\n")
		if !strings.Contains(notes, test.note) || (test.note == "") != (notes == "") {
			t.Errorf("%s: notes %q, want %q in them", test.name, notes, test.note)
		}
		for _, c := range p.Citations("[1][2][3][4][5]") {
			if rank, exists := p.Arrangement.Labels()[c.Label]; exists != c.Exists || exists && rank != c.Rank {
				t.Errorf("%s: %+v", test.name, c)
			}
		}
	}
}

// A label has all its digits.
func TestLabelsOfManyDocuments(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	docs := make([]doc, 12_012)
	for i := range docs {
		docs[i].text = "text"
		if i > 0 {
			want.WriteString("\n\n")
		}
		fmt.Fprintf(&want, "[%d] text", i+1)
	}
	if got := block(t, prompt.Config{}, docs); got != want.String() {
		t.Error("a label of 12012 is written wrong")
	}
}
