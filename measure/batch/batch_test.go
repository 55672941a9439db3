package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

type batchRequest struct {
	CustomID string         `json:"custom_id"`
	Method   string         `json:"method"`
	URL      string         `json:"url"`
	Body     map[string]any `json:"body"`
}

func mustBatch(t *testing.T, p *sweep.Plan, j *journal.Journal) ([]batchRequest, Size) {
	t.Helper()
	var file bytes.Buffer
	size, err := Write(&file, p, "fake", p.Settings().Params, j)
	if err != nil {
		t.Fatal(err)
	}
	if int64(file.Len()) != size.Bytes {
		t.Errorf("bytes: -want %d +got %d", file.Len(), size.Bytes)
	}
	var requests []batchRequest
	for line := range bytes.Lines(file.Bytes()) {
		var r batchRequest
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		requests = append(requests, r)
	}
	return requests, size
}

func TestWriteBatch(t *testing.T) {
	t.Parallel()
	for _, completion := range []bool{false, true} {
		p := mustPlan(t, 3, 2, func(s *sweep.Settings) { s.Params.Completion = completion })
		j := fake.Journal(t, fake.Path(t))
		all := calls(t, p)
		if err := errors.Join(j.Append(fake.Answered(all[1].Key, "")), j.Append(fake.Failed(all[2].Key))); err != nil {
			t.Fatal(err)
		}
		got, size := mustBatch(t, p, j)
		want := slices.Delete(slices.Clone(all), 1, 2)
		if len(got) != len(want) || size.Requests != len(want) || size.Known != 1 {
			t.Fatalf("%d requests, %+v; want %d", len(got), size, len(want))
		}
		for i, r := range got {
			url, text := openai.Path(completion), ""
			if completion {
				text, _ = r.Body["prompt"].(string)
			} else if m, ok := r.Body["messages"].([]any); ok && len(m) == 1 {
				text, _ = m[0].(map[string]any)["content"].(string)
			}
			if r.CustomID != want[i].Key || len(r.CustomID) > 64 || r.Method != "POST" || r.URL != url || text != want[i].Prompt.Text ||
				r.Body["model"] != "fake" || r.Body["temperature"] != 0.0 || r.Body["max_tokens"] != 100.0 {
				t.Errorf("line %d: %+v", i, r)
			}
		}
	}
}

func TestReadBatch(t *testing.T) {
	t.Parallel()
	path := fake.Path(t)
	p := mustPlan(t, 2, 5, nil) // 16 calls
	j := fake.Journal(t, path)
	all := calls(t, p)
	if err := j.Append(fake.Answered(all[0].Key, "first")); err != nil {
		t.Fatal(err)
	}
	ok := `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`
	line := func(i int, rest string) string { return fmt.Sprintf(`{"id":"x","custom_id":%q,%s}`, all[i].Key, rest) }
	lines := []string{
		line(5, `"response":{"status_code":200,"request_id":"r","body":`+ok+`},"error":null`), // OpenAI
		line(1, `"response":{"status_code":200,"request_id":"vllm-1","body":`+ok+`},"error":null`),
		line(0, `"response":{"status_code":200,"body":`+ok+`},"error":null`), // known
		line(5, `"response":{"status_code":200,"body":`+ok+`},"error":null`), // twice
		line(2, `"response":{"status_code":429,"body":{"error":{"message":"slow https://h/?key=secret","code":"rate"}}},"error":null`),
		line(3, `"response":null,"error":{"code":"batch_expired","message":"expired"}`),
		line(4, `"response":{"status_code":400,"request_id":"v","body":null},"error":{"object":"error","message":"too long","code":400}`), // vLLM
		line(6, `"response":{"status_code":400,"body":null},"error":{"error":{"message":"nested","code":400}}`),                           // vLLM, newer
		line(7, `"response":{"status_code":200,"body":{"choices":[]}},"error":null`),
		line(8, `"error":null`),
		line(9, `"response":{"status_code":500},"error":"as a text"`),
		line(10, `"response":{"status_code":503}`),
		line(11, `"response":null,"error":{"code":"gone"}`),
		`{"custom_id":"somebody else's","response":{}}`, "not JSON", "", `{"response":{}}`,
		line(12, `"response":{"status_code":200,"body":`+ok+`},"error":null`)[:50], // torn
	}
	result, err := Read(strings.NewReader(strings.Join(lines, "\n")), p, j)
	if err != nil {
		t.Fatal(err)
	}
	want := "17 lines: 2 answered, 9 failed, 2 known already, 1 of other calls, 3 broken; no answer yet: 13 calls"
	if got := result.String(); got != want || !slices.Equal(result.Broken, []int{15, 17, 18}) {
		t.Errorf("(-want +got)\n-%s\n+%s %v", want, got, result.Broken)
	}
	messages := map[int]journal.Failure{
		2: {Status: 429, Message: "bookend: the model's server answered 429: the server says: slow https://h/"}, 3: {Status: 0, Message: "expired"}, 4: {Status: 400, Message: "too long"}, 6: {Status: 400, Message: "nested"},
		7: {Status: 200, Message: "bookend: the model's server answered 200: the answer cannot be read: one choice is expected, it has 0"}, 8: {Status: 0, Message: "the batch has neither a response nor an error for it"},
		9: {Status: 500, Message: "as a text"}, 10: {Status: 503, Message: "bookend: the model's server answered 503: the server says: Service Unavailable"}, 11: {Status: 0, Message: `{"code":"gone"}`},
	}
	records, _ := fake.Read(t, path)
	for _, r := range records[1:] {
		i := slices.IndexFunc(all, func(c model.Call) bool { return c.Key == r.Key })
		if r.Arm != all[i].Arm || r.Slot != all[i].Slot || r.Question != all[i].Question || r.Attempts != 0 {
			t.Errorf("call %d has the record %+v", i, r)
		}
		if i == 1 || i == 5 {
			if r.Answer == nil || *r.Answer != (model.Answer{Text: "a", FinishReason: "stop", Usage: model.Usage{Prompt: 9, Completion: 2}}) {
				t.Errorf("call %d: %+v", i, r.Answer)
			}
		} else if r.Failure == nil || *r.Failure != messages[i] {
			t.Errorf("call %d: (-want +got) -%+v +%+v", i, messages[i], r.Failure)
		}
	}
	again, err := run.Run(t.Context(), p, fake.Echo, j, run.Limits{})
	if err != nil || again.Known != 3 || again.Answered != 13 {
		t.Errorf("the rest: %+v, %v", again, err)
	}
	if _, size := mustBatch(t, p, j); size.Requests != 0 || size.Known != 16 {
		t.Errorf("a batch of what is finished: %+v", size)
	}
}

