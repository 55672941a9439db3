package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

// TestAnswers holds answers in forms that hide them.
func TestAnswers(t *testing.T) {
	t.Parallel()
	said := func(content string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant","content":` + content + `},"finish_reason":"stop"}]}`
	}
	oslo := model.Answer{Text: "Oslo", FinishReason: "stop"}
	thought := model.Answer{Text: "Oslo", FinishReason: "stop", Thinking: true}
	for _, test := range []struct {
		name, kind, body string
		want             model.Answer
	}{
		{"JSON that is called text", "text/plain; charset=utf-8", said(`"Oslo"`), oslo},
		{"JSON that is called a page", "text/html", said(`"Oslo"`), oslo},
		{"JSON that is called a stream", "text/event-stream", said(`"Oslo"`), oslo},
		{"JSON without a type", "", said(`"Oslo"`), oslo},
		{"thinking in tags", js, said(`"<think>\nTokyo\n</think>\n\nOslo"`), thought},
		{"thinking that the prompt opened", js, said(`"Tokyo</think>Oslo"`), thought},
		{"thinking without an end", js, said(`"<think>Oslo, since"`), model.Answer{FinishReason: "stop", Thinking: true}},
		{"parts", js, said(`[{"type":"thinking","thinking":[{"type":"text","text":"Tokyo"}]},{"type":"text","text":"Os"},{"type":"text","text":"lo"}]`), thought},
		{"parts of another name", js, said(`[{"type":"reasoning","text":"Tokyo"},{"type":"output_text","text":"Oslo"}]`), thought},
		{"parts of thinking alone", js, said(`[{"type":"redacted_thinking","data":"x"}]`), model.Answer{FinishReason: "stop", Thinking: true}},
		{"texts", js, said(`["Os","lo"]`), oslo},
		{"one part", js, said(`{"type":"text","text":"Oslo"}`), oslo},
		{"a picture beside it", js, said(`[{"type":"image_url","image_url":{"url":"x"}},{"text":"Oslo"}]`), oslo},
		{"a refusal as a part", js, said(`[{"type":"refusal","refusal":"No."}]`), model.Answer{Text: "No.", FinishReason: "refusal"}},
		{"reasoning_content", js, `{"choices":[{"message":{"content":"Oslo","reasoning_content":"Tokyo"},"finish_reason":"stop"}]}`, thought},
		{"reasoning", js, `{"choices":[{"message":{"content":"Oslo","reasoning":"Tokyo","reasoning_details":[]},"finish_reason":"stop"}]}`, thought},
		{"nothing but reasoning", js, `{"choices":[{"message":{"reasoning":"Oslo"},"finish_reason":"length"}]}`, model.Answer{FinishReason: "length", Thinking: true}},
		{"a filter", js, `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"content_filter"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, model.Answer{FinishReason: "content_filter"}},
		{"another filter", js, `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"sensitive"}]}`, model.Answer{FinishReason: "sensitive"}},
		{"nothing said", js, `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":0}}`, model.Answer{FinishReason: "stop", Usage: model.Usage{Prompt: 9}}},
		{"a reason that is no text", js, `{"choices":[{"message":{"content":"Oslo"},"finish_reason":{"type":"stop"}}]}`, model.Answer{Text: "Oslo"}},
		{"an error of false", js, strings.Replace(said(`"Oslo"`), "{", `{"error":false,`, 1), oslo},
		{"usage in words", js, strings.Replace(said(`"Oslo"`), "{", `{"usage":"12 tokens",`, 1), oslo},
		{"usage of texts", js, strings.Replace(said(`"Oslo"`), "{", `{"usage":{"prompt_tokens":"many"},`, 1), oslo},
		{"usage below 0", js, strings.Replace(said(`"Oslo"`), "{", `{"usage":{"prompt_tokens":-1},`, 1), oslo},
		{"usage beyond measure", js, strings.Replace(said(`"Oslo"`), "{", `{"usage":{"prompt_tokens":9e99},`, 1), oslo},
		{"usage in part", js, strings.Replace(said(`"Oslo"`), "{", `{"usage":{"prompt_tokens":7.0,"completion_tokens":null,"prompt_tokens_details":[]},"timings":3,`, 1), model.Answer{Text: "Oslo", FinishReason: "stop", Usage: model.Usage{Prompt: 7}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked, err := client(t, says(t, 200, test.kind, test.body).URL, nil).Ask(t.Context(), question)
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

// TestFailuresInsideASuccess holds what is no answer although its status says so.
func TestFailuresInsideASuccess(t *testing.T) {
	t.Parallel()
	ended := func(reason string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant","content":"Os"},"finish_reason":"` + reason + `"}]}`
	}
	for _, test := range []struct {
		name, body string
		status     int
		retryable  bool
		text       string
	}{
		{"of a choice", `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"error","error":{"code":502,"message":"upstream died"}}]}`, 502, true, "says: upstream died"},
		{"of a choice with words", `{"choices":[{"message":{"content":"Os"},"finish_reason":"stop","error":{"code":"500","message":"upstream died"}}]}`, 500, true, "upstream died"},
		{"of a plain completion", `{"choices":[{"text":"","error":"upstream died"}]}`, 200, true, "upstream died"},
		{"by its reason", ended("error"), 200, true, `reason "error"`},
		{"no resources", ended("insufficient_system_resource"), 200, true, "insufficient_system_resource"},
		{"no network", ended("network_error"), 200, true, "network_error"},
		{"aborted", ended("abort"), 200, true, "abort"},
		{"void", `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`, 200, true, "counts no token"},
		{"void of a completion", `{"choices":[{"text":"","finish_reason":"stop"}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, 200, true, "counts no token"},
		{"with what a gateway was told", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"acme/model is rate-limited upstream; add your own key","provider_name":"Acme"}}}`, 429, true, "says: Provider returned error: acme/model is rate-limited upstream; add your own key"},
		{"with what a gateway was told, as JSON", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"top_k is too low\",\"code\":\"x\"}}"}}}`, 400, false, "Provider returned error: top_k is too low"},
		{"by its form alone", `{"object":"error","message":"too long","code":400}`, 400, false, "says: too long"},
		{"beside choices of null", `{"choices":null,"message":"slow down","code":429}`, 429, true, "slow down"},
		{"of MiniMax", `{"base_resp":{"status_code":1002,"status_msg":"rate limit"},"choices":null}`, 200, true, "says: rate limit"},
		{"a list", `{"errors":[{"message":"no capacity"}],"success":false}`, 200, true, "no capacity"},
		{"invalid, without a status", `{"error":{"message":"no such field","type":"invalid_request_error"}}`, 200, false, "no such field"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.ParseResponse(200, []byte(test.body))
			e := (*model.Error)(nil)
			if !errors.As(err, &e) || !errors.Is(err, openai.ErrServer) && !errors.Is(err, openai.ErrFormat) {
				t.Fatalf("error %v", err)
			}
			if e.Status != test.status || model.Retryable(e) != test.retryable || !strings.Contains(e.Error(), test.text) {
				t.Errorf("status %d, to be tried again %v, error %v", e.Status, model.Retryable(e), e)
			}
		})
	}
}

func TestWordsOfServers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"detail":[{"type":"extra_forbidden","loc":["body","top_n"],"msg":"Extra inputs are not permitted","input":"my question"}]}`: "body.top_n: Extra inputs are not permitted",
		`{"error":{"message":"bad","innererror":{"code":"x","message":"worse"}}}`:                                                     "bad: worse",
		`{"error":{"error":{"message":"nested"}}}`:                                                                                    "nested",
		`{"error_msg":"quota"}`:                                  "quota",
		`{"title":"Not here","detail":"No such deployment"}`:     "Not here: No such deployment",
		`{"Message":"capital"}`:                                  "capital",
		`{"error":{"message":"same","metadata":{"raw":"same"}}}`: "same",
		`"a text"`:     `"a text"`,
		`<html>`:       "<html>",
		`{"error":{}}`: `{"error":{}}`,
	} {
		_, err := openai.ParseResponse(404, []byte(body))
		if got := "bookend: the model's server answered 404: the server says: " + want; err == nil || err.Error() != got {
			t.Errorf("%s: (-want +got)\n-%s\n+%v", body, got, err)
		}
	}
}

