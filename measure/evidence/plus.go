package evidence

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// logPlus is the closed form of LogPlus for b wins and c losses. It costs about √(b+c)
// steps.
func logPlus(b, c float64) float64 {
	if b <= c {
		return logLowerHalf(b, c)
	}
	// Both halves of the Beta together have a closed form; what losses would have
	// for wins is the other half, and the smaller one.
	both := math.Log(12) + (b+c)*math.Ln2 + mathext.Lbeta(2+b, 2+c)
	return both + math.Log1p(-math.Exp(logLowerHalf(c, b)-both))
}

// logLowerHalf is logPlus for b <= c. There I½ is the tail of a binomial
// distribution, which underflows as a number; divided by the Beta function it is a
// sum of falling terms, which does not.
func logLowerHalf(b, c float64) float64 {
	term, sum := 1.0, 1.0
	for s := 1.0; s <= b+1 && term > sum*1e-18; s++ {
		term *= (b + 2 - s) / (c + 2 + s)
		sum += term
	}
	return math.Log(1.5) - math.Log(c+2) + math.Log(sum)
}
