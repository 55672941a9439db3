package settings_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
)

// A tokenizer makes as many tokens as its counter counts, and equal ones of equal words.
func TestTokenizer(t *testing.T) {
	t.Parallel()
	for _, name := range settings.Tokenizers() {
		tokenize, err := settings.Tokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		count, err := settings.Counter(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "one", "The same start, and one end.", "äöü 漢字 🙂", "a\x00b\xff"} {
			if got := len(tokenize(text)); got != count(text) {
				t.Errorf("%s: %d tokens of %q, counted %d", name, got, text, count(text))
			}
		}
		a, b := tokenize("The same start, and one end."), tokenize("The same start, and another.")
		if !slices.Equal(a[:5], b[:5]) || slices.Equal(a, b) {
			t.Errorf("%s: %v and %v", name, a, b)
		}
	}
	if none, err := settings.Tokenizer(""); none != nil || err != nil {
		t.Errorf("no name: %v", err)
	}
	_, err := settings.Tokenizer("words")
	if e := (*core.ConfigError)(nil); !errors.As(err, &e) {
		t.Errorf("an unknown name: %v", err)
	}
}
