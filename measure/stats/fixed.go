package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
)

// McNemar returns the exact two-sided p-value of "the gain is 0", of b wins and c
// losses (McNemar 1947): twice the smaller tail of a fair coin, at most 1. It holds
// for a number of questions that was fixed before the first was asked, not for a run
// that stopped when it looked good. A p-value below 1e-308 is returned as 0.
func McNemar(b, c int) float64 {
	if b < 0 || c < 0 {
		return 1
	}
	coin := distuv.Binomial{N: float64(b) + float64(c), P: 0.5}
	return min(1, 2*coin.CDF(float64(min(b, c))))
}

// Holm returns p-values that account for each other (Holm 1979), in the order of p,
// which is not written to: whoever rejects all that are at most 0.05 rejects a true
// hypothesis with a probability of at most 5 %. What is not from 0 to 1 is no
// p-value and counts as 1. It costs O(n log n).
func Holm(p []float64) []float64 {
	adjusted, order := make([]float64, len(p)), make([]int, len(p))
	for i, v := range p {
		order[i] = i
		adjusted[i] = 1
		if v >= 0 && v <= 1 {
			adjusted[i] = v
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(adjusted[i], adjusted[j]) })
	least := 0.0
	for place, i := range order {
		least = max(least, min(1, adjusted[i]*float64(len(p)-place)))
		adjusted[i] = least
	}
	return adjusted
}

// Bootstrap returns the percentile interval of the gain (Efron 1979): the questions
// are drawn anew, as many as there are and with repeats, so many times; the
// interval is the middle part of the differences, 95 % of them at a confidence of 0.95.
// Between two differences it is linear, as numpy's percentile is. It holds for a
// number of questions that was fixed before the first was asked.
//
// k needs one question or more, resamples 1 or more, such as 10000; the error is a
// *core.ConfigError. Same counts and seed, same interval, under every version of Go:
// the numbers come from the PCG generator of math/rand/v2. It costs about
// ten nanoseconds for each question of each resample.
func Bootstrap(k Counts, resamples int, seed uint64, confidence float64) (Interval, error) {
	if err := k.Check(); err != nil {
		return Interval{}, err
	}
	switch {
	case k.N() == 0:
		return Interval{}, &core.ConfigError{Field: "k", Value: "0 questions", Rule: "an interval needs 1 question or more"}
	case resamples < 1:
		return Interval{}, &core.ConfigError{Field: "resamples", Value: resamples, Rule: "must be 1 or more, such as 10000"}
	case !(confidence > 0 && confidence < 1):
		return Interval{}, &core.ConfigError{Field: "confidence", Value: confidence, Rule: "must be above 0 and below 1, such as 0.95"}
	}
	// Wins come first, then losses, then the rest, which moves nothing.
	n := k.N()
	draw := rand.NewPCG(seed, 0)
	sums := make([]int, resamples)
	for i := range sums {
		for range n {
			switch question := random.Below(draw.Uint64, n); {
			case question < k.Wins:
				sums[i]++
			case question < k.Wins+k.Losses:
				sums[i]--
			}
		}
	}
	slices.Sort(sums)
	tail := (1 - confidence) / 2
	return Interval{
		Low:  percentile(sums, tail) / float64(n),
		High: percentile(sums, 1-tail) / float64(n),
	}, nil
}

// percentile is linear between the sorted values.
func percentile(sorted []int, share float64) float64 {
	whole, part := math.Modf(share * float64(len(sorted)-1))
	i := int(whole)
	low, high := float64(sorted[i]), float64(sorted[min(i+1, len(sorted)-1)])
	return low + part*(high-low)
}
