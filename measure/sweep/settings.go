package sweep

import (
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
)

// The arms of a sweep.
const (
	ArmSlot       = "slot"        // all documents, the gold one in the slot of the call
	ArmClosedBook = "closed-book" // the question alone
	ArmOracle     = "oracle"      // the gold document alone
	ArmRepeat     = "repeat"      // the middle one of the measured slots, asked again: the noise floor
)

// DefaultRepeats is what Settings take for zero.
const DefaultRepeats = 1

// Settings say what a sweep asks. Only Model has no default.
type Settings struct {
	// Model is the name that the server knows.
	Model  string
	Params model.Params

	// Documents is the size of a prompt. 0: as many as the smallest case has.
	Documents int
	// Slots are the measured slots, ascending; see DenseSlots and ParseSlots. nil:
	// all.
	Slots []int
	// Questions is how many cases are asked. 0: all.
	Questions int
	// Seed shuffles the questions. A longer sweep of the same seed begins with the
	// questions of a shorter one.
	Seed uint64
	// Repeats is how often the repeat arm asks. 0: DefaultRepeats.
	Repeats int
	// Without switches arms off: ArmClosedBook, ArmOracle, ArmRepeat.
	Without []string

	// Prompt is the layout and the format. nil: the layout of Liu et al. for the
	// task, layout.Paper for questions. Labels are always numbered by slot, and a
	// Budget is refused, since it would leave documents out.
	Prompt *prompt.Config
	// Instruction replaces that of the prompt.
	Instruction string

	// Count returns the tokens of a text, for estimates, caps and limits of tokens.
	// nil: model.EstimateTokens.
	Count func(text string) int
}
