package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/integration_test/parts"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

var (
	cacheData      = flag.String("cache.data", "", "questions for TestSlotOrderReusesPrompts, with 10 documents or more (default: made of the handbook)")
	cacheQuestions = flag.Int("cache.questions", 2, "questions in each order")
)

const cacheDocuments = 10

// In slot order neighbouring prompts begin alike, and llama.cpp keeps the last prompt
// that it has processed. The questions of the two orders are different ones, since a
// server may also keep earlier prompts; the one started here does not.
//
//	BOOKEND_REAL=1 go test ./integration_test -run SlotOrder -v -cache.questions 10
func TestSlotOrderReusesPrompts(t *testing.T) {
	server := parts.Start(t, "model.py", "--model", "smollm2")
	path := *cacheData
	if path == "" {
		path = handbookCases(t)
	}
	dataset, err := dataset.Rules{MinDocuments: cacheDocuments}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dataset.Close()
	plan, err := sweep.NewPlan(dataset, sweep.Settings{
		Model: "smollm2", Documents: cacheDocuments, Questions: 2 * *cacheQuestions, Params: model.Params{MaxTokens: 1}, Without: []string{sweep.ArmClosedBook, sweep.ArmOracle, sweep.ArmRepeat},
	})
	if err != nil {
		t.Fatal(err)
	}
	half := plan.Len() / 2
	var inOrder, shuffled []int
	for i := range half {
		inOrder, shuffled = append(inOrder, i), append(shuffled, half+i)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(half, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })

	share := func(order []int) float64 {
		journal, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer journal.Close()
		progress, err := run.Run(t.Context(), reordered{plan, order}, chatOf(server.URL), journal, run.Limits{Concurrency: 1})
		if err != nil || progress.Failed > 0 {
			t.Fatalf("%v, %v", progress, err)
		}
		used := progress.Spent.Usage
		return 100 * float64(used.Prompt-used.Cached) / float64(used.Prompt)
	}
	one, other := share(inOrder), share(shuffled)
	t.Logf("%d documents, %d slots, %d questions in each order: of the prompt tokens %.1f %% were processed in slot order, %.1f %% shuffled",
		cacheDocuments, cacheDocuments, *cacheQuestions, one, other)
	if one > 62 || one > other-8 {
		t.Error("want at most 62 % in slot order, and at least 8 points less than shuffled")
	}
}

// reordered asks the calls of a source in another order.
type reordered struct {
	run.Source
	order []int
}

func (r reordered) Len() int { return len(r.order) }

func (r reordered) Call(i int) (model.Call, error) { return r.Source.Call(r.order[i]) }

// chatOf is a model behind an OpenAI-compatible server.
func chatOf(url string) model.Model {
	return model.Func(func(ctx context.Context, p model.Prompt) (model.Answer, error) {
		body, err := openai.RequestBody("smollm2", model.Params{MaxTokens: 1}, p)
		if err != nil {
			return model.Answer{}, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
		if err != nil {
			return model.Answer{}, err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return model.Answer{}, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		if err != nil || response.StatusCode != http.StatusOK {
			return model.Answer{}, &model.Error{Status: response.StatusCode, Err: err}
		}
		return openai.ParseResponse(response.StatusCode, text)
	})
}

// handbookCases writes questions of the handbook, each with its passage and those
// of the questions after it.
func handbookCases(t *testing.T) string {
	t.Helper()
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for i, q := range questions {
		seen := map[string]bool{q.Contexts[0].Text: true}
		for j := 1; len(q.Contexts) < cacheDocuments; j++ {
			other := questions[(i+j)%len(questions)].Contexts[0]
			other.IsGold, other.HasAnswer = false, false
			if !seen[other.Text] {
				seen[other.Text] = true
				q.Contexts = append(q.Contexts, other)
			}
		}
		if err := lines.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
