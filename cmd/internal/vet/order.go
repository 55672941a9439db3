package vet

import (
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// Order is what the name of an order means.
type Order struct {
	Name      string // as it is written
	Meaning   Meaning
	Placement core.Placement // nil where it is not known
}

// Meaning sorts the names of orders.
type Meaning uint8

// The meanings.
const (
	Unknown  Meaning = iota // nobody knows the name
	Other                   // by date, by page, at random: not by relevance
	Ranked                  // best first
	Reversed                // best last
	Folded                  // the best at the ends, or another placement
)

// orders are the names in use, without what core reads as well. Hyphens, spaces
// and case make no difference.
var orders = map[Meaning][]string{
	Ranked: {
		"score_desc", "relevance", "relevance_desc", "relevancy", "relevance_score", "similarity", "similarity_score", "score", "by_score",
		"by_relevance", "by_similarity", "best_first", "most_relevant_first", "rank", "rank_asc", "ranking", "descending_score", "descending_similarity",
		"descending_relevance", "distance_asc", "score_descending", "relevance_descending", "similarity_descending", "rerank_score", "rerank_score_desc",
	},
	Reversed: {
		"score_asc", "relevance_asc", "best_last", "most_relevant_last", "rank_desc", "ascending_score", "ascending_similarity", "ascending_relevance",
		"distance_desc", "score_ascending", "relevance_ascending", "similarity_ascending", "worst_first", "least_relevant_first", "rerank_score_asc",
	},
	Folded: {"lost_in_the_middle", "litm", "head_tail_alternate", "alternating", "edges", "ends", "u_shape", "u_shaped"},
	Other: {
		"date", "date_asc", "date_desc", "time", "recency", "newest", "newest_first", "oldest", "oldest_first", "chronological", "reverse_chronological",
		"original", "source", "page", "position", "document", "sequential", "random", "none", "null", "off", "false", "default", "as_is", "natural",
		"insertion", "mmr", "diversity", "title", "alphabetical", "id", "custom", "timestamp", "path", "filename", "file", "name", "priority", "retrieval", "retriever", "given", "unchanged", "keep",
		"asc", "ascending", "desc", "descending", "true",
	},
}

// ParseOrder reads the name of an order, in any of the spellings in use.
func ParseOrder(name string) Order {
	word := plainWord(name)
	order := Order{Name: name}
	for meaning, names := range orders {
		if slices.Contains(names, word) {
			order.Meaning = meaning
		}
	}
	switch {
	case order.Meaning == Ranked:
		order.Placement = core.RankOrder
	case order.Meaning == Reversed:
		order.Placement = core.Reversed
	case order.Meaning == Folded && (word == "lost_in_the_middle" || word == "litm"):
		order.Placement = core.HeadTail
	case order.Meaning != Unknown:
	case strings.HasPrefix(word, "measured") || strings.HasPrefix(word, "curve"):
		order.Meaning = Folded // by a curve that need not be here
	default:
		p, err := core.ParsePlacement(name)
		if err != nil {
			if p, err = core.ParsePlacement(word); err != nil {
				return order
			}
		}
		order.Placement, order.Meaning = p, Folded
		switch p {
		case core.RankOrder:
			order.Meaning = Ranked
		case core.Reversed:
			order.Meaning = Reversed
		case core.DocumentOrder:
			order.Meaning, order.Placement = Other, nil
		}
	}
	return order
}

// plainWord writes a name in lower case with underscores.
func plainWord(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == ':' || r == '.' }), "_")
}

// orderNames are what a misspelled order may have been meant to be.
func orderNames() []string {
	names := []string{
		"similarity_desc", "similarity_asc", "score_desc", "relevance", "head_tail_alternating", "edge_order", "fold_by_relevance", "long_context_reorder",
	}
	return append(names, core.PlacementNames()...)
}
