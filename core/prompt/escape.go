package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/internal/safetext"
)

// tagNames are the names of the tags that the XML format writes.
var tagNames = []string{"documents", "document", "document_content", "source", "metadata"}

// Escape returns text as it stands inside a block of the XML format: what would
// open or close one of the tags that the format writes has its "<" written as
// "&lt;", and nothing else is changed. So a document cannot end its own block.
// Unescape reverses it exactly, for any bytes: a text that holds such an escaped
// tag already gets one more "amp;".
//
// A tag is "<", an optional "/", and the name of one of these tags, if no ASCII
// letter or digit and none of "_", "-", "." and ":" follows it. The letters of the name count in any
// case, folded as strings.EqualFold folds them ("ſ" is an s). White space, control
// characters and characters that no person can see may stand before the name and within
// it.
func Escape(text string) string {
	if !hasTag(text) {
		return text
	}
	scan := newTagScanner(text)
	at, found := scan.next()
	var b strings.Builder
	done := 0 // what of the text is written
	for ; found; at, found = scan.next() {
		b.WriteString(text[done:at])
		if text[at] == '<' {
			b.WriteString("&lt;")
		} else {
			b.WriteString("&amp;")
		}
		done = at + 1
	}
	b.WriteString(text[done:])
	return b.String()
}

// tagScanner finds what Escape changes. Each sign is looked for only once its last
// place is passed, so that the cost is linear also where one of them is rare.
type tagScanner struct {
	text    string
	lt, amp int // the next ones, len(text) for none
}

func newTagScanner(text string) tagScanner {
	s := tagScanner{text: text}
	s.lt, s.amp = s.index('<', 0), s.index('&', 0)
	return s
}

func (s *tagScanner) index(sign byte, from int) int {
	if i := strings.IndexByte(s.text[from:], sign); i >= 0 {
		return from + i
	}
	return len(s.text)
}

// next returns the place of the next "<" of a tag, or "&" of an escaped one.
func (s *tagScanner) next() (at int, found bool) {
	for s.lt < len(s.text) || s.amp < len(s.text) {
		if s.lt < s.amp {
			at, found = s.lt, startsTag(s.text[s.lt+1:])
			s.lt = s.index('<', at+1)
		} else {
			at = s.amp
			_, found = entity(s.text[at:])
			s.amp = s.index('&', at+1)
		}
		if found {
			return at, true
		}
	}
	return 0, false
}

// hasTag says whether Escape changes text.
func hasTag(text string) bool {
	for rest := text; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		if rest = rest[i+1:]; startsTag(rest) {
			return true
		}
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, '&')
		if i < 0 {
			return false
		}
		if _, isTag := entity(rest[i:]); isTag {
			return true
		}
		rest = rest[i+1:]
	}
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
	if tail == "" || tail[0] != 'a' && tail[0] != 'l' {
		return "", false
	}
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
	text = skipUnseen(text)
	if strings.HasPrefix(text, "/") {
		text = skipUnseen(text[1:])
	}
	if text == "" || text[0] < utf8.RuneSelf && strings.IndexByte("dDsSmM", text[0]) < 0 {
		return false // as most do
	}
	for _, name := range tagNames {
		if rest, ok := afterName(text, name); ok && endsName(rest) {
			return true
		}
	}
	return false
}

// afterName returns what follows name in text, which starts with it.
func afterName(text, name string) (rest string, ok bool) {
	for i := range len(name) {
		if i > 0 {
			text = skipUnseen(text)
		}
		_, size := utf8.DecodeRuneInString(text)
		if !strings.EqualFold(text[:size], name[i:i+1]) {
			return "", false
		}
		text = text[size:]
	}
	return text, true
}

// skipUnseen returns text from its first character on that a person can see.
func skipUnseen(text string) string {
	for text != "" && text[0] == ' ' {
		text = text[1:]
	}
	if text != "" && ' ' < text[0] && text[0] < 0x7F {
		return text
	}
	for i, r := range text {
		if !unicode.IsSpace(r) && !unicode.IsControl(r) && !safetext.Invisible(r) {
			return text[i:]
		}
	}
	return ""
}

func endsName(rest string) bool {
	if rest == "" {
		return true
	}
	c := rest[0]
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-.:", c) >= 0)
}
