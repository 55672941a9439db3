package safetext_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/internal/safetext"
)

func TestError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a plain text", "no route to host", "no route to host"},
		{"white space", "a\n\tb  c\r\n", "a b c"},
		{"nothing", " \n", "(an error without a text)"},
		{"an address", `Post "https://user:secret@host:1/path?key=secret#secret": refused`, `Post "https://host:1/path": refused`},
		{"an address that cannot be read", "at http://[secret now", "at (an address) now"},
		{"a database's", "postgres://u:secret@db/x?sslmode=off", "postgres://db/x"},
		{"broken characters", "a\xffb", "a\uFFFDb"},
		{"colours", "\x1b[31mred\x1b[0m", "[31mred [0m"},
		{"a title for the terminal", "a\x1b]0;owned\x07b", "a ]0;owned b"},
		{"C1 controls", "a\u009b31mb\u009dc\u0090d", "a 31mb c d"},
		{"a raw C1 byte", "a\x9b31mb", "a\uFFFD31mb"},
		{"backspace and delete", "ab\b\x7fc", "ab c"},
		{"bidirectional controls", "a\u202egnp.exe\u202c \u2066b\u2069\u200f", "agnp.exe b"},
		{"zero-width and tag characters", "p\u200bay\ufeff\u2060 \U000e0041\U000e0042c\u00add\ufe0f", "pay cd"},
		{"line separators", "a\u2028b\u2029c\u0085d\u00a0e", "a b c d e"},
		{"an address behind invisible characters", "ht\u200btp:/\u200b/u:secret@host/x?k=secret", "http://host/x"},
		{"an escape in an address", "http://h/%1b%5b31m?k=secret", "http://h/%1B%5B31m"},
		{"a long text", strings.Repeat("ä", 50), strings.Repeat("ä", 39) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Error(errors.New(c.text), 40); got != c.want {
				t.Errorf("(-want +got)\n-%s\n+%s", c.want, got)
			}
		})
	}
	if got := safetext.Error(nil, 40); got == "" {
		t.Error("no error gives no text")
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"  plain  text ":             "  plain  text ",
		"a\nb\tc\x1b[2Jd":            "a b c [2Jd",
		"مرحبا 日本 e\u0301":           "مرحبا 日本 e\u0301",
		"\u0600 a sign that is seen": "\u0600 a sign that is seen",
		"a\u200db\u3164c\u180ed":     "abcd",
		"\xff\xfea":                  "\uFFFDa",
	} {
		if got := safetext.Line(text); got != want {
			t.Errorf("Line(%q) (-want +got)\n-%q\n+%q", text, want, got)
		}
	}
}

// No text leaves a control, a line break or an invisible character behind.
func FuzzLine(f *testing.F) {
	f.Add("a\x1b]8;;http://x\x1b\\b\u202e\U000e0001\x9b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []string{safetext.Line(text), safetext.Error(errors.New(text), 300)} {
			for _, r := range got {
				if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || safetext.Invisible(r) {
					t.Errorf("%q leaves %U in %q", text, r, got)
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("%q leaves broken UTF-8: %q", text, got)
			}
		}
	})
}
