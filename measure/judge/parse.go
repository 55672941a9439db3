package judge

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ScorerError says that a scorer's name or its argument cannot be read.
type ScorerError struct {
	Name string // what was given
	Rule string
}

// Error quotes the name and lists the valid ones.
func (e *ScorerError) Error() string {
	return fmt.Sprintf("bookend: scorer %q %s; valid names: %s", e.Name, e.Rule, strings.Join(ScorerNames(), ", "))
}

// ScorerNames returns the names that ParseScorer reads, without arguments, in the
// order of its documentation. The caller may change the slice.
func ScorerNames() []string {
	return []string{BestSubspan.String(), Exact.String(), Regexp.String(), Numeric{}.String(), TokenF1.String()}
}

// ParseScorer reads the name of a scorer, in any case, with hyphens or
// underscores. An unknown name or a bad argument is a *ScorerError that lists the
// valid names.
//
//	best-subspan         BestSubspan
//	exact                Exact
//	regexp               Regexp
//	numeric[=TOLERANCE]  Numeric; "0.5" is absolute, "5%" is relative
//	token-f1             TokenF1
func ParseScorer(name string) (Scorer, error) {
	word, argument, given := strings.Cut(name, "=")
	word = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), "_", "-")
	if word == (Numeric{}).String() {
		if !given {
			return Numeric{}, nil
		}
		n, ok := parseTolerance(strings.TrimSpace(argument))
		if !ok {
			return nil, &ScorerError{Name: name, Rule: "needs a tolerance of 0 or more, as in \"numeric=0.5\" or \"numeric=5%\""}
		}
		return n, nil
	}
	for _, s := range []Scorer{BestSubspan, Exact, Regexp, TokenF1} {
		if s.String() != word {
			continue
		}
		if given {
			return nil, &ScorerError{Name: name, Rule: "takes no argument: write " + strconv.Quote(word)}
		}
		return s, nil
	}
	return nil, &ScorerError{Name: name, Rule: "is not the name of a scorer"}
}

func parseTolerance(s string) (n Numeric, ok bool) {
	s, relative := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) {
		return Numeric{}, false
	}
	if relative {
		return Numeric{Relative: v / 100}, true
	}
	return Numeric{Absolute: v}, true
}
