package openai_test

import (
	"errors"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

// TestShapes holds answers in the forms of the servers, shortened.
func TestShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		completion bool
		body       string
		want       model.Answer
	}{
		{
			name: "OpenAI",
			body: `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Oslo","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],
				"usage":{"prompt_tokens":1117,"completion_tokens":46,"total_tokens":1163,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},"service_tier":"default"}`,
			want: model.Answer{Text: "Oslo", FinishReason: "stop", Usage: model.Usage{Prompt: 1117, Completion: 46, Cached: 1024}},
		},
		{
			name: "OpenAI, refused",
			body: `{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't."},"finish_reason":"stop"}]}`,
			want: model.Answer{Text: "I can't.", FinishReason: "refusal"},
		},
		{
			name: "refused, with words",
			body: `{"choices":[{"message":{"role":"assistant","content":"Well","refusal":"no"},"finish_reason":"stop"}]}`,
			want: model.Answer{Text: "Well", FinishReason: "refusal"},
		},
		{
			name: "vLLM, all tokens spent on thought",
			body: `{"choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"Hm","content":null,"tool_calls":[]},"finish_reason":"length","stop_reason":null}],
				"usage":{"prompt_tokens":9,"total_tokens":19,"completion_tokens":10,"prompt_tokens_details":null},"prompt_logprobs":null}`,
			want: model.Answer{FinishReason: "length", Thinking: true, Usage: model.Usage{Prompt: 9, Completion: 10}},
		},
		{
			name:       "vLLM, completion",
			completion: true,
			body:       `{"object":"text_completion","choices":[{"index":0,"text":" Oslo\n","logprobs":null,"finish_reason":"length","stop_reason":null}],"usage":{"prompt_tokens":5,"total_tokens":21,"completion_tokens":16,"prompt_tokens_details":{"cached_tokens":0}}}`,
			want:       model.Answer{Text: " Oslo\n", FinishReason: "length", Usage: model.Usage{Prompt: 5, Completion: 16}},
		},
		{
			name: "Ollama",
			body: `{"id":"chatcmpl-1","object":"chat.completion","model":"m","system_fingerprint":"fp_ollama","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":26,"completion_tokens":1,"total_tokens":27}}`,
			want: model.Answer{FinishReason: "stop", Usage: model.Usage{Prompt: 26, Completion: 1}},
		},
		{
			name: "llama.cpp",
			body: `{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"Oslo"}}],"object":"chat.completion",
				"usage":{"completion_tokens":3,"prompt_tokens":40,"total_tokens":43},"timings":{"cache_n":30,"prompt_n":10,"prompt_ms":1.5,"predicted_n":3}}`,
			want: model.Answer{Text: "Oslo", FinishReason: "stop", Usage: model.Usage{Prompt: 40, Completion: 3, Cached: 30}},
		},
		{
			name: "llama.cpp, processed more than it did not find",
			body: `{"choices":[{"message":{"content":"Oslo"}}],"usage":{"prompt_tokens":40,"prompt_tokens_details":{"cached_tokens":30}},"timings":{"prompt_n":12}}`,
			want: model.Answer{Text: "Oslo", Usage: model.Usage{Prompt: 40, Cached: 28}},
		},
		{
			name: "llama.cpp, timings alone",
			body: `{"choices":[{"message":{"content":"Oslo"}}],"timings":{"cache_n":30,"prompt_n":10,"predicted_n":3}}`,
			want: model.Answer{Text: "Oslo", Usage: model.Usage{Prompt: 40, Completion: 3, Cached: 30}},
		},
		{
			name: "cached ones counted apart",
			body: `{"error":null,"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":4,"prompt_tokens_details":{"cached_tokens":9}}}`,
			want: model.Answer{Text: "x", Usage: model.Usage{Prompt: 13, Cached: 9}},
		},
		{
			name: "cached ones counted apart, fewer than the rest, as the sum says",
			body: `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":40,"completion_tokens":2,"total_tokens":51,"prompt_tokens_details":{"cached_tokens":9}}}`,
			want: model.Answer{Text: "x", Usage: model.Usage{Prompt: 49, Completion: 2, Cached: 9}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := client(t, says(t, 200, js, test.body).URL, func(c *openai.Config) { c.Completion = test.completion })
			asked, err := c.Ask(t.Context(), question)
			if err != nil || asked != test.want {
				t.Errorf("Ask (-want +got)\n-%+v\n+%+v, error %v", test.want, asked, err)
			}
			read, err := openai.ParseResponse(200, []byte(test.body))
			if err != nil || read != test.want {
				t.Errorf("ParseResponse (-want +got)\n-%+v\n+%+v, error %v", test.want, read, err)
			}
		})
	}
}

func TestParseResponseOfAFailure(t *testing.T) {
	t.Parallel()
	answer, err := openai.ParseResponse(429, []byte(`{"error":{"message":"slow down"}}`))
	e := (*model.Error)(nil)
	if !errors.As(err, &e) || e.Status != 429 || !errors.Is(err, openai.ErrServer) || answer != (model.Answer{}) {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func FuzzParseResponse(f *testing.F) {
	f.Add(200, []byte(chat("Oslo")))
	f.Add(200, []byte(`{"choices":[{"text":"x"}],"usage":{"prompt_tokens":1},"timings":{"prompt_n":1}}`))
	f.Add(500, []byte(`{"error":{"message":"x","code":1}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		answer, err := openai.ParseResponse(status, body)
		if err == nil {
			u := answer.Usage
			if u.Prompt < 0 || u.Completion < 0 || u.Cached < 0 || u.Cached > u.Prompt {
				t.Errorf("usage %+v", u)
			}
			return
		}
		e := (*openai.Error)(nil)
		if !errors.As(err, &e) || len([]rune(e.Detail)) > 200 {
			t.Errorf("error %v", err)
		}
	})
}
