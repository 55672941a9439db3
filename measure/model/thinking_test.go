package model

import (
	"strings"
	"testing"
)

func TestAfterThinking(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, want string
		thinking   bool
	}{
		{"Oslo", "Oslo", false},
		{" Oslo\n", " Oslo\n", false}, // nothing is trimmed where nothing is taken out
		{"", "", false},
		{"I think so", "I think so", false},
		{"<thinker> Oslo", "<thinker> Oslo", false},
		{"<think>\nTokyo, Oslo.\n</think>\n\nAtlantis.\n", "Atlantis.", true},
		{"<think></think>Oslo", "Oslo", true},
		{"<Think>Tokyo</THINK> Oslo", "Oslo", true},
		{"<thinking>Tokyo</thinking>Oslo", "Oslo", true},
		{"<thought>Tokyo</thought>Oslo", "Oslo", true},
		{"<reasoning>Tokyo</reasoning>Oslo", "Oslo", true},
		{"<seed:think>Tokyo</seed:think>Oslo", "Oslo", true},
		{"[THINK]Tokyo[/THINK]Oslo", "Oslo", true},
		{"◁think▷Tokyo◁/think▷Oslo", "Oslo", true},
		{"<|channel|>analysis<|message|>Tokyo<|end|><|start|>assistant<|channel|>final<|message|>Oslo<|return|>", "Oslo", true},
		{"Tokyo.\n</think>\n\nOslo", "Oslo", true}, // the prompt opened it
		{"<think>a</think>Tokyo<think>b</think>Oslo", "Oslo", true},
		{"<think>a<think>b</think>c</think>Oslo", "Oslo", true},
		{"<think>Oslo, as it", "", true},
		{"\n<think>\nOslo", "", true},
		{"<think>a</think>Tokyo<think>Oslo", "", true},
		{"<|channel|>analysis<|message|>Oslo", "", true},
	} {
		got, thinking := AfterThinking(test.text)
		if got != test.want || thinking != test.thinking {
			t.Errorf("%q: -want %q, %v +got %q, %v", test.text, test.want, test.thinking, got, thinking)
		}
	}
}

// What follows is part of the text, and has no thinking of its own.
func FuzzAfterThinking(f *testing.F) {
	f.Add("<think>a</think>b")
	f.Fuzz(func(t *testing.T, text string) {
		got, _ := AfterThinking(text)
		if again, thinking := AfterThinking(got); !strings.Contains(text, got) || again != got || thinking {
			t.Errorf("%q: %q, and of that %q", text, got, again)
		}
	})
}
