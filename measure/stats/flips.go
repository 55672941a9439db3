package stats

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
)

// Flips is the noise floor of a sweep: how often the very same prompt was judged
// otherwise when it was asked again.
type Flips struct {
	Flips int     `json:"flips"` // pairs that differ
	Pairs int     `json:"pairs"`
	Rate  float64 `json:"rate"` // Flips / Pairs, from 0 to 1
	Interval
}

// FlipRate compares the answers of a repeat arm with the first ones; both run
// parallel, one value a prompt that was answered twice. The interval is Wilson's.
// The error, a *core.ConfigError, says that the lengths differ, that there are none,
// or that confidence is not above 0 and below 1.
func FlipRate(first, again []bool, confidence float64) (Flips, error) {
	if len(first) != len(again) || len(first) == 0 {
		return Flips{}, &core.ConfigError{
			Field: "again", Value: fmt.Sprintf("%d answers for %d first ones", len(again), len(first)),
			Rule: "each prompt needs both answers, and one prompt or more is needed",
		}
	}
	f := Flips{Pairs: len(first)}
	for i := range first {
		if first[i] != again[i] {
			f.Flips++
		}
	}
	f.Rate = float64(f.Flips) / float64(f.Pairs)
	var err error
	f.Interval, err = Wilson(f.Flips, f.Pairs, confidence)
	if err != nil {
		return Flips{}, err
	}
	return f, nil
}
