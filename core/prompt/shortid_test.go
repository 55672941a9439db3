package prompt_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// withIDs returns documents whose texts and IDs are the given letters; a lower-case
// letter has no ID.
func withIDs(letters string) []doc {
	var docs []doc
	for _, letter := range letters {
		d := doc{text: "text of " + string(letter), meta: map[string]any{}}
		if letter < 'a' {
			d.meta["id"] = string(letter)
		}
		docs = append(docs, d)
	}
	return docs
}

// A document has its label whatever its rank, its slot and the other documents, with an ID
// or without.
func TestByIDIsStable(t *testing.T) {
	t.Parallel()
	labels := map[string]int{} // by text
	for _, letters := range []string{"ABCde", "edCBA", "A", "e", "XYZAd", "dA"} {
		docs := withIDs(letters)
		p := build(t, prompt.Config{Labels: prompt.ByID}, docs, prompt.Input{Question: "Q"})
		for _, placed := range p.Arrangement.Slots {
			text := docs[placed.Index].text
			if was, seen := labels[text]; seen && was != placed.Label {
				t.Errorf("%s has the label %d in %q, and had %d", text, placed.Label, letters, was)
			}
			labels[text] = placed.Label
			if placed.Label < 1_000 || placed.Label > 9_999 || !strings.Contains(p.Text, fmt.Sprintf("[%d] %s", placed.Label, text)) {
				t.Errorf("%s has the label %d in %q", text, placed.Label, p.Text)
			}
		}
	}
	if len(labels) != 8 {
		t.Errorf("%d documents have labels, want 8", len(labels))
	}
	same(t, "a label in every process and version", 5709, labels["text of A"])
	same(t, "a label of a text", 5169, labels["text of e"])
}

// The ID may stand under another key.
func TestIDKey(t *testing.T) {
	t.Parallel()
	docs := withIDs("A")
	want := labelsOf(build(t, prompt.Config{Labels: prompt.ByID}, docs, prompt.Input{Question: "Q"}).Arrangement)
	docs[0].meta = map[string]any{"key": "A", "id": "other"}
	got := labelsOf(build(t, prompt.Config{Labels: prompt.ByID, IDKey: "key"}, docs, prompt.Input{Question: "Q"}).Arrangement)
	same(t, "label", want, got)
}

// On 10,000 random prompts, some of documents that are alike in ID or text, and so many
// that four digits do not do: labels are unique, each citation resolves, and prompts that
// begin with the same documents begin with the same bytes, whatever their ranks.
func TestByIDOnRandomPrompts(t *testing.T) {
	t.Parallel()
	longer := 0
	for i := range 10_000 {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		n := 1 + r.IntN(20)
		if i%1_000 == 0 {
			n = 3_000
		}
		docs := make([]doc, n)
		for j := range docs {
			docs[j] = doc{text: fmt.Sprint("text ", r.IntN(3*n)), meta: map[string]any{}}
			if r.IntN(3) > 0 {
				docs[j].meta["id"] = fmt.Sprint("chunk-", r.IntN(3*n))
			}
		}
		config := prompt.Config{Labels: prompt.ByID, Format: formats[r.IntN(len(formats))]}
		p := build(t, config, docs, prompt.Input{Question: "Q"})
		var answer strings.Builder
		seen := map[int]bool{}
		for _, placed := range p.Arrangement.Slots {
			if seen[placed.Label] {
				t.Fatalf("prompt %d: the label %d stands twice", i, placed.Label)
			}
			seen[placed.Label] = true
			if placed.Label > 9_999 {
				longer++
			}
			fmt.Fprintf(&answer, "So it is [%d]. ", placed.Label)
		}
		citations := p.Citations(answer.String())
		if len(citations) != n {
			t.Fatalf("prompt %d: %d citations, want %d", i, len(citations), n)
		}
		for slot, c := range citations {
			if !c.Exists || c.Rank != p.Arrangement.Slots[slot].Rank {
				t.Fatalf("prompt %d: %+v, want rank %d", i, c, p.Arrangement.Slots[slot].Rank)
			}
		}
		if err := p.Arrangement.Check(n); err != nil {
			t.Fatalf("prompt %d: %v", i, err)
		}
		if n < 100 {
			checkSameBeginning(t, r, config, p, docs)
		}
	}
	if longer == 0 {
		t.Error("no label is longer than four digits: the test has no collision")
	}
}

// checkSameBeginning lays out the first documents of p again, in their order, at other
// ranks and before others.
func checkSameBeginning(t *testing.T, r *rand.Rand, config prompt.Config, p prompt.Prompt, docs []doc) {
	t.Helper()
	keep := 1 + r.IntN(len(docs))
	var again []doc
	for _, placed := range p.Arrangement.Slots[:keep] {
		again = append(again, docs[placed.Index])
	}
	again = append(again, doc{text: "another document at the end"})
	ranks := r.Perm(len(again))
	a := core.Arrangement{N: len(again)}
	for slot, rank := range ranks {
		a.Slots = append(a.Slots, core.Placed{Index: slot, Rank: rank, Label: rank + 1})
	}
	other, err := prompt.Render(t.Context(), mustNew(t, config), a, again, docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	last := docs[p.Arrangement.Slots[keep-1].Index].text
	end := strings.Index(other.Text, "another document at the end")
	end = strings.LastIndex(other.Text[:end], last) + len(last)
	if len(p.Text) < end || p.Text[:end] != other.Text[:end] {
		t.Fatalf("the same %d documents begin otherwise (-want +got)\n-%s\n+%s", keep, p.Text, other.Text)
	}
}

// Labels by ID hold where a budget leaves documents out, and in a block.
func TestByIDUnderABudget(t *testing.T) {
	t.Parallel()
	docs := withIDs("ABCDEFGH")
	all := build(t, prompt.Config{Labels: prompt.ByID}, docs, prompt.Input{Question: "Q"})
	label := func(p prompt.Prompt, index int) int {
		at := slices.IndexFunc(p.Arrangement.Slots, func(p core.Placed) bool { return p.Index == index })
		if at < 0 {
			return 0
		}
		return p.Arrangement.Slots[at].Label
	}
	some := build(t, prompt.Config{Labels: prompt.ByID, Unit: core.Runes, Budget: 80}, docs, prompt.Input{Question: "Q"})
	part := block(t, prompt.Config{Labels: prompt.ByID}, docs[:3])
	if left := len(some.Arrangement.Slots); left < 2 || left > 7 {
		t.Fatalf("the budget left %d documents", left)
	}
	for index := range docs {
		want := label(all, index)
		if got := label(some, index); got != 0 && got != want {
			t.Errorf("document %d has the label %d under a budget, want %d", index, got, want)
		}
		if shown := fmt.Sprintf("[%d] %s", want, docs[index].text); index < 3 && !strings.Contains(part, shown) {
			t.Errorf("the block %q lacks %q", part, shown)
		}
	}
}

// Documents with one ID are told apart by their order, each by four digits.
func TestByIDOfOneID(t *testing.T) {
	t.Parallel()
	p := build(t, prompt.Config{Labels: prompt.ByID}, withIDs("AAAB"), prompt.Input{Question: "Q"})
	same(t, "labels", []int{5709, 7515, 5487, 1687}, labelsOf(p.Arrangement))
}
