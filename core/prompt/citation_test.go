package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// cited writes citations as "1→r1 9→none".
func cited(list []prompt.Citation) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = fmt.Sprintf("%d→r%d", c.Label, c.Rank+1)
		if !c.Exists {
			words[i] = fmt.Sprintf("%d→none", c.Label)
			if c.Rank != -1 {
				words[i] += fmt.Sprintf(" of rank %d", c.Rank)
			}
		}
	}
	return strings.Join(words, " ")
}

func TestCitations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ answer, want string }{
		{"", ""},
		{"No source.", ""},
		{"Yes [1].", "1→r1"},
		{"Yes [1, 3].", "1→r1 3→r5"},
		{"Yes [2; 9].", "2→r3 9→none"},
		{"Yes [3,2;1].", "3→r5 2→r3 1→r1"},
		{"Yes [ 1 ,\t2 ].", "1→r1 2→r3"},
		{"Yes [1][2] [3].", "1→r1 2→r3 3→r5"},
		{"[2] and [1, 2] and [2]", "2→r3 1→r1"},
		{"[9] [9] [10]", "9→none 10→none"},
		{"[0]", "0→none"},
		{"[4] is one above", "4→none"},
		{"[01] [002]", "1→r1 2→r3"},
		{"[999999]", "999999→none"},
		{"[1](https://example.org)", "1→r1"},
		{"[[1]]", "1→r1"},
		{"مرحبا [1] 日本 [2]。", "1→r1 2→r3"},
		{"\xff[1]\xfe", "1→r1"},

		// No label.
		{"1 and (2)", ""},
		{"[a] [] [ ] [,] [1a] [a1] [1 2] [-1] [1.5] [#1] [1,] [;2] [1,,2]", ""},
		{"[1", ""},
		{"1]", ""},
		{"[１] [٣]", ""},
		{"array[12345678901234567890123]", "12345678901234567890123"},
	} {
		want := test.want
		if strings.HasPrefix(test.answer, "array") {
			want = "" // a number that no prompt can have
		}
		same(t, test.answer, want, cited(prompt.Citations(test.answer, []int{0, 2, 4})))
	}
}

// A number that no prompt can have hides none beside it.
func TestCitationBesideAHugeNumber(t *testing.T) {
	t.Parallel()
	got := prompt.Citations("Yes [1, 12345678901234567890].", []int{0})
	if len(got) == 0 || got[0] != (prompt.Citation{Label: 1, Exists: true}) {
		t.Errorf("got %v, want the citation of [1]", got)
	}
}

func TestCitationsWithoutLabels(t *testing.T) {
	t.Parallel()
	same(t, "nil labels", "1→none", cited(prompt.Citations("[1]", nil)))
	same(t, "no prompt", "1→none", cited(prompt.Prompt{}.Citations("[1]")))
}

// From top to bottom the labels of five documents read 1 3 5 4 2, and the last of
// them is the second-best document.
func TestCitationResolvesToItsDocument(t *testing.T) {
	t.Parallel()
	docs := letters(5)
	docs[2].text = "C says [7] and [9]"
	p := build(t, prompt.Config{}, docs, prompt.Input{Question: "Q"})
	same(t, "text", "[1] A\n\n[3] C says [7] and [9]\n\n[5] E\n\n[4] D\n\n[2] B\n\nQuestion: Q", p.Text)
	same(t, "labels", []int{0, 1, 2, 3, 4}, p.Labels)

	citations := p.Citations("It is B [2], or so they say [9].")
	same(t, "citations", "2→r2 9→none", cited(citations))
	index, placed := p.Arrangement.IndexOf(citations[0].Rank)
	if !placed || docs[index].text != "B" {
		t.Errorf("[2] resolves to %d, %v", index, placed)
	}
	same(t, "a label of a text", "7→none", cited(p.Citations("[7]")))
}

// Under BySlot the number is that of the slot, and resolves all the same.
func TestCitationBySlot(t *testing.T) {
	t.Parallel()
	docs := letters(5)
	a := mustArranger(t, core.Config{})
	p, err := prompt.Build(t.Context(), mustNew(t, prompt.Config{Labels: prompt.BySlot}), a, docs, docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "citations", "5→r2 2→r3", cited(p.Citations("[5, 2]")))
}

// An answer of a hostile length takes one pass.
func TestManyCitations(t *testing.T) {
	t.Parallel()
	var answer strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&answer, "[%d]", i+1)
	}
	same(t, "citations", 100_000, len(prompt.Citations(answer.String(), nil)))
}
