package evidence

import (
	"errors"

	"github.com/bookend-rag/bookend/core"
)

// Word is the answer of a comparison.
type Word string

const (
	// Reorder: a challenger is better than the baseline.
	Reorder Word = "reorder"
	// Keep: no challenger gains as much as is worthwhile.
	Keep Word = "keep"
	// Inconclusive: neither is known yet.
	Inconclusive Word = "inconclusive"
	// AsGood: a cheaper challenger loses less than Rule.NoWorse. No Trial says so, since it
	// knows no cost; see Trial.NoWorse.
	AsGood Word = "as good"
	// Unfit: the run can tell nothing. No Trial says so; package fitness does.
	Unfit Word = "unfit"
)

// Rule says when a comparison is decided.
type Rule struct {
	// Alpha bounds the probability of each mistake, a wrong Reorder and a wrong
	// Keep, over all looks; 0 means 0.05.
	Alpha float64 `json:"alpha"`
	// Worthwhile is the smallest gain that matters, as a share above 0 and below 1:
	// 0.03 is 3 points. Keep means that a gain this large is excluded. It has no
	// default, because only the user knows it. Halved, Keep takes four times as many
	// questions.
	Worthwhile float64 `json:"worthwhile"`
	// NoWorse is the loss, as a share above 0 and below 1, that a challenger must stay
	// under to be as good as the baseline: 0.03 is 3 points. 0: that is not asked. Halved,
	// the answer takes four times as many questions.
	NoWorse float64 `json:"no_worse,omitempty"`
}

// checked fills in what is 0.
func (r Rule) checked() (Rule, error) {
	if r.Alpha == 0 {
		r.Alpha = 0.05
	}
	var worthwhile error
	if !(r.Worthwhile > 0 && r.Worthwhile < 1) {
		worthwhile = &core.ConfigError{Field: "Worthwhile", Value: r.Worthwhile, Rule: "must be a share above 0 and below 1: 0.03 is 3 points"}
	}
	var noWorse error
	if !(r.NoWorse >= 0 && r.NoWorse < 1) {
		noWorse = &core.ConfigError{Field: "NoWorse", Value: r.NoWorse, Rule: "must be 0, for none, or a share below 1: 0.03 is 3 points"}
	}
	return r, errors.Join(checkAlpha("Alpha", r.Alpha), worthwhile, noWorse)
}
