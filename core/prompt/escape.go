package prompt

import "strings"

// tagNames are the names of the tags that the XML format writes.
var tagNames = []string{"documents", "document", "document_content", "source", "metadata"}

// Escape returns text as it stands inside a block of the XML format: what would
// open or close one of the tags that the format writes has its "<" written as
// "&lt;", and nothing else is changed. So a document cannot end its own block.
// Unescape reverses it exactly, for any bytes: a text that holds such an escaped
// tag already gets one more "amp;".
//
// A tag is "<", an optional "/", and a name of a tag in any case, with white space
// allowed before and after the "/", that goes on with no letter or digit of
// ASCII and none of "_", "-", "." and ":".
func Escape(text string) string {
	next := func(sign byte, from int) int {
		if i := strings.IndexByte(text[from:], sign); i >= 0 {
			return from + i
		}
		return len(text)
	}
	var b strings.Builder
	done := 0 // what of the text is written
	replace := func(at int, by string) {
		b.WriteString(text[done:at])
		b.WriteString(by)
		done = at + 1
	}
	// Each sign is looked for only once its last place is passed, so that the cost
	// is linear also where one of them is rare.
	for lt, amp := next('<', 0), next('&', 0); lt < len(text) || amp < len(text); {
		if lt < amp {
			if startsTag(text[lt+1:]) {
				replace(lt, "&lt;")
			}
			lt = next('<', lt+1)
			continue
		}
		if _, isTag := entity(text[amp:]); isTag {
			replace(amp, "&amp;")
		}
		amp = next('&', amp+1)
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// Unescape returns the text that Escape was given.
func Unescape(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch rest, isTag := entity(text); {
		case !isTag:
			b.WriteByte('&')
			text = text[1:]
		case strings.HasPrefix(text, "&lt;"):
			b.WriteByte('<')
			text = rest
		default: // "&amp;…lt;tag" loses one "amp;"
			b.WriteByte('&')
			text = text[len("&amp;"):]
		}
	}
}

// entity says whether text starts with an escaped tag, "&lt;" or "&amp;lt;" and so
// on before the name of a tag, and returns what follows the first entity.
func entity(text string) (rest string, isTag bool) {
	tail := text[1:] // after "&"
	for strings.HasPrefix(tail, "amp;") {
		tail = tail[len("amp;"):]
	}
	if !strings.HasPrefix(tail, "lt;") || !startsTag(tail[len("lt;"):]) {
		return "", false
	}
	return text[strings.IndexByte(text, ';')+1:], true
}

// startsTag says whether text goes on, after a "<", as one of our tags.
func startsTag(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	text = strings.TrimPrefix(text, "/")
	text = strings.TrimLeft(text, " \t\r\n")
	for _, name := range tagNames {
		if len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) && endsName(text[len(name):]) {
			return true
		}
	}
	return false
}

func endsName(rest string) bool {
	if rest == "" {
		return true
	}
	c := rest[0]
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-.:", c) >= 0)
}
