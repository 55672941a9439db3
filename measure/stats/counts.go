package stats

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
)

// Counts is what one challenger did against the baseline: how many questions each
// of the three outcomes had.
type Counts struct {
	Wins   int `json:"wins"`   // the challenger is right, the baseline wrong
	Losses int `json:"losses"` // the baseline is right, the challenger wrong
	Same   int `json:"same"`   // both right or both wrong
}

// N returns the number of questions.
func (k Counts) N() int { return k.Wins + k.Losses + k.Same }

// Difference returns the estimated gain, from -1 to 1: the accuracy of the
// challenger minus that of the baseline. Without a question it is 0.
func (k Counts) Difference() float64 { return k.share(k.Wins - k.Losses) }

// Discordance returns the share of questions that the two answer differently, from
// 0 to 1. Without a question it is 0.
func (k Counts) Discordance() float64 { return k.share(k.Wins + k.Losses) }

func (k Counts) share(n int) float64 {
	if k.N() == 0 {
		return 0
	}
	return float64(n) / float64(k.N())
}

// Add counts one question.
func (k *Counts) Add(baseline, challenger bool) {
	switch {
	case challenger == baseline:
		k.Same++
	case challenger:
		k.Wins++
	default:
		k.Losses++
	}
}

// Check returns a *core.ConfigError for a count below 0, or nil.
func (k Counts) Check() error {
	if k.Wins >= 0 && k.Losses >= 0 && k.Same >= 0 {
		return nil
	}
	return &core.ConfigError{Field: "k", Value: fmt.Sprintf("%d wins, %d losses, %d same", k.Wins, k.Losses, k.Same), Rule: "each count must be 0 or more"}
}
