package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// cited writes citations as "1→r1 9→none ?unread".
func cited(list []prompt.Citation) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = fmt.Sprintf("%d→r%d", c.Label, c.Rank+1)
		if c.Unread != "" {
			words[i] = "?" + c.Unread
			if c.Label != 0 || c.Exists || c.Rank != -1 {
				words[i] += fmt.Sprintf(" of label %d and rank %d", c.Label, c.Rank)
			}
		} else if !c.Exists {
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
		{"[999999999]", "999999999→none"},
		{"[[1]]", "1→r1"},
		{"مرحبا [1] 日本 [2]。", "1→r1 2→r3"},
		{"\xff[1]\xfe", "1→r1"},

		// Ranges, lists and other brackets.
		{"see [6-8]", "6→none 7→none 8→none"},
		{"see [1 and 3]", "1→r1 3→r5"},
		{"see 【1】", "1→r1"},
		{"see [Document 2]", "2→r3"},
		{"[1–3]", "1→r1 2→r3 3→r5"},
		{"[1 — 2]", "1→r1 2→r3"},
		{"[1 to 3]", "1→r1 2→r3 3→r5"},
		{"[1 bis 2 und 3]", "1→r1 2→r3 3→r5"},
		{"[1, 2–3]", "1→r1 2→r3 3→r5"},
		{"[1]–[3]", "1→r1 2→r3 3→r5"},
		{"[1]-[3]", "1→r1 2→r3 3→r5"},
		{"[1] to [3]", "1→r1 2→r3 3→r5"},
		{"[1] - [3] says no", "1→r1 3→r5"},
		{"[1, 2]–[3]", "1→r1 2→r3 3→r5"},
		{"[1][2]; [1;2] [1, and 2] [1 & 2] [1 2] [1 or 2]", "1→r1 2→r3"},
		{"［2］ 〔3〕 【1，2】", "2→r3 3→r5 1→r1"},
		{"［１］ [٣]", "1→r1 3→r5"},
		{"[^2] [^1^] [#3]", "2→r3 1→r1 3→r5"},
		{"\\[2\\] **[1]** [[3]]", "2→r3 1→r1 3→r5"},
		{"[1,] [;2] [3,,1]", "1→r1 2→r3 3→r5"},
		{"【2†source】【1†L3-L5】", "2→r3 1→r1"},

		// A word and a number.
		{"[doc 1] [Doc. 2] [doc3]", "1→r1 2→r3 3→r5"},
		{"[Source: 2] [citation:1] [cite: 3]", "2→r3 1→r1 3→r5"},
		{"[ref_2] [doc-1] [ID:3]", "2→r3 1→r1 3→r5"},
		{"[Documents 1 and 3] [see Document 2]", "1→r1 3→r5 2→r3"},
		{"[Document 1, Document 3]", "1→r1 3→r5"},
		{"[Document 2: Refunds] [1: Plus, from day 30]", "2→r3 1→r1"},
		{"[2, p. 14] [1, Seite 3]", "2→r3 1→r1"},
		{"[Quelle 2] [文档1] [来源：3]", "2→r3 1→r1 3→r5"},
		{"Document [2] says, as does Document [1](Title: Refunds)", "2→r3 1→r1"},
		{"According to Document 2, yes. Source 1 agrees.", "2→r3 1→r1"},
		{"Documents 1, 2 and 3 say so.", "1→r1 2→r3 3→r5"},
		{"Sources 1-3", "1→r1 2→r3 3→r5"},
		{"(Doc 2) (doc #3) **Source 1:** yes", "2→r3 3→r5 1→r1"},
		{"Laut Dokument 2 und Quelle 3", "2→r3 3→r5"},
		{"根据文档2和3", "2→r3 3→r5"},
		{"document 1, 30 days", "1→r1"},

		// Superscripts.
		{"refund.² Plus members¹,³", "2→r3 1→r1 3→r5"},
		{"25 m² and 10³, 30 feet², x²", ""},

		// Not understood, and counted.
		{"[S2] [2nd] [Handbook 2]", "?S2 ?2nd ?Handbook 2"},
		{"[1a] [a1] [Smith 2020]", "?1a ?a1 ?Smith 2020"},
		{"【4:0†source】", "?4:0†source"},
		{"[8-6] [1-1000000]", "?8-6 ?1-1000000"},
		{"[S2] and [S2]", "?S2"},
		{"[12345678901234567890123]", "?12345678901234567890123"},
		{"[1, 12345678901234567890123]", "1→r1 ?12345678901234567890123"},
		{"[p. 2]", "?p. 2"},

		// No citation.
		{"1 and (2)", ""},
		{"[a] [] [ ] [,] [-1] [1.5] [12:30] [2024-05-01] [3/5] [95% CI]", ""},
		{"a[i+1] [Insert 3 items] [handbook 2](https://example.org)", ""},
		{"the document 2.5, document 2024-05-01, source 30%, documents 2nd", ""},
		{"documented 2 resource 2 doc_2x", ""},
		{"[1", ""},
		{"1]", ""},
		{"[ [ [", ""},
	} {
		same(t, test.answer, test.want, cited(prompt.Citations(test.answer, citing(0, 2, 4))))
	}
}

func TestCitationsWithoutLabels(t *testing.T) {
	t.Parallel()
	same(t, "no labels", "1→none", cited(prompt.Citations("[1]", core.Arrangement{})))
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
	same(t, "labels", []int{0, 1, 2, 3, 4}, citedRanks(p))

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
	same(t, "citations", 100_000, len(prompt.Citations(answer.String(), core.Arrangement{})))
	for _, unit := range []string{"[", "[1", "[1, ", "[doc ", "document ", "sources 1, ", "²", "[1]-", "【[", "[S1 ", "文档"} {
		prompt.Citations(strings.Repeat(unit, 3_000_000/len(unit)), citing(0))
	}
}

// Nothing panics, a citation that exists is one of a document, and what is kept of an
// answer is short and on one line.
func FuzzCitations(f *testing.F) {
	for _, seed := range []string{"[6-8]【2†s】Documents 1, 2", "[1]–[3] x²", "[\xff1] [9999999999999999999999]", "文档2和3", "[^1^][[2], 3]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		seen := map[prompt.Citation]bool{}
		for _, c := range prompt.Citations(answer, citing(4, -1, 7)) {
			wrong := c.Exists != (c.Label == 1 || c.Label == 3) || c.Exists == (c.Rank < 0) || c.Unread != "" && c.Label != 0
			if wrong || seen[c] || len([]rune(c.Unread)) > 40 || strings.ContainsAny(c.Unread, "\n\x1b") {
				t.Errorf("%q gives %+v", answer, c)
			}
			seen[c] = true
		}
	})
}
