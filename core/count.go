package core

import (
	"strings"
	"unicode/utf8"
)

// CountRunes returns the number of Unicode code points of text; an invalid byte
// counts as one. It allocates nothing.
func CountRunes(text string) int { return utf8.RuneCountInString(text) }

// CountWords returns the number of runs of text between white space
// (unicode.IsSpace). It allocates nothing.
func CountWords(text string) int {
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}
