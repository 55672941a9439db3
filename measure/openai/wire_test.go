package openai_test

import (
	"testing"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

func TestRequestBody(t *testing.T) {
	t.Parallel()
	seed := int64(3)
	got, err := openai.RequestBody("m", model.Params{Temperature: 0.5, Seed: &seed, Stop: []string{"\n"}, Extra: map[string]any{"max_completion_tokens": 9, "max_tokens": nil, "temperature": 1}},
		model.Prompt{Messages: []prompt.Message{{Role: prompt.System, Text: "s"}, {Role: prompt.User, Text: "u"}}})
	want := `{"max_completion_tokens":9,"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"model":"m","seed":3,"stop":["\n"],"temperature":1}`
	if err != nil || string(got) != want {
		t.Errorf("(-want +got)\n-%s\n+%s, %v", want, got, err)
	}
}

func TestParseResponse(t *testing.T) {
	t.Parallel()
	usage := `"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}`
	used := model.Usage{Prompt: 9, Completion: 2, Cached: 4}
	for body, want := range map[string]*model.Answer{
		`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],` + usage + `}`:                  {Text: "a", FinishReason: "stop", Usage: used},
		`{"choices":[{"text":" b","finish_reason":"length"}],` + usage + `}`:                              {Text: " b", FinishReason: "length", Usage: used},
		`{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`:                {Text: "no", FinishReason: "refusal"},
		`{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":null}],"usage":null}`: {Text: "", FinishReason: ""},
		`{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens_details":null}}`:                {Text: "a", FinishReason: ""},
		``: nil, `{`: nil, `[]`: nil, `{"choices":[]}`: nil, `{"choices":[{}]}`: nil, `{"error":{"message":"x"}}`: nil,
		`{"choices":[{"message":{"content":7}}]}`: nil,
	} {
		got, err := openai.ParseResponse(200, []byte(body))
		if (want == nil) != (err != nil) || want != nil && got != *want {
			t.Errorf("%s: (-want +got) -%+v +%+v, %v", body, want, got, err)
		}
	}
}
