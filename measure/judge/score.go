package judge

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/measure/model"
)

// Scorer judges one text of a model against the accepted answers of a case: 1 is
// right, 0 is wrong, and what lies between is partly right. An answer that comes
// to nothing by the scorer's own rule matches nothing. Score must be a pure
// function, safe for concurrent use; String returns a name, which ParseScorer
// reads for the scorers of this package.
type Scorer interface {
	String() string
	Score(text string, answers []string) float64
}

// ScorerFunc makes a Scorer of a function of the user's own. The name goes into
// reports; ParseScorer does not read it.
func ScorerFunc(name string, score func(text string, answers []string) float64) Scorer {
	return scorerFunc{name, score}
}

type scorerFunc struct {
	name  string
	score func(text string, answers []string) float64
}

func (s scorerFunc) String() string { return s.name }

func (s scorerFunc) Score(text string, answers []string) float64 { return s.score(text, answers) }

// Scores holds both scores of one text. Full judges all of it; FirstLine judges
// what stands before the first "\n", white space trimmed, and so is 0 when a text
// begins with an empty line.
type Scores struct{ Full, FirstLine float64 }

// Score judges the whole text and its first line, of what follows the thinking in it
// (model.AfterThinking). It needs no model, so that
// records can be scored anew at any time. Its cost is twice that of the scorer.
//
// The error is a *ScoreError for a scorer that returns NaN or a number outside 0
// to 1; then both scores are 0.
func Score(s Scorer, text string, answers []string) (Scores, error) {
	text, _ = model.AfterThinking(text)
	first, _, _ := strings.Cut(text, "\n")
	scores := Scores{Full: s.Score(text, answers), FirstLine: s.Score(strings.TrimFunc(first, isSpace), answers)}
	for _, v := range []float64{scores.Full, scores.FirstLine} {
		if !(v >= 0 && v <= 1) {
			return Scores{}, &ScoreError{Scorer: s.String(), Value: v}
		}
	}
	return scores, nil
}

// ScoreError says that a scorer broke its contract.
type ScoreError struct {
	Scorer string
	Value  float64
}

// Error names the scorer, the value and the rule.
func (e *ScoreError) Error() string {
	return fmt.Sprintf("bookend: scorer %q returned %v: a score must be 0 to 1", e.Scorer, e.Value)
}
