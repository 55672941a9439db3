package judge

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	refusal := Class{Refusal: true}
	for _, test := range []struct {
		text, finish string
		want         Class
	}{
		{"Paris", "stop", Class{}},
		{"Paris", "", Class{}},
		{"", "stop", Class{Empty: true}},
		{" \n\t\u00a0", "", Class{Empty: true}},
		{"Par", "length", Class{Truncated: true}},
		{"Par", "MAX_TOKENS", Class{Truncated: true}},
		{"", "length", Class{Empty: true, Truncated: true}},
		{"", "content_filter", Class{Empty: true, Refusal: true}},
		{"No.", "refusal", refusal},
		{"I cannot answer that", "length", Class{Truncated: true, Refusal: true}},

		{"I can't say.", "stop", refusal},
		{"I can’t say.", "stop", refusal},
		{"\n  **I  CANNOT\nsay**", "stop", refusal},
		{"“I don't know.”", "stop", refusal},
		{"I cannot", "stop", refusal},
		{"I'm sorry, but the documents do not say.", "stop", refusal},
		{"As an AI, I have no view", "stop", refusal},

		{"I cannoticed", "stop", Class{}},
		{"I can say: Paris", "stop", Class{}},
		{"As an aide to Lincoln", "stop", Class{}},
		{"Sorry Seems to Be the Hardest Word", "stop", Class{}},
		{"Paris. I cannot say more.", "stop", Class{}},
		{"It says “I cannot”", "stop", Class{}},
		{strings.Repeat("é", 200), "stop", Class{}},
	} {
		if got := Classify(test.text, test.finish); got != test.want {
			t.Errorf("Classify(%q, %q) (-want +got)\n-%+v\n+%+v", test.text, test.finish, test.want, got)
		}
	}
}

// Each opening is found, and the list holds only what can be found.
func TestRefusalOpenings(t *testing.T) {
	t.Parallel()
	for _, opening := range RefusalOpenings() {
		if !Classify(opening, "").Refusal || !Classify(strings.ToUpper(opening)+" x", "").Refusal {
			t.Errorf("%q is not found", opening)
		}
		if Classify(opening+"z", "").Refusal {
			t.Errorf("%q is found in the middle of a word", opening)
		}
	}
	RefusalOpenings()[0] = "paris"
	if Classify("Paris", "").Refusal {
		t.Error("a caller changed the list")
	}
}
