package vet

import (
	"slices"
	"strings"
	"unicode"

	"github.com/bookend-rag/bookend/core"
)

// Word is the name of an order.
type Word struct {
	Name      string         // as it is written
	Placement core.Placement // nil if nobody knows the name
	Near      bool           // the placement is nearly that, too little to ask a curve
}

// spellings are the names in use that Bookend does not read itself.
var spellings = map[string][]string{
	"ranked": {
		"score-desc", "score-descending", "relevance", "relevance-desc", "relevance-descending", "similarity", "similarity-descending",
		"best-first", "most-relevant-first",
	},
	"reversed":  {"score-asc", "score-ascending", "relevance-asc", "relevance-ascending", "similarity-ascending", "best-last", "most-relevant-last"},
	"head-tail": {"lost-in-the-middle"},
}

// parseOrder reads the name of an order, in snake, kebab or camel case. It opens no
// file: a name with an argument is not known here.
func parseOrder(name string) Word {
	w := Word{Name: name}
	if len(name) > 60 || strings.Contains(name, "=") {
		return w
	}
	word := strings.Join(words(name), "-")
	for canonical, others := range spellings {
		if slices.Contains(others, word) {
			word = canonical
		}
	}
	if p, err := core.ParsePlacement(word); err == nil && p != core.DocumentOrder {
		w.Placement = p
	}
	return w
}

// orderNames are what a misspelled order may have been meant to be.
func orderNames() []string {
	return append([]string{"similarity_desc", "similarity_asc", "head_tail_alternating", "fold_by_relevance", "long_context_reorder"}, core.PlacementNames()...)
}

// spell writes a fixed order by the names of similarity_desc, in the style of the word
// that it replaces.
func (w *Word) spell(p core.StandardPlacement) string {
	name := map[core.StandardPlacement]string{core.RankOrder: "similarity_desc", core.Reversed: "similarity_asc", core.HeadTail: "head_tail_alternating"}[p]
	switch {
	case strings.Contains(w.Name, "-"):
		return strings.ReplaceAll(name, "_", "-")
	case !strings.Contains(w.Name, "_") && strings.ContainsFunc(w.Name, unicode.IsUpper):
		parts := strings.Split(name, "_")
		for i, part := range parts[1:] {
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
		return strings.Join(parts, "")
	}
	return name
}

// words splits a name: "rerankTop_n" into rerank, top, n.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	return strings.Fields(b.String())
}
