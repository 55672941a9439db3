package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/internal/safetext"
)

// Stage is one step that ranked the documents on their way to the final ranks: a
// retriever, a fusion, a reranker. Its lists go by the place in the input, that is
// by Placed.Index and Dropped.Index, and are as long as the input.
type Stage struct {
	// Name says what ranked: "retrieval", "bm25", "fusion", "rerank".
	Name string `json:"name"`
	// Ranks holds the rank that it gave each document, 0 for the best, and -1
	// where the document was not among its own.
	Ranks []int `json:"ranks"`
	// Scores holds the score that it gave each document; NaN where it gave none.
	Scores []Score `json:"scores"`
}

// RetrievalStage is the name of the stage that shows the ranks before RankBy, by
// Config.Rank and the documents' own scores, where Through tells of no other.
const RetrievalStage = "retrieval"

// ScoreOf says which of two scores is meant where a call has a ranking of its own.
type ScoreOf string

// The scores that a Threshold can look at. The empty ScoreOf means OwnScore, but is
// refused in a call with RankBy, RankFailed or Through, where it would be a guess.
const (
	// OwnScore is the document's own score, from its retriever, in the declared
	// Direction. Documents of a fusion have those of several retrievers.
	OwnScore ScoreOf = "own"
	// RankingScore is the score of what ranked last: of RankBy, or else of the last
	// stage of Through. Higher is better. After RankFailed there is none; the
	// threshold is then not applied, and a note says so.
	RankingScore ScoreOf = "ranking"
)

// RankBy ranks the documents of this call by scores: scores[i] belongs to the
// document at place i of the input, higher is better. A NaN means that there is
// none and ranks last. Equal scores, and missing ones, keep the order before, which
// Config.Rank or Through gives. Admission and placement go by the new ranks. The
// documents and their own scores are not touched: the arrangement shows both, in
// its Stages. name says who scored, such as "rerank".
//
// Another number of scores than documents is a *ConfigError. It has no effect on Off.
func RankBy(name string, scores []float64) CallOption {
	return func(c *call) { c.ranking = ranking{name: name, scores: scores, given: true} }
}

// RankFailed tells the call that name, which was to rank the documents, failed, and
// that the order before it is to be kept. The arrangement notes it with the text of
// err, from which user info and queries of addresses are taken.
func RankFailed(name string, err error) CallOption {
	return func(c *call) { c.ranking = ranking{name: name, given: true, failure: safetext.Error(err, maxNote)} }
}

// Through tells the call which stages the documents came through, in their order,
// such as the retrievers of a fusion and the fusion itself. The input is in the
// order of the last one; Config.Rank must be AsGiven, since a sort would undo it. The
// stages stand in the arrangement; their lists must be as long as the input.
func Through(stages ...Stage) CallOption {
	return func(c *call) { c.through = stages }
}

// LeftOut tells the call that name, which was to rank the documents together with
// others, failed, and that its documents are missing. The arrangement notes it as for
// RankFailed.
func LeftOut(name string, err error) CallOption {
	note := fmt.Sprintf("%sby %s is missing: %s", rankingNote, name, safetext.Error(err, maxNote))
	return func(c *call) { c.notes = append(c.notes, note) }
}

// maxNote bounds what a note keeps of an error, in characters.
const maxNote = 300

// ranking is what RankBy or RankFailed gave.
type ranking struct {
	name    string
	scores  []float64
	failure string // of RankFailed
	given   bool
}

// rankingNote begins every note about how the ranks were found.
const rankingNote = "ranking "

// CheckRanking returns what a call is refused for when its documents come through a
// fusion (Through), or are ranked by what sees the query (RankBy): a
// *ConfigError, or nil. Adapters ask it when they are built.
func (a *Arranger) CheckRanking(fused, reranked bool) error {
	c := &a.orDefault().config
	switch {
	case fused && c.Rank == ByScore:
		return &ConfigError{Field: "Rank", Value: string(c.Rank), Rule: `a sort by the documents' own scores would undo the fusion: leave it out, or set "given"`}
	case c.Threshold == nil:
		return nil
	case (fused || reranked) && c.ThresholdBy == "":
		return &ConfigError{Field: "ThresholdBy", Value: "", Rule: `the documents have a score of their own and one of their ranking: say which of them Threshold looks at, "own" or "ranking"`}
	case !fused && !reranked && c.ThresholdBy == RankingScore:
		return &ConfigError{Field: "ThresholdBy", Value: string(c.ThresholdBy), Rule: `the call has no reranker and no fusion: set "own"`}
	}
	return nil
}

