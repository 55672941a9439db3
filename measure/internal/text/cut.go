package text

import "unicode/utf8"

// Cut returns a text of at most so many bytes, with … where something was left out. It
// cuts no character in two.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
