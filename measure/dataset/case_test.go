package dataset

import (
	"slices"
	"strings"
	"testing"
)

// letters makes a case with one document for each letter, the gold one in upper
// case.
func letters(s string) Case {
	var c Case
	for i, r := range s {
		c.Documents = append(c.Documents, Document{ID: string(r)})
		if r < 'a' {
			c.Gold = i
		}
	}
	return c
}

func spell(documents []Document) string {
	var b strings.Builder
	for _, d := range documents {
		b.WriteString(d.ID)
	}
	return b.String()
}

func TestWithGoldAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		documents string
		slot, n   int
		want      string
	}{
		{"Gabc", 0, 4, "Gabc"},
		{"Gabc", 1, 4, "aGbc"},
		{"Gabc", 2, 4, "abGc"},
		{"Gabc", 3, 4, "abcG"},
		{"abGc", 0, 4, "Gabc"},
		{"abGc", 1, 4, "aGbc"},
		{"abGc", 2, 4, "abGc"},
		{"abGc", 3, 4, "abcG"},
		{"abcG", 0, 4, "Gabc"},
		{"abcG", 3, 4, "abcG"},
		// Fewer documents than there are: the first others stay.
		{"abcG", 0, 3, "Gab"},
		{"abcG", 2, 3, "abG"},
		{"aGbc", 1, 2, "aG"},
		{"abcG", 0, 1, "G"},
		{"G", 0, 1, "G"},
	} {
		c := letters(test.documents)
		got := spell(c.WithGoldAt(test.slot, test.n))
		if got != test.want {
			t.Errorf("%s.WithGoldAt(%d, %d) (-want +got)\n-%s\n+%s", test.documents, test.slot, test.n, test.want, got)
		}
		if now := spell(c.Documents); now != test.documents {
			t.Errorf("%s.WithGoldAt(%d, %d) changed the case to %s", test.documents, test.slot, test.n, now)
		}
	}
}

func TestWithGoldAtReturnsANewSlice(t *testing.T) {
	t.Parallel()
	c := letters("Gabc")
	c.WithGoldAt(0, 4)[0] = Document{ID: "x"}
	_ = append(c.WithGoldAt(0, 2), Document{ID: "x"})
	if got := spell(c.Documents); got != "Gabc" {
		t.Errorf("the case is %s after a write to the result", got)
	}
}

func TestWithGoldAtPanics(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		gold, slot, n int
	}{
		{"slot below 0", 0, -1, 3},
		{"slot at n", 0, 3, 3},
		{"more documents than there are", 0, 0, 5},
		{"no documents asked for", 0, 0, 0},
		{"gold below 0", -1, 0, 3},
		{"gold above the documents", 4, 0, 3},
	} {
		c := letters("Gabc")
		c.Gold = test.gold
		message := func() (message any) {
			defer func() { message = recover() }()
			c.WithGoldAt(test.slot, test.n)
			return nil
		}()
		if s, ok := message.(string); !ok || !strings.HasPrefix(s, "dataset: ") {
			t.Errorf("%s: panic is %v, want the message of this package", test.name, message)
		}
	}
}

func TestQuestionID(t *testing.T) {
	t.Parallel()
	const golden = "d376023a7fc2ff40" // SHA-256 of "who wrote it?"
	for _, question := range []string{"who wrote it?", "Who wrote it?", "  who\twrote \u00a0it?\n"} {
		if got := questionID(question); got != golden {
			t.Errorf("questionID(%q) (-want +got)\n-%s\n+%s", question, golden, got)
		}
	}
	// SHA-256 of "36:" and both UUIDs of the first generated pair of seed 0.
	if got, want := pairID("e19cb89c-2f80-4607-8069-cb1fe1ab7ef9", "52e1c66a-561e-4f89-ab0a-7a97960cf126"), "0da0d1d9968dba48"; got != want {
		t.Errorf("pairID (-want +got)\n-%s\n+%s", want, got)
	}
	ids := []string{questionID("who wrote it"), pairID("a", "bc"), pairID("ab", "c"), pairID("a", "BC"), pairID("1:a", "")}
	slices.Sort(ids)
	if got := len(slices.Compact(ids)); got != 5 {
		t.Errorf("5 different questions have %d IDs", got)
	}
}
