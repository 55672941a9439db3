package run

import (
	"fmt"

	"github.com/bookend-rag/bookend/measure/model"
)

// Estimate is what a plan would use. Completion is the most that answers may have.
type Estimate struct {
	Calls     int
	Questions int
	Usage     model.Usage
	Cost      float64 // without what servers grant for cached prompts
	Read      int     // the questions that were read; fewer than Questions: the rest is extrapolated
	Unbounded bool    // answers have no bound, and count as nothing
	Priced    bool    // there are prices behind Cost
}

// String gives the numbers in one line.
func (e Estimate) String() string {
	about, answers := "", fmt.Sprintf("at most %d of answers", e.Usage.Completion)
	if e.Read < e.Questions {
		about = "about "
	}
	if e.Unbounded {
		answers = "answers of any length"
	}
	cost := ""
	if e.Priced {
		cost = fmt.Sprintf(", cost %.2f", e.Cost)
	}
	return fmt.Sprintf("%d calls, %s%d tokens of prompts, %s%s", e.Calls, about, e.Usage.Prompt, answers, cost)
}
