package fitness

import (
	"fmt"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/model"
)

// Remarks returns what a reader of the figures has to know, in sentences, although it makes
// no run unfit: a task that is too easy or known by heart, answers that are all wrong,
// answers as long as their prompts, and prompts that were cut, or that may be. Where a
// simulated reader answered, a server's counts are not missed. It costs a few steps
// for each counted prompt, 2,000 at most.
func (c *Check) Remarks(simulated bool) []string {
	var remarks []string
	if c.knownByHeart() {
		remarks = append(remarks, "The model knows this task by heart: without any document it was right in 93 % or more. So the curve says little about how it reads.")
	}
	switch t := c.total; {
	case t.Judged == 0:
	case float64(t.Long) > mostBad*float64(t.Judged):
		remarks = append(remarks, fmt.Sprintf("%d of %s are at least half as long as their prompts: one that repeats its documents holds the right answer, too. Look at some before you believe the figures; --first-line, another scorer or a lower --max-tokens may help.", t.Long, text.Count(t.Judged, "answer")))
	case t.Right > tooEasy*float64(t.Judged):
		remarks = append(remarks, "More than 98 % of the answers are right: the task is too easy to show a difference.")
	case t.Right == 0:
		remarks = append(remarks, fmt.Sprintf("None of %s is right so far: look at some before you ask more.", text.Count(t.Judged, "answer")))
	}
	p := &c.prompts
	p.look()
	switch {
	case len(p.short) > 0:
		longest := p.longest()
		remarks = append(remarks, fmt.Sprintf("The server says that it did not read %s of %d whole; of one of about %d tokens it read %d.",
			text.Count(len(p.short), "prompt"), len(p.all), longest.estimated, longest.read))
	case len(p.all) == 0 && p.uncounted > 0 && !simulated:
		remarks = append(remarks, "The server does not say how many tokens of a prompt it read. So it is not known whether it read the prompts whole.")
	}
	return remarks
}

// IsLong says that an answer is at least half as long as its prompt of so many estimated
// tokens, as one is that repeats it.
func IsLong(answer string, estimated int) bool {
	return estimated > 0 && 2*model.EstimateTokens(answer) >= estimated
}
