package evidence

import "math"

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
