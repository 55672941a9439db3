package traffic

import (
	"math"

	"github.com/bookend-rag/bookend/measure/stats"
)

// scale is the size of difference that the bounds are sharpest for: of a tenth of what
// an average slot is used, which is where flat ends.
const scale = flatMargin

// What an e-value has to reach.
const (
	// nameAt: on a flat reader the mean of the three contrasts' e-values ever comes so far
	// with a probability of 5 % at most. An interval ends where it is reached.
	nameAt = 20
	// sideAt: the side of a contrast is ever mistaken so with a probability of 5 % at most,
	// since each side has half of the 10 %.
	sideAt = 10
)

// maxEvidence keeps e-values apart from infinity.
const maxEvidence = 1e9

// evalue returns the e-value against a difference of m, for an estimate with a standard
// error: the mixture of likelihood ratios over normal alternatives around m with a
// standard deviation of scale (Robbins 1970). Looked at as often as one likes, it ever
// reaches a limit with a probability of 1/limit at most, as far as the estimate is normal:
// an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024,
// Time-uniform central limit theory and asymptotic confidence sequences).
func evalue(estimate, se, m float64) float64 {
	if !(se > 0) || math.IsInf(se, 1) {
		return 1
	}
	z, u := (estimate-m)/se, square(scale/se)
	return math.Min(math.Exp(z*z/2*u/(1+u)-math.Log1p(u)/2), maxEvidence)
}

// sequence returns the differences against which the e-value is below limit.
func sequence(estimate, se, limit float64) stats.Interval {
	half := math.Inf(1)
	if se > 0 && !math.IsInf(se, 1) {
		u := square(scale / se)
		half = se * math.Sqrt(2*(1+1/u)*(math.Log(limit)+math.Log1p(u)/2))
	}
	return stats.Interval{Low: estimate - half, High: estimate + half}
}

func square(v float64) float64 { return v * v }
