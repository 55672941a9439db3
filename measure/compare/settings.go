package compare

import (
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/layout"
	"github.com/bookend-rag/bookend/measure/model"
)

// What Settings take for zero.
const (
	DefaultShuffles = 3
	DefaultRepeats  = 1
	DefaultControls = 50
)

const maxControls = 100

// Settings say what a comparison asks. Model and Arms have no default.
type Settings struct {
	// Model is the name that the server knows.
	Model  string
	Params model.Params
	// Arms are the baseline, first, and the challengers, one or more.
	Arms []Arm
	// Questions is how many lists are asked. 0: all.
	Questions int
	// Seed shuffles the questions, and with the ID of each question its documents in
	// the shuffle arms. More questions of the same seed begin with those of fewer.
	Seed uint64
	// Shuffles and Repeats are the numbers of control arms. 0: DefaultShuffles,
	// DefaultRepeats; negative: none.
	Shuffles, Repeats int
	// Controls is on how many questions, the first ones, the control arms are asked, since
	// they enter no verdict. 0: DefaultControls; negative: on all.
	Controls int
	// Count returns the tokens of a text, for estimates, caps and limits of tokens.
	// nil: model.EstimateTokens.
	Count func(text string) int
}

// DefaultPrompt returns the layout of a comparison where none is chosen: that of a
// sweep, with labels by rank, as a chain with Bookend has them.
func DefaultPrompt() prompt.Config {
	c := layout.Paper()
	c.Labels = prompt.ByRank
	return c
}
