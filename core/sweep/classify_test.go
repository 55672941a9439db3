package sweep

import (
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	refusal := AnswerClass{Refusal: true}
	for _, test := range []struct {
		text, finish string
		want         AnswerClass
	}{
		{"Paris", "stop", AnswerClass{}},
		{"Paris", "", AnswerClass{}},
		{"", "stop", AnswerClass{Empty: true}},
		{" \n\t\u00a0", "", AnswerClass{Empty: true}},
		{"Par", "length", AnswerClass{Truncated: true}},
		{"Par", "MAX_TOKENS", AnswerClass{Truncated: true}},
		{"", "length", AnswerClass{Empty: true, Truncated: true}},
		{"", "content_filter", AnswerClass{Empty: true, Refusal: true}},
		{"No.", "refusal", refusal},
		{"I cannot answer that", "length", AnswerClass{Truncated: true, Refusal: true}},

		{"I can't say.", "stop", refusal},
		{"I can’t say.", "stop", refusal},
		{"\n  **I  CANNOT\nsay**", "stop", refusal},
		{"“I don't know.”", "stop", refusal},
		{"I cannot", "stop", refusal},
		{"I'm sorry, but the documents do not say.", "stop", refusal},
		{"As an AI, I have no view", "stop", refusal},

		{"I cannoticed", "stop", AnswerClass{}},
		{"I can say: Paris", "stop", AnswerClass{}},
		{"As an aide to Lincoln", "stop", AnswerClass{}},
		{"Sorry Seems to Be the Hardest Word", "stop", AnswerClass{}},
		{"Paris. I cannot say more.", "stop", AnswerClass{}},
		{"It says “I cannot”", "stop", AnswerClass{}},
		{strings.Repeat("é", 200), "stop", AnswerClass{}},
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
