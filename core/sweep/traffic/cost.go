package traffic

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep"
)

// Cost is what a shuffled share costs, in the unit of the curve: for accuracies in
// right answers a request, for a curve of use in use.
type Cost struct {
	Configured float64 `json:"configured"` // expected under the placement
	Shuffled   float64 `json:"shuffled"`   // expected in random order
	// Loss is Configured less Shuffled: of each shuffled request. Below 0 where a
	// random order does better.
	Loss float64 `json:"loss"`
	// Overall is Loss times the share: of all requests.
	Overall float64 `json:"overall"`
}

// CostOf returns what it costs to send the share of requests, from 0 to 1, to random
// orders in place of p (nil means core.HeadTail). values holds what each slot is
// worth, as sweep.AccuracyBySlot has it of a curve, and gold how probable it is that
// a rank has the answer; see sweep.Expected for both, and for what is assumed. The
// error is that of sweep.Expected or core.Order, or a *core.ConfigError for the
// share.
func CostOf(values, gold []float64, p core.Placement, share float64) (Cost, error) {
	if !(share >= 0 && share <= 1) {
		return Cost{}, &core.ConfigError{Field: "share", Value: share, Rule: "must be from 0 to 1, such as 0.01"}
	}
	order, err := core.Order(p, len(values))
	if err != nil {
		return Cost{}, err
	}
	configured, err := sweep.Expected(values, order, gold)
	if err != nil {
		return Cost{}, err
	}
	mean, present := 0.0, 0.0
	for slot := range values {
		mean += values[slot] / float64(len(values))
		present += gold[slot]
	}
	c := Cost{Configured: configured, Shuffled: mean * present}
	c.Loss = c.Configured - c.Shuffled
	c.Overall = c.Loss * share
	return c, nil
}
