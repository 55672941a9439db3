package judge

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Numeric is 1 when some number in the text is near the first number of one of
// the answers: no further from it than Absolute, or than Relative times its size,
// whichever allows more. The zero value asks for the same number, to within
// rounding in the twelfth digit. An answer without a number matches nothing. Any
// number of the text counts, so that a text that lists many is judged leniently.
//
// Numbers are written as in English: "1,972.5", ".5", "6e3". A sign counts unless
// a letter or digit stands before it ("1990-95" has no negative number). Units,
// currency and percent signs are ignored.
type Numeric struct {
	Absolute float64 // in the unit of the answer, 0 or more
	Relative float64 // a share: .05 is 5 %
}

// String returns the name with its tolerance, as ParseScorer reads it. When both
// are set it names the relative one alone.
func (n Numeric) String() string {
	switch {
	case n.Relative != 0:
		return "numeric=" + strconv.FormatFloat(n.Relative*100, 'g', -1, 64) + "%"
	case n.Absolute != 0:
		return "numeric=" + strconv.FormatFloat(n.Absolute, 'g', -1, 64)
	}
	return "numeric"
}

// Score implements Scorer.
func (n Numeric) Score(text string, answers []string) float64 {
	got := numbers(text)
	for _, answer := range answers {
		want := numbers(answer)
		if len(want) == 0 {
			continue
		}
		size := math.Abs(want[0])
		tolerance := max(n.Absolute, n.Relative*size) + 1e-12*size
		for _, number := range got {
			if math.Abs(number-want[0]) <= tolerance {
				return 1
			}
		}
	}
	return 0
}

var (
	numeral = regexp.MustCompile(`[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+`)
	grouped = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{3})+(?:[.eE]|$)`)
)

// numbers returns the numbers of a text in order. Those too large for a float64
// are passed over.
func numbers(text string) []float64 {
	var all []float64
	for _, at := range numeral.FindAllStringIndex(text, -1) {
		word := strings.TrimRight(text[at[0]:at[1]], ",")
		parts := strings.Split(word, ",") // a list: "1,2,3"
		if grouped.MatchString(word) {
			parts = []string{strings.ReplaceAll(word, ",", "")}
		}
		for i, part := range parts {
			v, err := strconv.ParseFloat(part, 64)
			if err != nil {
				continue
			}
			if i == 0 && isNegative(text[:at[0]]) {
				v = -v
			}
			all = append(all, v)
		}
	}
	return all
}

// isNegative tells whether the text before a number ends in a minus sign, and not
// in a hyphen.
func isNegative(before string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	if r != '-' && r != '−' {
		return false
	}
	r, _ = utf8.DecodeLastRuneInString(before[:len(before)-size])
	return !unicode.IsLetter(r) && !unicode.IsNumber(r)
}
