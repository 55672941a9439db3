package evidence

import (
	"math"

	"github.com/bookend-rag/bookend/measure/stats"
)

// Verdict is the word of a comparison, with its evidence.
type Verdict struct {
	Word        Word       `json:"word"`
	Winner      int        `json:"winner"` // index of the challenger to reorder by; -1: none
	Questions   int        `json:"questions"`
	Challengers []Standing `json:"challengers"` // in their order
	// More says what would probably settle the comparison; nil unless it is
	// inconclusive and has a question.
	More *More `json:"more,omitempty"`
}

// Evidence is what a comparison knows about one challenger. All of it holds however
// often one looked.
type Standing struct {
	stats.Counts
	// Difference is the estimated gain, as a share.
	Difference float64 `json:"difference"`
	// LogE is the natural logarithm of e*: the evidence that the gain is above 0,
	// with the other challengers accounted for. It reaches log(1/alpha) for Reorder.
	LogE float64 `json:"log_e"`
	// P is min(1, 1/e*) at the look where e* was largest: an anytime-valid p-value
	// of "the gain is 0 or less". It may be less than 1/e* now. Below 1e-308 it is 0.
	P float64 `json:"p"`
	// LogDown is the natural logarithm of the e-value against a gain of
	// Rule.Worthwhile or more.
	LogDown float64 `json:"log_down"`
	// Sequence is the confidence sequence at 1 - alpha, of this challenger alone. It
	// looks both ways, so that at the first Reorder it often still holds 0.
	Sequence stats.Interval `json:"sequence"`
	// Excluded says that a gain of Rule.Worthwhile is excluded: LogDown has reached
	// log(1/alpha).
	Excluded bool `json:"excluded"`
}

// Verdict returns the word and its evidence. It changes nothing, so that one may
// ask for it as often as one likes; for the word alone, Add is a thousand times
// cheaper.
func (t *Trial) Verdict() Verdict {
	v := Verdict{Questions: t.questions, Challengers: make([]Standing, len(t.challengers))}
	v.Word, v.Winner = t.word()
	for i, c := range t.challengers {
		down := t.worthwhile.logE(c.Counts)
		v.Challengers[i] = Standing{
			Counts: c.Counts, Difference: c.Difference(),
			LogE: c.star, P: math.Exp(-c.best), LogDown: down,
			Sequence: confidenceSequence(c.Counts, t.rule.Alpha), Excluded: down >= t.limit,
		}
	}
	if v.Word == Inconclusive && v.Questions > 0 {
		v.More = more(t.rule, v.Challengers)
	}
	return v
}