// A batch file and a server are read by one set of bounds: a usage that no model can have
// had counts as none, and the answer stands.
func TestReadBatchBounds(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, 1, 2, nil)
	key := calls(t, p)[0].Key
	for usage, counts := range map[string]bool{
		fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d}`, model.MaxTokens, model.MaxTokens): true,
		fmt.Sprintf(`{"prompt_tokens":%d}`, model.MaxTokens+1):                                       false,
		`{"prompt_tokens":9223372036854775807}`:                                                      false,
		`{"prompt_tokens":9223372036854775808}`:                                                      false,
		`{"completion_tokens":9223372036854775807}`:                                                  false,
		`{"prompt_tokens":-1}`:                                                                       false,
		`{"prompt_tokens":1,"prompt_tokens_details":{"cached_tokens":9223372036854775807}}`:          false,
	} {
		body := `{"choices":[{"message":{"content":"a"}}],"usage":` + usage + `}`
		j := fake.Journal(t, fake.Path(t))
		result, err := Read(strings.NewReader(fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":%s}}`, key, body)), p, j)
		if err != nil || result.Answered != 1 {
			t.Errorf("%s: %+v, %v", usage, result, err)
		}
		if spent := j.Spent().Tokens(); spent < 0 || spent > 2*model.MaxTokens || counts != (spent > 1000) {
			t.Errorf("%s: %d tokens are spent", usage, spent)
		}
		live, err := openai.ParseResponse(200, []byte(body))
		if err != nil || (live.Usage.Tokens() > 1000) != counts {
			t.Errorf("%s: live, %+v, %v", usage, live, err)
		}
	}
}

func TestReadBatchLimits(t *testing.T) {
	t.Parallel()
	_, err := Read(strings.NewReader(strings.Repeat("x", journal.MaxLine+1)), mustPlan(t, 1, 2, nil), fake.Journal(t, fake.Path(t)))
	if !errors.Is(err, dataset.ErrLimit) {
		t.Errorf("a long line: %v", err)
	}
}

// FuzzBatch: no result file panics, and each line ends in one count.
func FuzzBatch(f *testing.F) {
	for _, seed := range []string{"", "{", `{"custom_id":"KEY","response":{"status_code":200,"body":{"choices":[{"text":"a"}]}}}`, `{"custom_id":"KEY","error":{"error":null}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		p := mustPlan(t, 1, 2, nil)
		first, err := p.Call(0)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(strings.NewReader(strings.ReplaceAll(content, "KEY", first.Key)), p, fake.Journal(t, fake.Path(t)))
		if err == nil && (r.Lines != r.Answered+r.Failed+r.Known+r.Unknown+len(r.Broken) || r.Missing+r.Answered != p.Len()) {
			t.Errorf("%+v", r)
		}
	})
}
