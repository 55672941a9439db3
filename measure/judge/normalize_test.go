package judge

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var normalizeTests = []struct{ text, want string }{
	{"", ""},
	{"The  quick,\tbrown\nfox.", "quick brown fox"},
	{"an a the THE A", ""},
	{"theatre another Ana", "theatre another ana"},
	{"rock-and-roll", "rockandroll"},
	{"A.D. 79", "ad 79"},
	{"t-h-e end", "end"},
	{"a1 1a a_b", "a1 1a ab"},
	{"an—apple", "—apple"}, // a dash parts words
	{"“the”", "“ ”"},
	{"can\u0303a a\u0301", "can\u0303a a\u0301"}, // a mark belongs to its letter
	{"caña", "caña"},
	{"ÅNGSTRÖM", "ångström"},
	{"İstanbul", "istanbul"},
	{"ΟΔΟΣ οδός", "οδοσ οδόσ"},
	{"ß", "ß"},
	{"x\u00a0y\u2003z\u3000w\x1fv", "x y z w v"},
	{"zero\u200bwidth", "zero\u200bwidth"},
	{"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ""},
	{"\x7f", "\x7f"},
	{"bad \xff byte", "bad \ufffd byte"},
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, test := range normalizeTests {
		if got := Normalize(test.text); got != test.want {
			t.Errorf("Normalize(%q) (-want +got)\n-%q\n+%q", test.text, test.want, got)
		}
	}
}

var (
	punctuation = regexp.MustCompile(`[!-/:-@\[-` + "`" + `{-~]+`)
	words       = regexp.MustCompile(`[\p{L}\p{M}\p{N}]+`)
)

// slowNormalize says the same as Normalize in one step after another.
func slowNormalize(s string) string {
	s = strings.ReplaceAll(strings.ToLower(strings.ToValidUTF8(s, "\ufffd")), "ς", "σ")
	s = punctuation.ReplaceAllString(s, "")
	s = words.ReplaceAllStringFunc(s, func(w string) string {
		if w == "a" || w == "an" || w == "the" {
			return " "
		}
		return w
	})
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }), " ")
}

func FuzzNormalize(f *testing.F) {
	for _, test := range normalizeTests {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Normalize(s)
		// A run of invalid bytes is one mark for strings.ToValidUTF8.
		if want := slowNormalize(strings.Map(func(r rune) rune { return r }, s)); got != want {
			t.Errorf("Normalize(%q) (-want +got)\n-%q\n+%q", s, want, got)
		}
		if again := Normalize(got); again != got {
			t.Errorf("Normalize is not idempotent on %q: %q, then %q", s, got, again)
		}
		if got != "" && BestSubspan.Score(s, []string{s}) != 1 {
			t.Errorf("%q does not match itself", s)
		}
		if got == "" && BestSubspan.Score("x", []string{s}) != 0 {
			t.Errorf("%q normalises to nothing and matches", s)
		}
	})
}
