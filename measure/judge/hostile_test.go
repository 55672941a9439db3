package judge

import (
	"strings"
	"testing"
	"time"
)

// No line of a dataset, and no answer of a model, keeps a scorer busy: texts and
// answers of 200 kB together take a moment.
func TestHostileLinesTakeNoTime(t *testing.T) {
	t.Parallel()
	const size = 200_000
	text := strings.Repeat("ab", size/4)
	many := func(answer string) []string {
		answers := make([]string, size/2/len(answer))
		for i := range answers {
			answers[i] = answer
		}
		return answers
	}
	for name, answers := range map[string][]string{
		"one long expression":      {strings.Repeat("[ab]{1000}|", size/2/11) + "c"},
		"one of the longest":       {strings.Repeat("[ab]{1000}|", maxExpression/11) + "c"},
		"many short expressions":   many("[ab]{1000}c"),
		"many nested repetitions":  many("(([ab]{10}){10}){10}c"),
		"many empty repetitions":   many("(?:a?){999}c"),
		"many longest expressions": many(strings.Repeat("[ab]{1000}|", maxExpression/11) + "c"),
		"many broken expressions":  many("("),
		"many words":               many("abc"),
		"many letters":             many("c"),
		"many numbers":             many("7"),
	} {
		for _, s := range []Scorer{Regexp, Exact, BestSubspan, Numeric{}, TokenF1} {
			begun := time.Now()
			if _, err := Score(s, text, answers); err != nil {
				t.Errorf("%s, %s: %v", s, name, err)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("%s, %s: %v", s, name, took)
			} else {
				t.Logf("%s, %s: %v", s, name, took)
			}
		}
	}
}

// What people write fits in the bounds.
func TestUsualExpressionsAreTried(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("A long answer runs on and on. ", 2000) + "It was 14 March 1972."
	if len(text) > maxExpressionText {
		t.Fatalf("the text has %d bytes", len(text))
	}
	names := strings.Repeat("somebody|", 60)
	answers := []string{`(?i)\b(` + names + `nobody)\b \d`, `[A-Z][a-z]{2,30} \d{4}, perhaps`, `\b\d{1,2} March 19\d\d\b`}
	if Regexp.Score(text, answers) != 1 {
		t.Error("the date is not found")
	}
	if Regexp.Score(strings.Repeat(" ", maxExpressionText)+"1972", []string{"1972"}) != 0 {
		t.Error("what stands behind the bound is read")
	}
}
