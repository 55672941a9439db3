package core

import (
	"cmp"
	"math"
	"slices"
)

var nan = math.NaN()

// scored is one document's score and its place in the input.
type scored struct {
	score float64 // higher is better; NaN: missing
	index int
}

// rankByScore returns docs by rank, best first. Equal scores, and missing ones,
// which come last, keep input order. It returns nil when docs is ranked already,
// which costs one look at each score and no sort. none says that no document has one.
func rankByScore[S ~[]E, E any](c *Config, docs S, v *View[E]) (ranks []scored, none bool) {
	sign := 1.0
	if c.Direction == LowerIsBetter {
		sign = -1
	}
	first, best := firstUnranked(c, docs, v, sign)
	if first == len(docs) {
		return nil, first > 0 && best != best
	}
	ranks = make([]scored, len(docs))
	for i, doc := range docs {
		ranks[i] = scored{sign * v.score(c, doc), i}
	}
	// cmp.Compare holds NaN below all other values. The index decides between
	// equal scores, which makes the unstable (and much faster) sort a stable one.
	slices.SortFunc(ranks, func(a, b scored) int {
		if order := cmp.Compare(b.score, a.score); order != 0 {
			return order
		}
		return cmp.Compare(a.index, b.index)
	})
	return ranks, false
}

// firstUnranked returns the index of the first document that is better than the
// one before it, or len(docs), and the score of the first.
func firstUnranked[S ~[]E, E any](c *Config, docs S, v *View[E], sign float64) (at int, first float64) {
	last := math.Inf(1)
	for i, doc := range docs {
		score := sign * v.score(c, doc)
		if i == 0 {
			first = score
		}
		if cmp.Compare(score, last) > 0 {
			return i, first
		}
		last = score
	}
	return len(docs), first
}

const turnedRoundNote = "ranking by score turned the given order round: check that the direction is right"

// turnedRound says whether the ranks are the given order from its end to its
// start, as they are where a retriever answers best first and the declared
// direction is the wrong one. Below three documents it happens by chance too often.
func turnedRound(ranks []scored) bool {
	for rank, r := range ranks {
		if r.index != len(ranks)-1-rank {
			return false
		}
	}
	return len(ranks) >= 3
}
