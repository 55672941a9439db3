package fake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
)

// Lookups returns questions after codes that stand in one of their documents each, of so
// many documents of different lengths. With lists, the document with the answer stands
// first for two questions of three, and else second.
func Lookups(t testing.TB, questions, documents int, lists bool) *dataset.Dataset {
	t.Helper()
	var cases []dataset.Case
	for q := range questions {
		c := dataset.Case{Question: fmt.Sprintf("What is the code of item%d?", q), Answers: []string{fmt.Sprintf("value%d", q)}}
		if lists && q%3 == 2 {
			c.Gold = 1
		}
		for d := range documents {
			item, value := fmt.Sprintf("item%d-%d", q, d), fmt.Sprintf("other%d-%d", q, d)
			if d == c.Gold {
				item, value = fmt.Sprintf("item%d", q), fmt.Sprintf("value%d", q)
			}
			filler := strings.Repeat("Nobody remembers who wrote these lines or why. ", 2+(q*7+d*3)%9)
			c.Documents = append(c.Documents, dataset.Document{Text: fmt.Sprintf("The code of %s is %s. %s", item, value, filler)})
		}
		c.Golds = []int{c.Gold}
		cases = append(cases, c)
	}
	d, err := dataset.Rules{Lists: lists}.New(cases...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var asksFor = regexp.MustCompile(`the code of (item[0-9]+)\?`)

// LookUp is a reader that makes no mistake: it returns the code that the prompt asks for,
// if it stands there, and what memory is without it.
func LookUp(prompt, memory string) string {
	asked := asksFor.FindStringSubmatch(prompt)
	if asked == nil {
		return memory
	}
	_, found, ok := strings.Cut(prompt, "The code of "+asked[1]+" is ")
	if !ok {
		return memory
	}
	code, _, _ := strings.Cut(found, ".")
	return code
}

// Memory is what the question asks for, without a document.
func Memory(prompt string) string {
	return strings.Replace(asksFor.FindStringSubmatch(prompt)[1], "item", "value", 1)
}

// Reply is how a server ends a call.
type Reply struct {
	Status  int    // 0: 200
	Text    string // of the answer
	Finish  string // empty: stop
	Message string // a whole message, as JSON, in place of one with Text
	Prompt  int    // tokens that it says it read; 0: it gives no usage
	Void    bool   // a usage of nothing but zeros
	Broken  bool   // an error in place of an answer
}

// Tokens is a plausible number of tokens of a text.
func Tokens(text string) int { return len(text) / 4 }

func (r Reply) write() (status int, body []byte) {
	status = max(r.Status, http.StatusOK)
	if r.Status >= 400 || r.Broken {
		return status, []byte(`{"error":{"message":"the engine is on fire","code":"internal"}}`)
	}
	message := json.RawMessage(r.Message)
	if r.Message == "" {
		message, _ = json.Marshal(map[string]string{"role": "assistant", "content": r.Text})
	}
	finish := r.Finish
	if finish == "" {
		finish = "stop"
	}
	answer := map[string]any{"choices": []map[string]any{{"index": 0, "message": message, "finish_reason": finish}}}
	switch {
	case r.Void:
		answer["usage"] = map[string]int{"prompt_tokens": 0, "completion_tokens": 0}
	case r.Prompt > 0:
		answer["usage"] = map[string]int{"prompt_tokens": r.Prompt, "completion_tokens": 5}
	}
	body, _ = json.Marshal(answer)
	return status, body
}

func promptOf(body []byte) string {
	var asked struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal(body, &asked)
	var texts []string
	for _, m := range asked.Messages {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n")
}

// Chat is an OpenAI-compatible server that answers each prompt by reply, and how often it
// was asked.
func Chat(t testing.TB, reply func(prompt string) Reply) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		status, answer := reply(promptOf(body)).write()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// Batch is the result file of a batch service for such a server.
func Batch(t testing.TB, requests io.Reader, reply func(prompt string) Reply) string {
	t.Helper()
	var results strings.Builder
	lines := bufio.NewScanner(requests)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var request struct {
			ID   string          `json:"custom_id"`
			Body json.RawMessage `json:"body"`
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			t.Fatal(err)
		}
		status, body := reply(promptOf(request.Body)).write()
		fmt.Fprintf(&results, `{"custom_id":%q,"response":{"status_code":%d,"body":%s},"error":null}`+"\n", request.ID, status, body)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return results.String()
}

// Fault is a server that misbehaves as real ones do.
type Fault struct {
	Name  string
	Reply func(prompt string) Reply
	// Sweep and Compare are the fitness.Rule that it breaks; empty: none, and then Words are
	// those that may be said.
	Sweep, Compare           string
	SweepWords, CompareWords []string
	// Within is after how many questions it is found out.
	Within int
}

// Faults are all of them.
func Faults() []Fault {
	whole := func(reply func(prompt string) Reply) func(string) Reply { // with an honest usage
		return func(prompt string) Reply {
			r := reply(prompt)
			r.Prompt = Tokens(prompt)
			return r
		}
	}
	says := func(r Reply) func(string) Reply { return whole(func(string) Reply { return r }) }
	const none, unused, nothing, cut = "no-answers", "documents-unused", "nothing-right", "prompts-cut"
	message := func(format string) func(string) Reply {
		return whole(func(prompt string) Reply {
			return Reply{Message: strings.ReplaceAll(format, "CODE", LookUp(prompt, "unknown"))}
		})
	}
	// kept is what a server reads of a prompt that is longer than its context.
	kept := func(prompt string) string { return prompt[max(0, len(prompt)-1200):] }
	return []Fault{
		{Name: "empty, at the limit of tokens", Reply: says(Reply{Finish: "length"}), Sweep: none, Compare: none, Within: 25},
		{Name: "blank", Reply: says(Reply{Text: " \n"}), Sweep: none, Compare: none, Within: 25},
		{Name: "refused", Reply: says(Reply{Text: "I cannot.", Finish: "content_filter"}), Sweep: none, Compare: none, Within: 25},
		{Name: "sensitive", Reply: says(Reply{Finish: "sensitive"}), Sweep: none, Compare: none, Within: 25},
		{Name: "ends with error", Reply: says(Reply{Text: "half an ans", Finish: "error"}), Sweep: none, Compare: none, Within: 25},
		{Name: "an error inside a 200", Reply: says(Reply{Broken: true}), Sweep: none, Compare: none, Within: 25},
		{Name: "500", Reply: says(Reply{Status: 500}), Sweep: none, Compare: none, Within: 25},
		{Name: "nothing, and no tokens", Reply: func(string) Reply { return Reply{Void: true} }, Sweep: none, Compare: none, Within: 25},
		{Name: "thinking that knows, and a wrong answer", Reply: message(`{"content":"<think>It is CODE.</think>No idea."}`), Sweep: unused, Compare: nothing, Within: 400},
		{Name: "thinking apart, and a wrong answer", Reply: message(`{"reasoning_content":"It is CODE.","content":"No idea."}`), Sweep: unused, Compare: nothing, Within: 400},
		{Name: "thinking that does not end", Reply: message(`{"content":"<think>It is CODE."}`), Sweep: none, Compare: none, Within: 25},
		{Name: "thinking apart, and nothing after it", Reply: message(`{"reasoning_content":"It is CODE.","content":""}`), Sweep: none, Compare: none, Within: 25},
		{Name: "prompts cut from the front", Reply: func(prompt string) Reply {
			return Reply{Text: LookUp(kept(prompt), "no idea"), Prompt: Tokens(kept(prompt))}
		}, Sweep: cut, Compare: cut, Within: 25},
		{
			Name: "prompts cut from the front, and no usage", Reply: func(prompt string) Reply {
				return Reply{Text: LookUp(kept(prompt), "no idea")}
			}, SweepWords: []string{"recency"}, CompareWords: []string{"reorder"}, // as it is
		},
		{Name: "the same words to everything", Reply: says(Reply{Text: "Nobody remembers who wrote these lines."}), Sweep: unused, Compare: nothing, Within: 400},
		{Name: "knows all by heart", Reply: whole(func(prompt string) Reply { return Reply{Text: Memory(prompt)} }), SweepWords: []string{"flat"}, CompareWords: []string{"keep"}},
		{Name: "reads all", Reply: whole(func(prompt string) Reply { return Reply{Text: LookUp(prompt, "no idea")} }), SweepWords: []string{"flat"}, CompareWords: []string{"keep"}},
	}
}
