package model

import (
	"testing"

	"github.com/bookend-rag/bookend/core/prompt"
)

func TestKeyCountsWhatDeterminesTheAnswer(t *testing.T) {
	t.Parallel()
	ask := User("hello")
	seed := int64(0)
	base := func() (string, Params, Prompt, int) { return "m", Params{}, ask, 0 }
	key := func(model string, p Params, ask Prompt, repeat int) string {
		k, err := CallKey(model, p, ask, repeat)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	if first, second := key(base()), key(base()); first != second {
		t.Fatal("the key varies")
	}
	system := Prompt{Text: "hello", Messages: []prompt.Message{{Role: prompt.System, Text: "hello"}}}
	keys := map[string]string{"": key(base())}
	for name, k := range map[string]string{
		"model": key("n", Params{}, ask, 0), "repeat": key("m", Params{}, ask, 1), "text": key("m", Params{}, User("hello "), 0),
		"role": key("m", Params{}, system, 0), "completion": key("m", Params{Completion: true}, ask, 0),
		"temperature": key("m", Params{Temperature: 1}, ask, 0), "max": key("m", Params{MaxTokens: 1}, ask, 0),
		"seed": key("m", Params{Seed: &seed}, ask, 0), "stop": key("m", Params{Stop: []string{"a"}}, ask, 0),
		"extra": key("m", Params{Extra: map[string]any{"top_k": 1}}, ask, 0),
	} {
		for other, seen := range keys {
			if seen == k {
				t.Errorf("%q and %q have one key", name, other)
			}
		}
		keys[name] = k
	}
}
