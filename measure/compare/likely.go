package compare

import (
	"slices"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// Likely is what a comparison that stops at its word will probably cost, if one challenger
// gains that much and the others nothing.
type Likely struct {
	Gain    float64 `json:"gain"`    // true gain of one challenger, as a share
	Calls   int     `json:"calls"`   // at most in half of the runs
	Ninth   int     `json:"ninth"`   // at most in nine of ten
	Decided float64 `json:"decided"` // the share of runs that come to a word before the questions end
}

// likelyRuns is how many comparisons are simulated for a case.
const likelyRuns = 200

// Likely simulates the comparison with no gain, with twice the worthwhile one and with
// four times as much, at a discordance such as 0.15, and says what it will cost with
// Described.UntilDecided. Arms that give the same prompts are left out. There is none
// where every arm gives the same prompts. It costs up to some seconds. The errors are
// those of evidence.Calibrate.
func (p *Plan) Likely(rule evidence.Rule, discordance float64) ([]Likely, error) {
	challengers, controls := 0, 0
	for i, arm := range p.arms {
		switch {
		case arm.kind == Challenger && p.same[i] == "":
			challengers++
		case arm.kind == Shuffle || arm.kind == Repeat:
			controls++
		}
	}
	if challengers == 0 {
		return nil, nil
	}
	var all []Likely
	for _, gain := range []float64{0, 2 * rule.Worthwhile, 4 * rule.Worthwhile} {
		if gain > min(discordance, 1-discordance) {
			continue // no such gain can be
		}
		gains := make([]float64, challengers)
		gains[0] = gain
		c, err := evidence.Calibrate(evidence.CalibrationSettings{
			Challengers: gains, Discordance: discordance, Rule: rule, Questions: len(p.order), Runs: likelyRuns, Seed: 1,
			Race: true, Controls: controls, ControlQuestions: p.settings.Controls,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, Likely{Gain: gain, Calls: c.MedianCalls, Ninth: c.NinthCalls, Decided: c.Share(c.Decided())})
	}
	return slices.Clip(all), nil
}