// checkStages returns a *ConfigError for a stage of Through of another length.
func (d *decision) checkStages() error {
	for i, s := range d.through {
		if len(s.Ranks) != d.n || len(s.Scores) != d.n {
			return &ConfigError{Field: fmt.Sprintf("Through[%d]", i), Value: s.Name, Rule: fmt.Sprintf("must have a rank and a score for each of the %d documents; it has %d and %d", d.n, len(s.Ranks), len(s.Scores))}
		}
	}
	return nil
}

// rankBy replaces the ranks by those of the call's ranking, if it has one.
func (d *decision) rankBy(c *call) error {
	switch {
	case !c.ranking.given:
		return nil
	case c.ranking.failure != "":
		note := fmt.Sprintf("%sby %s failed, and the order before it is kept: %s", rankingNote, c.ranking.name, c.ranking.failure)
		if d.config.Threshold != nil && d.config.ThresholdBy == RankingScore {
			note += "; the threshold, which looks at its scores, is not applied"
		}
		d.notes = append(d.notes, note)
		return nil
	case len(c.ranking.scores) != d.n:
		return &ConfigError{Field: "RankBy", Value: len(c.ranking.scores), Rule: fmt.Sprintf("must be as many scores as documents: %d", d.n)}
	}
	d.ranking, d.before = c.ranking, d.ranks
	ranks := make([]scored, d.n)
	missing := 0
	for rank := range ranks {
		index := d.index(rank)
		ranks[rank] = scored{c.ranking.scores[index], index}
		if ranks[rank].score != ranks[rank].score {
			missing++
		}
	}
	// cmp.Compare holds NaN below all other values.
	slices.SortStableFunc(ranks, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	d.ranks = ranks
	if missing > 0 {
		d.notes = append(d.notes, fmt.Sprintf("%sby %s gave no score to %d of %d documents: they rank last", rankingNote, c.ranking.name, missing, d.n))
	}
	return nil
}

// rankingScore returns how the score of what ranked last is read by rank; nil where
// nothing did, or it failed.
func (d *decision) rankingScore(c *call) func(rank int) float64 {
	switch {
	case c.ranking.failure != "":
		return nil
	case c.ranking.given:
		return func(rank int) float64 { return d.ranks[rank].score }
	case len(d.through) > 0:
		last := d.through[len(d.through)-1]
		return func(rank int) float64 { return float64(last.Scores[d.index(rank)]) }
	}
	return nil
}

// stages writes out how the ranks came about. score reads a document's own score
// by its final rank.
func (d *decision) stages(score func(rank int) float64) []Stage {
	stages := slices.Clone(d.through)
	if !d.ranking.given {
		return stages
	}
	reranked := Stage{Name: d.ranking.name, Ranks: make([]int, d.n), Scores: make([]Score, d.n)}
	for rank, r := range d.ranks {
		reranked.Ranks[r.index], reranked.Scores[r.index] = rank, Score(d.ranking.scores[r.index])
	}
	if stages == nil {
		retrieval := Stage{Name: RetrievalStage, Ranks: make([]int, d.n), Scores: make([]Score, d.n)}
		for rank := range d.n {
			index := rank
			if d.before != nil {
				index = d.before[rank].index
			}
			retrieval.Ranks[index] = rank
			retrieval.Scores[index] = Score(score(reranked.Ranks[index]))
		}
		stages = []Stage{retrieval}
	}
	return append(stages, reranked)
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

// rankingNotes returns the notes about how the ranks were found, which hold wherever
// the documents are placed.
func (a Arrangement) rankingNotes() []string {
	var notes []string
	for _, note := range a.Notes {
		if strings.HasPrefix(note, rankingNote) {
			notes = append(notes, note)
		}
	}
	return notes
}
