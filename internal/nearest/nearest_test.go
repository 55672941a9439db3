package nearest

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	t.Parallel()
	names := []string{"head-tail", "tail-head", "ranked", "top_k", "budget"}
	for word, want := range map[string]string{
		"head_tial": "head-tail", "HEADTAIL": "head-tail", "rankd": "ranked", "topk": "top_k", "top_kk": "top_k", "budegt": "budget",
		"": "", "x": "", "overflow": "", "taal-hed": "tail-head", strings.Repeat("a", 1<<20): "",
	} {
		if got := Of(word, names); got != want {
			t.Errorf("Of(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	names := []string{"ranked", "reversed"}
	for word, want := range map[string]string{"rankd": "; did you mean ranked?", "sideways": ""} {
		if got := Hint(word, names); got != want {
			t.Errorf("Hint(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abd", 1}, {"abcd", "abdc", 1}, {"abc", "xbcd", 2}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
