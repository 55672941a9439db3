package evidence

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// LogEPlus returns the natural logarithm of the e-value against "the gain is 0 or
// less", of b wins and c losses. Without either it is 0.
//
// It is a likelihood ratio: the probability that a question with a winner is a win,
// spread over one half to 1 as the upper half of Beta(2, 2), against one half.
//
//	e+ = 2·B(2+b, 2+c) / B(2, 2) · 2^(b+c) · I½(2+c, 2+b)
//
// It is finite for all counts, and costs about √(b+c) steps.
func LogEPlus(b, c int) float64 {
	if b < 0 || c < 0 {
		return math.Inf(-1)
	}
	wins, losses := float64(b), float64(c)
	if wins <= losses {
		return logLowerHalf(wins, losses)
	}
	// Both halves of the Beta together have a closed form; what losses would have
	// for wins is the other half, and the smaller one.
	both := math.Log(12) + (wins+losses)*math.Ln2 + mathext.Lbeta(2+wins, 2+losses)
	return both + math.Log1p(-math.Exp(logLowerHalf(losses, wins)-both))
}

// logLowerHalf is LogEPlus for b <= c. There I½ is the tail of a binomial
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

// The bets of LogDown and LogUp: shares of the stake, from near 0 to near 1, small
// ones weighted most, because small gains need small bets.
const bets = 40

var (
	betShares     [bets]float64
	betLogWeights [bets]float64
)

func init() {
	sum := 0.0
	for j := range betShares {
		t := (float64(j) + 0.5) / bets
		betShares[j] = t
		sum += (1 - t) * (1 - t)
	}
	for j, t := range betShares {
		betLogWeights[j] = math.Log((1 - t) * (1 - t) / sum)
	}
}

// wager holds, for each bet, by what a win, a loss and a draw multiply the stake, as
// logarithms.
type wager [bets]struct{ win, loss, same float64 }

// against bets that the gain is below m.
func (w *wager) against(m float64) {
	for j, t := range betShares {
		w[j].win = math.Log1p(-t)
		w[j].loss = math.Log1p(t * (1 + m) / (1 - m))
		w[j].same = math.Log1p(t * m / (1 - m))
	}
}

// stakes returns what each bet has made of its part of a stake of 1 after all
// questions of k, as logarithms, and the largest.
func (w *wager) stakes(k stats.Counts) (parts [bets]float64, most float64) {
	wins, losses, same := float64(k.Wins), float64(k.Losses), float64(k.Same)
	most = math.Inf(-1)
	for j := range w {
		parts[j] = betLogWeights[j] + wins*w[j].win + losses*w[j].loss + same*w[j].same
		most = max(most, parts[j])
	}
	return parts, most
}

// logE is the logarithm of the whole stake after all questions of k.
func (w *wager) logE(k stats.Counts) float64 {
	parts, most := w.stakes(k)
	return logSum(&parts, most)
}

// reaches says whether logE is at least limit. Far below it is cheaper to tell: the
// whole is at most as many times the largest part as there are parts.
func (w *wager) reaches(k stats.Counts, limit float64) bool {
	parts, most := w.stakes(k)
	return most >= limit-math.Log(bets) && logSum(&parts, most) >= limit
}

func logSum(parts *[bets]float64, most float64) float64 {
	sum := 0.0
	for _, p := range parts {
		if p > most-40 { // what is less changes no digit
			sum += math.Exp(p - most)
		}
	}
	return most + math.Log(sum)
}

// LogDown returns the natural logarithm of the e-value against "the gain is m or
// more": what a stake of 1 becomes when a grid of 40 constant bets says that the
// gain is less (Waudby-Smith and Ramdas 2024). m is a share above -1 and below 1.
// Without a question it is 0. It is finite for all counts, and costs a few
// microseconds.
func LogDown(m float64, k stats.Counts) float64 {
	if k.Check() != nil || !(m > -1 && m < 1) {
		return math.Inf(-1)
	}
	var w wager
	w.against(m)
	return w.logE(k)
}

// LogUp returns the natural logarithm of the e-value against "the gain is m or
// less": the mirror image of LogDown, with wins and losses changed over.
func LogUp(m float64, k stats.Counts) float64 {
	return LogDown(-m, stats.Counts{Wins: k.Losses, Losses: k.Wins, Same: k.Same})
}

// ConfidenceSequence returns the gains that are not excluded, as an interval within
// -1 to 1. Taken after every question, all of the intervals together hold the true
// gain with a probability of at least 1 - alpha, so that one may look, and stop, at
// any time. It always holds the estimate; without a question it is everything.
//
// A gain is excluded when LogUp or LogDown reaches log(2/alpha). The limits are
// found by bisection to 1e-14, and rounded outwards. It costs some hundred
// microseconds. alpha is above 0 and below 1, such as 0.05; the error is a
// *core.ConfigError.
func ConfidenceSequence(k stats.Counts, alpha float64) (stats.Interval, error) {
	if err := checkAlpha("alpha", alpha); err != nil {
		return stats.Interval{}, err
	}
	if err := k.Check(); err != nil {
		return stats.Interval{}, err
	}
	return confidenceSequence(k, alpha), nil
}

func confidenceSequence(k stats.Counts, alpha float64) stats.Interval {
	limit := math.Log(2 / alpha)
	low := lowest(func(m float64) bool { return LogUp(m, k) >= limit })
	high := -lowest(func(m float64) bool { return LogDown(-m, k) >= limit })
	return stats.Interval{Low: low, High: high}
}

// lowest returns the greatest m found at which all below it is excluded, or -1.
func lowest(excluded func(m float64) bool) float64 {
	low, high := -1.0, 1.0
	for range 48 { // so often that the middle is never -1 or 1 itself
		if middle := (low + high) / 2; excluded(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func checkAlpha(field string, v float64) error {
	if v > 0 && v < 1 {
		return nil
	}
	return &core.ConfigError{Field: field, Value: v, Rule: "must be above 0 and below 1, such as 0.05"}
}
