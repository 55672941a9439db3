package evidence

import "math"

// Verdict is the word of a comparison, with its evidence.
type Verdict struct {
	Word        Word       `json:"word"`
	Winner      int        `json:"winner"`      // index of the challenger to reorder by; -1: none
	Challengers []Standing `json:"challengers"` // in their order
	// More says what would probably settle the comparison; nil unless it is
	// inconclusive and something was added.
	More *More `json:"more,omitempty"`
}

// Verdict returns the word and its evidence. It changes nothing, so that one may
// ask for it as often as one likes; for the word alone, Look is a thousand times
// cheaper.
func (t *Trial) Verdict() Verdict {
	t.budget.weigh()
	v := Verdict{Challengers: make([]Standing, len(t.challengers))}
	v.Word, v.Winner = t.word()
	asked := false
	for i := range t.challengers {
		c := &t.challengers[i]
		v.Challengers[i] = Standing{
			Units: c.Len(), Difference: c.Value(), Discordance: c.Square(),
			LogE: t.budget.starOf(c), P: math.Exp(-c.best), LogDown: t.budget.downOf(t, c),
			Sequence: c.interval(t.rule.Alpha), Excluded: c.down >= t.limit,
			NoWorse: t.NoWorse(i), Worse: t.Worse(i),
		}
		if t.rule.NoWorse > 0 {
			log := t.budget.noWorseOf(c)
			v.Challengers[i].LogNoWorse = &log
		}
		asked = asked || c.Len() > 0
	}
	if v.Word == Inconclusive && asked {
		v.More = more(t.rule, v.Challengers)
	}
	return v
}
