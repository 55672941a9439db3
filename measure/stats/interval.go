package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
)

// Confidence is the level of the intervals that sweeps and comparisons report.
const Confidence = 0.95

// Interval is a range of shares, or of differences of shares, both ends included.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Holds says whether the interval covers v, but for rounding.
func (i Interval) Holds(v float64) bool { return i.Low <= v+1e-12 && v <= i.High+1e-12 }

// Wilson returns the score interval (Wilson 1927) of k right answers among n, at a
// confidence such as 0.95. It lies within 0 to 1 and keeps its level near both
// ends too, where the textbook interval collapses. n must be 1 or more, k from 0 to
// n, confidence above 0 and below 1; the error is a *core.ConfigError.
func Wilson(k, n int, confidence float64) (Interval, error) {
	switch {
	case n < 1:
		return Interval{}, &core.ConfigError{Field: "n", Value: n, Rule: "an interval needs 1 answer or more"}
	case k < 0 || k > n:
		return Interval{}, &core.ConfigError{Field: "k", Value: k, Rule: fmt.Sprintf("right answers go from 0 to n, which is %d", n)}
	}
	if err := checkConfidence(confidence); err != nil {
		return Interval{}, err
	}
	return wilson(k, n, normalQuantile(1-(1-confidence)/2)), nil
}

func wilson(k, n int, z float64) Interval {
	count, p := float64(n), float64(k)/float64(n)
	scale := 1 + z*z/count
	center := (p + z*z/(2*count)) / scale
	half := z / scale * math.Sqrt(p*(1-p)/count+z*z/(4*count*count))
	return Interval{Low: max(0, center-half), High: min(1, center+half)}
}

func checkConfidence(c float64) error { return checkOpen("confidence", c, 0, 1, "such as 0.95") }

// checkOpen wants a value strictly between low and high, and refuses NaN.
func checkOpen(field string, v, low, high float64, such string) error {
	if v > low && v < high {
		return nil
	}
	return &core.ConfigError{Field: field, Value: v, Rule: fmt.Sprintf("must be above %g and below %g, %s", low, high, such)}
}

func normalQuantile(p float64) float64 { return distuv.UnitNormal.Quantile(p) }
