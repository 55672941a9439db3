package fitness

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// Rule names what makes a run unfit.
type Rule string

// The rules.
const (
	// NoAnswers: more than a fifth of the answers are empty, refused or missing.
	NoAnswers Rule = "no-answers"
	// PromptsCut: the server says of more than a fifth of the prompts that it read less
	// than it was sent.
	PromptsCut Rule = "prompts-cut"
	// DocumentsUnused: with the document that holds the answer, and nothing else, the
	// model is right in less than 5 points more than without any.
	DocumentsUnused Rule = "documents-unused"
	// NothingRight: less than 2 % of all answers are right.
	NothingRight Rule = "nothing-right"
	// SamePrompts: every arm sends the same prompts.
	SamePrompts Rule = "same-prompts"
)

// Unfit says why a run can tell nothing, and what to do about it.
type Unfit struct {
	Rule   Rule   `json:"rule"`
	Reason string `json:"reason"` // with the figures
	Remedy string `json:"remedy"`
}

// Error makes an Unfit an error, for whoever cannot go on with such a run.
func (u *Unfit) Error() string { return "bookend: unfit: " + u.Reason + ". " + u.Remedy }

const (
	mostBad    = 0.2  // share of answers, and of prompts
	leastGain  = 0.05 // of the oracle over closed-book
	leastRight = 0.02
	byHeart    = 0.93 // closed-book
	tooEasy    = 0.98
)

var sure = math.Log(20)

// Question is what became of all calls of one question.
type Question struct {
	Calls   int // that ended
	Empty   int // of them: answers without a text
	Refused int
	Failed  int // without an answer after the last try
	// Right is the sum of the scores of Judged calls, each from 0 to 1; what failed has
	// 0. They are those that are compared: no baseline without documents.
	Right  float64
	Judged int
	// Long is how many of the judged answers are at least half as long as their prompts.
	Long int
	// Baselines says that ClosedBook and Oracle are known: the scores without a
	// document, and with the one that holds the answer alone.
	Baselines          bool
	ClosedBook, Oracle float64
}

// Check is what the questions so far say about a run. The zero value has none. It is
// for one goroutine at a time.
type Check struct {
	total            Question // sums
	bad, right, gain evidence.Mean
	closedBook       float64 // sum of those that the gain is of
	oracle           float64
	prompts          prompts
}

// Add counts the question. Those that hang together are counted together: their shares
// as one value. It is the caller's promise that no figure is below 0, and no part more
// than Calls.
func (c *Check) Add(questions ...Question) {
	var bad, right, gain float64
	calls, judged, gains := 0, 0, 0
	for _, q := range questions {
		c.total.Calls += q.Calls
		c.total.Empty += q.Empty
		c.total.Refused += q.Refused
		c.total.Failed += q.Failed
		c.total.Right += q.Right
		c.total.Judged += q.Judged
		c.total.Long += q.Long
		calls += q.Calls
		judged += q.Judged
		bad += float64(q.Empty + q.Refused + q.Failed)
		right += q.Right
		if q.Baselines {
			gains++
			gain += q.Oracle - q.ClosedBook
			c.closedBook += q.ClosedBook
			c.oracle += q.Oracle
		}
	}
	if calls > 0 {
		add(&c.bad, bad/float64(calls))
	}
	if judged > 0 {
		add(&c.right, right/float64(judged))
	}
	if gains > 0 {
		add(&c.gain, gain/float64(gains))
	}
}

// add counts a value that lies from -1 to 1 but for rounding.
func add(to *evidence.Mean, v float64) {
	v = max(-1, min(1, v))
	_ = to.Add(v, v) // cannot fail
}

// Answers returns why the run is unfit by its answers or prompts, whatever is compared;
// nil where it is not.
func (c *Check) Answers() *Unfit {
	if c.bad.LogAbove(mostBad) >= sure {
		return c.noAnswers()
	}
	return c.prompts.unfit()
}

// Sweep returns why a sweep is unfit; nil where it is not. A task that the model
// knows by heart does not make it unfit, unless the model loses 5 points or more with the
// document.
func (c *Check) Sweep() *Unfit {
	if u := c.Answers(); u != nil {
		return u
	}
	if c.gain.LogBelow(leastGain) < sure || c.knownByHeart() && c.gain.LogBelow(-leastGain) < sure {
		return nil
	}
	n := c.gain.Len()
	return &Unfit{
		Rule: DocumentsUnused,
		Reason: fmt.Sprintf("with the answer's document alone the model is right in %s, and without any document in %s (%d questions): it does not use what it is given",
			percent(c.oracle/float64(n)), percent(c.closedBook/float64(n)), n),
		Remedy: "Look at the wrong answers below and at one prompt: try another layout or format, --completion for a base model, --first-line, another scorer, or a model that can do the task.",
	}
}

// Comparison returns why a comparison is unfit; nil where it is not.
func (c *Check) Comparison() *Unfit {
	if u := c.Answers(); u != nil {
		return u
	}
	if c.right.LogBelow(leastRight) < sure {
		return nil
	}
	return &Unfit{
		Rule: NothingRight,
		Reason: fmt.Sprintf("%s of %d answers are right (%d questions): where nothing is right, no order can be better",
			percent(c.total.Right/float64(c.total.Judged)), c.total.Judged, c.right.Len()),
		Remedy: "Look at some answers in journal.jsonl: try --completion for a base model, --first-line, another scorer, or a model that can do the task, and check that the lists hold the answers.",
	}
}

// knownByHeart says that the model answers 93 % or more without any document, so that
// the task cannot show how it reads them.
func (c *Check) knownByHeart() bool {
	n := c.gain.Len()
	return n > 0 && c.closedBook/float64(n) >= byHeart-1e-9 // but for rounding
}

// SweepReads says whether it is known that the model uses its documents, which flat
// needs: with the answer's document alone it is right more often than without any, or
// it knows the answers by heart.
func (c *Check) SweepReads() bool { return c.knownByHeart() || c.gain.LogAbove(0) >= sure }

// ComparisonReads says whether it is known that more than 2 % of the answers are right,
// which keep needs.
func (c *Check) ComparisonReads() bool { return c.right.LogAbove(leastRight) >= sure }

func (c *Check) noAnswers() *Unfit {
	t := c.total
	u := &Unfit{
		Rule: NoAnswers,
		Reason: fmt.Sprintf("%d of %d calls gave no answer: %d empty, %d refused, %d failed (%d questions)",
			t.Empty+t.Refused+t.Failed, t.Calls, t.Empty, t.Refused, t.Failed, c.bad.Len()),
	}
	switch most := max(t.Empty, t.Refused, t.Failed); most {
	case t.Failed:
		u.Remedy = "Mend the server, whose words stand in journal.jsonl, and run again into the same folder: what failed is asked again."
	case t.Refused:
		u.Remedy = "The server declines to answer: change its filter, the instruction or the questions, and run into another folder."
	default:
		u.Remedy = "Raise --max-tokens if the model thinks first, try --completion for a base model, and ask one prompt by hand; then run into another folder."
	}
	return u
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Round(share*1000)/10) }
