package core

import (
	"cmp"
	"fmt"
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

// retrievalStage is the name of the stage that shows the ranks before those of a
// call's only stage, by Config.Rank and the documents' own scores.
const retrievalStage = "retrieval"

// lastRanking returns the stage that gives the ranks, nil for none: the last one,
// unless that failed and the order before it is kept.
func lastRanking(stages []Stage) *Stage {
	for i := range slices.Backward(stages) {
		if stages[i].Failure == "" {
			return &stages[i]
		}
	}
	return nil
}

// checkStages returns a *ConfigError for stages that do not fit the documents or
// the configuration.
func (d *decision) checkStages(stages []Stage) error {
	for i, s := range stages {
		if s.Failure == "" && (len(s.Ranks) != d.n || len(s.Scores) != d.n) {
			return &ConfigError{Field: fmt.Sprintf("Stages[%d]", i), Value: s.Name, Rule: fmt.Sprintf("must have a rank and a score for each of the %d documents; it has %d and %d", d.n, len(s.Ranks), len(s.Scores))}
		}
	}
	c := d.config
	switch {
	case len(stages) > 1 && c.Rank == ByScore:
		return &ConfigError{Field: "Rank", Value: c.Rank, Rule: `a sort by the documents' own scores would undo the stages before: leave it out, or set "given"`}
	case c.Threshold == nil:
	case len(stages) > 0 && c.ThresholdBy == "":
		return &ConfigError{Field: "ThresholdBy", Value: c.ThresholdBy, Rule: `the documents have a score of their own and one of their ranking: say which of them {Threshold} looks at, "own" or "ranking"`}
	case len(stages) == 0 && c.ThresholdBy == RankingScore:
		return &ConfigError{Field: "ThresholdBy", Value: c.ThresholdBy, Rule: `the call has no reranker and no fusion: set "own"`}
	}
	return nil
}

// rankByStage replaces the ranks by those of the last stage, if there is one.
func (d *decision) rankByStage(stages []Stage) {
	last := lastRanking(stages)
	for i, s := range stages {
		switch {
		case s.Failure == "":
		case i == len(stages)-1:
			d.note("ranking by %s failed (%s), and the order before it is kept", s.Name, s.Failure)
		default:
			d.note("ranking by %s is missing (%s)", s.Name, s.Failure)
		}
	}
	if t := d.config.Threshold; t != nil && d.config.ThresholdBy == RankingScore && d.rankingScores(stages) == nil {
		d.note("the threshold is not applied: what it looks at, the score of %s, is missing", stages[len(stages)-1].Name)
	}
	if last == nil {
		return
	}
	d.before, d.staged = d.ranks, true
	ranks := make([]scored, d.n)
	inOrder, unscored := true, 0
	for rank := range ranks {
		index := d.index(rank)
		ranks[rank] = scored{-float64(last.Ranks[index]), index}
		if last.Ranks[index] < 0 {
			ranks[rank].score, unscored = nan, unscored+1
		}
		inOrder = inOrder && (rank == 0 || bestFirst(ranks[rank-1], ranks[rank]) <= 0)
	}
	if !inOrder {
		slices.SortStableFunc(ranks, bestFirst)
	}
	d.ranks = ranks
	if unscored > 0 {
		d.note("ranking by %s left %d of %d documents out: they rank last", last.Name, unscored, d.n)
	}
}

// bestFirst compares two scores, of which higher is better and NaN the worst.
func bestFirst(a, b scored) int {
	// cmp.Compare holds NaN below all other values.
	return cmp.Compare(b.score, a.score)
}

// rankingScores returns the scores of what ranked last, by index; nil where it failed
// or there is none.
func (d *decision) rankingScores(stages []Stage) []Score {
	if n := len(stages); n > 0 && stages[n-1].Failure == "" {
		return stages[n-1].Scores
	}
	return nil
}

// stages writes out how the ranks came about. score reads a document's own score
// by its final rank.
func (d *decision) stages(score func(rank int) float64) []Stage {
	if len(d.through) == 0 {
		return nil
	}
	stages := slices.Clone(d.through)
	for i := range stages {
		if s := &stages[i]; s.Failure != "" {
			s.Ranks, s.Scores = slices.Repeat([]int{-1}, d.n), slices.Repeat([]Score{Score(nan)}, d.n)
		}
	}
	if !d.staged {
		return stages
	}
	last := lastRanking(stages)
	last.Ranks = make([]int, d.n)
	for rank := range d.n {
		last.Ranks[d.index(rank)] = rank
	}
	if len(stages) > 1 {
		return stages
	}
	retrieval := Stage{Name: retrievalStage, Ranks: make([]int, d.n), Scores: make([]Score, d.n)}
	for rank := range d.n {
		index := rank
		if d.before != nil {
			index = d.before[rank].index
		}
		retrieval.Ranks[index] = rank
		retrieval.Scores[index] = Score(score(last.Ranks[index]))
	}
	return []Stage{retrieval, stages[0]}
}
