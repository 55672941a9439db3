package judge

import (
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
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
		{"\u200b\ufeff\x00", "stop", Class{Empty: true}},
		{"\u200f7", "stop", Class{}},
		{"Par", "length", Class{Truncated: true}},
		{"Par", "model_length", Class{Truncated: true}},
		{"Par", "MAX_TOKENS", Class{Truncated: true}},
		{"", "length", Class{Empty: true, Truncated: true, Unfinished: true}},
		{"", "content_filter", Class{Empty: true, Refusal: true}},
		{"", "sensitive", Class{Empty: true, Refusal: true}},
		{"No.", "refusal", refusal},
		{"<think>Paris</think> Rome", "stop", Class{}},
		{"<think>Paris</think>\n", "stop", Class{Empty: true, Unfinished: true}},
		{"<think>Paris", "length", Class{Empty: true, Truncated: true, Unfinished: true}},

		{"I don't know.", "stop", Class{}},
		{"I cannot answer that", "stop", Class{}},
		{"I'm sorry, but the documents do not say.", "stop", Class{}},
	} {
		if got := Classify(model.Answer{Text: test.text, FinishReason: test.finish}); got != test.want {
			t.Errorf("Classify(%q, %q) (-want +got)\n-%+v\n+%+v", test.text, test.finish, test.want, got)
		}
	}
	if got, want := Classify(model.Answer{Thinking: true}), (Class{Empty: true, Unfinished: true}); got != want {
		t.Errorf("thinking beside the text (-want +got)\n-%+v\n+%+v", want, got)
	}
}

func TestRemedyOfUnfinishedAnswers(t *testing.T) {
	t.Parallel()
	var c Counts
	for _, class := range []Class{{}, {Empty: true}, {Empty: true, Unfinished: true}} {
		if c.Remedy() != "" {
			t.Errorf("%+v: %s", c, c.Remedy())
		}
		c.Answer(class)
	}
	c.Add(c)
	if got, want := c.Remedy(), "2 empty answers of 6 ended in thinking, or at the limit of tokens: raise --max-tokens."; got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}
