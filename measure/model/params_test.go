package model_test

import (
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
)

func TestLeastTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"nothing":              {"", 0},
		"five words":           {"the sun rises at six", 4},
		"letters alone":        {"a b c d e f g h i j", 0},
		"don't":                {"don't they're we’ll it's won't", 4},
		"letters that repeat":  {strings.Repeat("a", 7000), 0},
		"a word of 41":         {strings.Repeat("ab", 20) + "c", 2},
		"white space of kinds": {strings.Repeat(" \n\t\r ", 700), 0},
		"a ruler":              {strings.Repeat("-=", 500), 0},
		"no spaces":            {strings.Repeat("河流每天早晨", 20), 14}, // 360 bytes
		"marks":                {"अंतरराष्ट्रीय संगठन रूप", 3},
		"an ID":                {"a81bc81b-dead-4e5d-abff-90865d1e13b1", 4},
		"not a text":           {strings.Repeat("\xff\xfe", 30), 0},
	} {
		if got := model.LeastTokens(c.text); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// It never says more than the estimate, and grows with the text.
func TestLeastTokensIsLessThanTheEstimate(t *testing.T) {
	t.Parallel()
	text := "Bank 4711 am Fluß — 河流 🙂 a\tb {\"k\": [1, 2]}\n"
	last := 0
	for i := range 2000 {
		asked := strings.Repeat(text, i/len(text)) + text[:i%len(text)]
		least := model.LeastTokens(asked)
		if least > model.EstimateTokens(asked) || least < last {
			t.Fatalf("%d bytes: least %d after %d, estimate %d", len(asked), least, last, model.EstimateTokens(asked))
		}
		last = least
	}
}
