package sweep

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep/internal/random"
)

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

// Cochran is the result of Cochran's test that all measured slots are read alike.
type Cochran struct {
	Q  float64 `json:"q"`
	DF int     `json:"df"` // measured slots - 1
	P  float64 `json:"p"`  // by the chi-squared distribution
}

// CochranQ tests whether all measured slots are read alike (Cochran 1950). Where
// the answers do not differ between slots at all, Q is 0 and P is 1. It is reported
// beside a shape and decides nothing: it rejects too often when a question's
// answers hang together, and not rejecting does not show flatness. It costs one
// step a right answer.
func CochranQ(o Outcomes) Cochran {
	df := len(o.slots) - 1
	k, total, columns, rows := float64(len(o.slots)), 0.0, 0.0, 0.0
	for _, c := range o.Counts() {
		total += float64(c)
		columns += float64(c) * float64(c)
	}
	for question := range o.questions {
		r := float64(o.rightOf(question))
		rows += r * r
	}
	below := k*total - rows // 0 when each question is right everywhere or nowhere
	if below == 0 {
		return Cochran{DF: max(df, 0), P: 1}
	}
	q := (k - 1) * (k*columns - total*total) / below
	return Cochran{Q: q, DF: df, P: distuv.ChiSquared{K: float64(df)}.Survival(q)}
}

// Spread is how far the best and the worst slot lie apart.
type Spread struct {
	// Observed is the highest accuracy minus the lowest. It has no interval: the
	// best of many slots is best partly by luck, so that a reader that reads all
	// slots alike shows a spread too.
	Observed float64 `json:"observed"`
	// ByChance is the mean spread when each question's answers are dealt to the
	// slots at random, which is what a reader of the same skill without any curve
	// would show.
	ByChance float64 `json:"by_chance"`
	// Permutations is the number of deals behind ByChance.
	Permutations int `json:"permutations"`
}

// BestWorst returns the spread of o beside its mean under permutation within each
// question. permutations must be 1 or more, else the error is a *core.ConfigError;
// 1,000 puts ByChance within about a twentieth of a point. Same outcomes and seed,
// same result, under every version of Go. It costs one step for each permutation
// and right answer.
func BestWorst(o Outcomes, permutations int, seed uint64) (Spread, error) {
	if permutations < 1 {
		return Spread{}, &core.ConfigError{Field: "permutations", Value: permutations, Rule: "must be 1 or more, such as 1000"}
	}
	if o.questions == 0 {
		return Spread{}, &core.ConfigError{Field: "o", Value: "0 questions", Rule: "a spread needs 1 question or more: make them by NewOutcomes"}
	}
	counts := o.Counts()
	s := Spread{Observed: o.spread(counts), Permutations: permutations}
	m := len(o.slots)
	right := make([]int, o.questions)
	for question := range right {
		right[question] = o.rightOf(question)
	}
	deal := make([]int, m)
	for i := range deal {
		deal[i] = i
	}
	draw := random.From(seed)
	sum := 0.0
	for range permutations {
		clear(counts)
		for _, k := range right {
			if k == m { // nothing to deal
				for i := range counts {
					counts[i]++
				}
				continue
			}
			for i := range k { // the first k steps of a shuffle
				j := i + random.Below(draw.Next(), m-i)
				deal[i], deal[j] = deal[j], deal[i]
				counts[deal[i]]++
			}
		}
		sum += o.spread(counts)
	}
	s.ByChance = sum / float64(permutations)
	return s, nil
}

func (o Outcomes) spread(counts []int) float64 {
	return float64(slices.Max(counts)-slices.Min(counts)) / float64(o.questions)
}

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

// SampleSize returns how many questions a paired comparison of two slots needs, to
// see a difference in accuracy with that power in a two-sided test at alpha.
// discordance is the share of questions that the two slots answer differently, up
// to 1; difference is above 0 and at most the discordance, which bounds it; power
// is 0.5 or more and below 1, alpha above 0 and below 1. All are shares. It is the
// normal approximation of McNemar's test (Connor 1987), about 6 % too few for the
// exact test. The error is a *core.ConfigError.
func SampleSize(discordance, difference, alpha, power float64) (int, error) {
	if err := checkPower(discordance, alpha, power); err != nil {
		return 0, err
	}
	if !(difference > 0 && difference <= discordance) {
		return 0, &core.ConfigError{
			Field: "difference", Value: difference,
			Rule: fmt.Sprintf("must be above 0 and at most the discordance, which is %g", discordance),
		}
	}
	n := math.Ceil(questionsFor(discordance, difference, alpha, power))
	if n > maxQuestions {
		return 0, &core.ConfigError{Field: "difference", Value: difference, Rule: "needs more than 1e15 questions: choose a larger one"}
	}
	return int(n), nil
}

// maxQuestions keeps a sample size exact as a float64 and as an int.
const maxQuestions = 1e15

func questionsFor(discordance, difference, alpha, power float64) float64 {
	a := normalQuantile(1-alpha/2) * math.Sqrt(discordance)
	b := normalQuantile(power) * math.Sqrt(discordance-difference*difference)
	return (a + b) * (a + b) / (difference * difference)
}

// MinimumDetectable returns the smallest difference in accuracy between two slots,
// as a share, that n questions can show: what SampleSize turns back into n. Its
// arguments are those of SampleSize. The error is a *core.ConfigError, and says so
// when n is too small to show any difference at that discordance.
func MinimumDetectable(n int, discordance, alpha, power float64) (float64, error) {
	if err := checkPower(discordance, alpha, power); err != nil {
		return 0, err
	}
	if least := questionsFor(discordance, discordance, alpha, power); float64(n) < least {
		return 0, &core.ConfigError{
			Field: "n", Value: n,
			Rule: fmt.Sprintf("no difference can be seen at a discordance of %g: %.0f questions or more are needed", discordance, math.Ceil(least)),
		}
	}
	// Solved for the difference d, (a + b·sqrt(discordance-d²))² = n·d² is a
	// quadratic; its larger root has the signs that squaring forgot.
	count := float64(n)
	a, b := normalQuantile(1-alpha/2)*math.Sqrt(discordance), normalQuantile(power)
	root := b * math.Sqrt(discordance*(count+b*b)-a*a)
	return min(discordance, (a*math.Sqrt(count)+root)/(count+b*b)), nil
}

func checkPower(discordance, alpha, power float64) error {
	switch {
	case !(discordance > 0 && discordance <= 1):
		return &core.ConfigError{Field: "discordance", Value: discordance, Rule: "must be above 0 and at most 1: it is a share, not percent"}
	case !(power >= 0.5 && power < 1):
		return &core.ConfigError{Field: "power", Value: power, Rule: "must be at least 0.5 and below 1, such as 0.8"}
	}
	return checkOpen("alpha", alpha, 0, 1, "such as 0.05")
}
