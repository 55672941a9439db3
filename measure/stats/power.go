package stats

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
)

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
		return 0, &core.ConfigError{Field: "difference", Value: difference, Rule: fmt.Sprintf("needs more than %.4g questions: choose a larger one", float64(maxQuestions))}
	}
	return int(n), nil
}

// maxQuestions keeps a sample size exact as a float64 and as an int.
const maxQuestions = min(1e15, math.MaxInt)

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