// A parameter of ours that the server does not take is named with the way to take it
// out; of others, and of other faults, nothing is said.
func TestHint(t *testing.T) {
	t.Parallel()
	const out = "; to take it out: --params '"
	for body, want := range map[string]string{
		`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`: out + `{"max_tokens": null, "max_completion_tokens": 100}'`,
		`{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model."}}`:                                                            out + `{"temperature": null}'`,
		`{"error":{"message":"This field is not allowed.","param":"stream"}}`:                                                                                     out + `{"stream": null}'`,
		`{"detail":[{"loc":["body","temperature"],"msg":"Extra inputs are not permitted"}]}`:                                                                      out + `{"temperature": null}'`,
		`{"error":{"message":"Unknown parameter: 'top_k'.","param":"top_k"}}`:                                                                                     "",
		`{"error":{"message":"max_tokens is too large: 100"}}`:                                                                                                    "",
		`{"error":{"message":"The upstream is not supported; please stop"}}`:                                                                                      "",
	} {
		_, err := openai.ParseResponse(400, []byte(body))
		if err == nil || model.Retryable(err) || want == "" && strings.Contains(err.Error(), "--params") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q at its end", body, err, want)
		}
	}
	if _, err := openai.ParseResponse(500, []byte(`{"error":{"message":"unsupported","param":"stream"}}`)); strings.Contains(err.Error(), "--params") {
		t.Errorf("a server's failure: %v", err)
	}
}
