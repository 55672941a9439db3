// Package show makes text that may come from anywhere safe to print: on a terminal
// and in a cell of a spreadsheet.
package show

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns the text on one line, without anything that a terminal would obey:
// control characters, those of C1 and invalid bytes among them, and the marks that
// turn the direction of writing, are written as escapes. It costs O(n).
func Line(text string) string {
	if !strings.ContainsFunc(text, obeyed) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case obeyed(r) && r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// Lines is Line for a text of several lines, which stay apart.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Line(line)
	}
	return strings.Join(lines, "\n")
}

// JSON writes what a terminal would obey in the strings of valid JSON as escapes of
// JSON, which mean the same.
func JSON(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		if r != '\n' && obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// obeyed are the characters that do something.
func obeyed(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// Cell returns the text for a cell of a CSV file. What a spreadsheet would take for
// a formula gets an apostrophe in front.
func Cell(text string) string {
	text = Line(text)
	if start := strings.TrimLeft(text, " "); start != "" && strings.ContainsRune("=+-@\uff1d\uff0b\uff0d\uff20", first(start)) {
		return "'" + text
	}
	return text
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// Cut shortens a text to so many characters, 1 or more.
func Cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// Wrap returns the words of a text in lines of at most so many characters, but for a
// longer word.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	var words []string
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "%") && len(words) > 0 { // belongs to its number
			words[len(words)-1] += " " + word
			continue
		}
		words = append(words, word)
	}
	for _, word := range words {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Percent writes a share with one decimal.
func Percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// Signed writes a number with its sign and one decimal, and no minus before a zero.
func Signed(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "+∞", false: "−∞"}[v > 0]
	}
	text := fmt.Sprintf("%+.1f", v)
	if text == "-0.0" || text == "+0.0" {
		return "0.0"
	}
	return strings.Replace(text, "-", "−", 1)
}

// Count writes a number with its noun.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
