package judge

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// Normalize prepares a text for comparison, as the metric of Liu et al. does: it
// lowers the letters, deletes ASCII punctuation (and so joins what a hyphen
// parted), removes a, an and the where they are whole words, and collapses white
// space to single spaces. It is idempotent, safe on invalid UTF-8, and costs O(n).
//
// Words are runs of letters, marks and digits of any script, so that the last
// letter of "caña" is no article, in either spelling of its ñ. There is no folding
// of accents, no folding of compatibility forms, and no expansion: "ß" is not
// "ss". Two letters follow Go rather than Python, which the published metric runs
// on. "İ" becomes "i", where Python adds a combining dot, so that "İstanbul" is
// "istanbul" here and not there. A final "ς" becomes "σ", so that the case of a
// word never matters, whereas Python looks for the end of the word.
func Normalize(s string) string {
	out := make([]byte, 0, len(s))
	word := 0 // where the current word begins in out
	space := func() {
		if n := len(out); n > 0 && out[n-1] != ' ' {
			out = append(out, ' ')
		}
	}
	endWord := func() {
		if isArticle(out[word:]) {
			out = out[:word]
			space()
		}
	}
	for _, r := range s {
		r = lower(r)
		switch {
		case isASCIIPunctuation(r):
			continue // deleted: the word goes on
		case isWord(r):
			out = utf8.AppendRune(out, r)
			continue
		}
		endWord()
		if isSpace(r) {
			space()
		} else {
			out = utf8.AppendRune(out, r)
		}
		word = len(out)
	}
	endWord()
	return string(bytes.TrimSuffix(out, []byte(" ")))
}

func lower(r rune) rune {
	if r = unicode.ToLower(r); r == 'ς' {
		return 'σ'
	}
	return r
}

func isArticle(word []byte) bool {
	switch string(word) {
	case "a", "an", "the":
		return true
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) }

func isASCIIPunctuation(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// isSpace adds the four separators of ASCII to Unicode's white space, as Python
// does.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }
