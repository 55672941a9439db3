package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is text on one line that a terminal and a person read alike: a line break or a
// control character, C1 and escape among them, is a space, what no person can see is
// taken out (Invisible), and broken UTF-8 is U+FFFD. A text in no need of it is returned
// as it is, without a copy.
func Line(text string) string {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7F {
			return strings.Map(func(r rune) rune {
				switch {
				case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
					return ' '
				case Invisible(r):
					return -1
				}
				return r
			}, strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	return text
}

// Invisible says whether a character shows nothing: the format characters of Unicode,
// among them the bidirectional controls, zero-width characters and tags, and what it
// calls ignorable, such as variation selectors and fillers. White space and controls
// are not among them.
func Invisible(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
