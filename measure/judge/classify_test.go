package judge

import "testing"

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
		{"Par", "model_length", Class{Truncated: true}},
		{"Par", "MAX_TOKENS", Class{Truncated: true}},
		{"", "length", Class{Empty: true, Truncated: true}},
		{"", "content_filter", Class{Empty: true, Refusal: true}},
		{"", "sensitive", Class{Empty: true, Refusal: true}},
		{"No.", "refusal", refusal},
		{"<think>Paris</think> Rome", "stop", Class{}},
		{"<think>Paris</think>\n", "stop", Class{Empty: true}},
		{"<think>Paris", "length", Class{Empty: true, Truncated: true}},

		{"I don't know.", "stop", Class{}},
		{"I cannot answer that", "stop", Class{}},
		{"I'm sorry, but the documents do not say.", "stop", Class{}},
	} {
		if got := Classify(test.text, test.finish); got != test.want {
			t.Errorf("Classify(%q, %q) (-want +got)\n-%+v\n+%+v", test.text, test.finish, test.want, got)
		}
	}
}
