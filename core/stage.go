package core

import (
	"cmp"
	"fmt"
	"slices"
)

// Stage is one step that ranked the documents on their way to the final ranks: a
// retriever, a fusion, a reranker. Its lists go by the place in the input, that is
// by Placed.Index and Dropped.Index, and are as long as the input.
type Stage struct {
	// Name says what ranked: "retrieval", "bm25", "fusion", "rerank".
	Name string `json:"name"`
	// Ranks holds the rank that it gave each document, 0 for the best, and -1
	// where the document was not among its own. Empty where it failed.
	Ranks []int `json:"ranks"`
	// Scores holds the score that it gave each document; NaN where it gave none.
	// Empty where it failed.
	Scores []Score `json:"scores"`
	// Failure says in a short code why it ranked nothing, such as "timeout" or
	// "http 503". It holds no text of a server or a user. Empty: it did not fail.
	Failure string `json:"failure,omitempty"`
}

// retrievalStage is the name of the stage that shows the ranks before those of a
// call's only stage, by Config.Rank and the documents' own scores.
const retrievalStage = "retrieval"

// ScoreOf says which of two scores is meant where a call has a ranking of its own.
type ScoreOf string

// The scores that a Threshold can look at. The empty ScoreOf means OwnScore, but is
// refused in a call with Stages, where it would be a guess.
const (
	// OwnScore is the document's own score, from its retriever, in the declared
	// Direction. Documents of a fusion have those of several retrievers.
	OwnScore ScoreOf = "own"
	// RankingScore is the score of what ranked last, of the last of Call.Stages.
	// Higher is better. Where that failed there is none; the threshold is then not
	// applied, and a note says so.
	RankingScore ScoreOf = "ranking"
)

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

// Stage returns the stage of that name, and false when the documents did not come
// through one.
func (a Arrangement) Stage(name string) (Stage, bool) {
	i := slices.IndexFunc(a.Stages, func(s Stage) bool { return s.Name == name })
	if i < 0 {
		return Stage{}, false
	}
	return a.Stages[i], true
}

// short is what the stage gave the document at a place of the input, as in "r2 0.71".
func (s Stage) short(index int) string {
	if index < 0 || index >= len(s.Ranks) || s.Ranks[index] < 0 {
		return "-"
	}
	text := fmt.Sprintf("r%d", s.Ranks[index]+1)
	if index < len(s.Scores) && s.Scores[index].Known() {
		text += " " + s.Scores[index].short()
	}
	return text
}
