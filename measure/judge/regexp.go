package judge

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// What bounds the time of Regexp. Go matches in time that is linear in the text, but
// also in the expression, which a few characters such as {1000} make long.
const (
	maxExpression     = 1000       // bytes of an expression
	maxExpressionText = 64 << 10   // bytes of a text
	maxSteps          = 30_000_000 // of all expressions over one text: a fraction of a second
	stepsToCompile    = 32         // for each instruction of an expression
)

type expressions struct{}

func (expressions) String() string { return "regexp" }

// Score is 1 when an expression matches.
func (expressions) Score(text string, answers []string) float64 {
	text = text[:min(len(text), maxExpressionText)]
	left := maxSteps
	for _, answer := range answers {
		if strings.TrimSpace(answer) == "" || len(answer) > maxExpression {
			continue
		}
		instructions, ok := sizeOf(answer)
		if left -= (1 + instructions) * stepsToCompile; left < 0 {
			return 0
		}
		if !ok || instructions*len(text) > left {
			continue
		}
		left -= instructions * len(text)
		if regexp.MustCompile(answer).MatchString(text) { // sizeOf has compiled it
			return 1
		}
	}
	return 0
}

// sizeOf returns the number of instructions that an expression is compiled to.
func sizeOf(expression string) (instructions int, ok bool) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, false
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, false
	}
	return len(program.Inst), true
}
