package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/cloudwego/eino/compose"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// prefixCache answers as a server that keeps the beginnings of all earlier prompts, in
// words, and says how many came from there.
type prefixCache struct {
	mu             sync.Mutex
	earlier        [][]string
	prompts, saved int
}

func (c *prefixCache) reply(r openaitest.Request) openaitest.Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	var words []string
	for _, m := range r.Messages {
		words = append(words, "<"+m.Role+">")
		words = append(words, strings.Fields(m.Content)...)
	}
	cached := 0
	for _, before := range c.earlier {
		n := 0
		for n < len(words) && n < len(before) && words[n] == before[n] {
			n++
		}
		cached = max(cached, n)
	}
	c.earlier = append(c.earlier, words)
	c.prompts += len(words)
	c.saved += cached
	return openaitest.Reply{Chunks: []string{"Green."}, PromptTokens: len(words), CachedTokens: cached}
}

// chunkTexts are those of the n-th request to a help desk: a topic's best chunk, and its
// others in an order of chance.
func chunkTexts(n int) []string {
	r := rand.New(rand.NewPCG(18, uint64(n)))
	topic := r.IntN(4)
	var list []string
	for _, i := range append([]int{0}, r.Perm(5)...) {
		list = append(list, fmt.Sprintf("topic %d chunk %d: %s", topic, i, strings.Repeat(fmt.Sprintf("word-%d-%d ", topic, i), 60)))
	}
	return list
}

// Through each framework: with a memory more of the prompts comes from the server's cache,
// and what the server says of it goes back into the memory.
func TestReuseReachesTheServersCache(t *testing.T) {
	const requests = 40
	asked := map[string]func(t *testing.T, s *openaitest.Server, c core.Config, answered func(context.Context, record.Reply)) func(texts []string) error{
		"langchaingo": func(t *testing.T, s *openaitest.Server, c core.Config, answered func(context.Context, record.Reply)) func([]string) error {
			chain := must(combine.NewLayoutChain(llm(t, s), combine.LayoutConfig{
				Prompt: prompt.Config{Rules: rules.Rules, Labels: prompt.ByID}, Config: c, Answered: answered,
			}))
			return func(texts []string) error {
				var docs []schema.Document
				for _, text := range texts {
					docs = append(docs, schema.Document{PageContent: text})
				}
				_, err := chains.Call(ctx, chain, map[string]any{"input_documents": docs, "question": question})
				return err
			}
		},
		"eino": func(t *testing.T, s *openaitest.Server, c core.Config, answered func(context.Context, record.Reply)) func([]string) error {
			template := must(eino.NewChatTemplate(ctx, &eino.ChatTemplateConfig{
				Prompt: prompt.Config{Rules: rules.Rules, Labels: prompt.ByID}, Config: c,
			}))
			handler := must(eino.AnswerHandler(answered))
			run := must(compose.NewChain[map[string]any, *einoschema.Message]().AppendChatTemplate(template).AppendChatModel(chatModel(t, s)).Compile(ctx))
			return func(texts []string) error {
				var docs []*einoschema.Document
				for _, text := range texts {
					docs = append(docs, &einoschema.Document{Content: text})
				}
				_, err := run.Invoke(ctx, map[string]any{"documents": docs, "question": question}, compose.WithCallbacks(handler))
				return err
			}
		},
	}
	for framework, build := range asked {
		shares := map[int]float64{}
		for _, hold := range []int{0, 1} {
			cache := &prefixCache{}
			s := openaitest.New(t, cache.reply)
			m := must(reuse.New(reuse.Config{Hold: hold}))
			ask := build(t, s, core.Config{Placement: core.Choice{Placement: core.RankOrder}, Reuse: m}, m.Answered)
			for n := range requests {
				if err := ask(chunkTexts(n)); err != nil {
					t.Fatalf("%s: %v", framework, err)
				}
			}
			stats := m.Stats()
			t.Logf("%s, hold %d: %v", framework, hold, stats)
			if stats.Requests != requests || stats.Answers != requests || stats.PromptTokens != int64(cache.prompts) || stats.CachedTokens != int64(cache.saved) {
				t.Errorf("%s: %+v, but the server says %d of %d", framework, stats, cache.saved, cache.prompts)
			}
			predicted := float64(stats.PredictedBytes) / float64(stats.DocumentBytes)
			shares[hold] = float64(cache.saved) / float64(cache.prompts)
			if shares[hold] < predicted-0.03 || shares[hold] > predicted+0.10 { // rules and question count, too
				t.Errorf("%s: predicted %.2f, and %.2f were cached", framework, predicted, shares[hold])
			}
		}
		if shares[1] < shares[0]+0.3 {
			t.Errorf("%s: %.2f of the words came from the cache without reuse, %.2f with it", framework, shares[0], shares[1])
		}
	}
}

// Anthropic's own client of langchaingo sends the breakpoints, and its counts come back.
func TestAnthropicGetsTheBreakpoints(t *testing.T) {
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"1","type":"message","role":"assistant","model":"claude","stop_reason":"end_turn","content":[{"type":"text","text":"Green."}],
			"usage":{"input_tokens":20,"cache_creation_input_tokens":30,"cache_read_input_tokens":100,"output_tokens":2}}`)
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	claude := must(anthropic.New(anthropic.WithBaseURL(server.URL), anthropic.WithToken("none"), anthropic.WithModel("claude"), anthropic.WithHTTPClient(&http.Client{Transport: transport})))

	m := must(reuse.New(reuse.Config{Hold: 1}))
	history := memory.NewChatMessageHistory()
	_ = history.AddUserMessage(ctx, "Which tent?")
	_ = history.AddAIMessage(ctx, "The large one.")
	layout := prompt.Config{Layout: prompt.DocumentsFirst, Rules: rules.Rules, Labels: prompt.ByID}
	chain := must(combine.NewLayoutChain(claude, combine.LayoutConfig{
		Prompt: layout, Config: core.Config{Reuse: m}, History: history, Cache: anthropic.EphemeralCache(), Answered: m.Answered,
	}))
	docs, _ := lister{}.GetRelevantDocuments(ctx, question)
	if _, err := chains.Call(ctx, chain, map[string]any{"input_documents": docs, "question": question}); err != nil {
		t.Fatal(err)
	}
	var sent struct {
		System   string
		Messages []struct {
			Role    string
			Content []struct {
				Text  string
				Cache *struct{ Type string } `json:"cache_control"`
			}
		}
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range sent.Messages {
		for _, c := range m.Content {
			mark := ""
			if c.Cache != nil {
				mark = c.Cache.Type
			}
			got = append(got, m.Role+" "+mark+": "+c.Text)
		}
	}
	p := must(prompt.Build(ctx, must(prompt.New(layout)), nil, docs, bookend.View(), prompt.Input{Question: question, History: []prompt.Message{
		{Role: prompt.User, Text: "Which tent?"}, {Role: prompt.Assistant, Text: "The large one."},
	}}))
	documents, _, _ := strings.Cut(p.Messages[1].Text, "\n\nWhich tent?")
	want := []string{"user ephemeral: " + documents, "user ephemeral: \n\nWhich tent?", "assistant : The large one.", "user : Question: " + question}
	if sent.System != rules.Rules || !slices.Equal(want, got) {
		t.Errorf("system %q (-want +got)\n-%q\n+%q", sent.System, want, got)
	}
	if stats := m.Stats(); stats.PromptTokens != 150 || stats.CachedTokens != 100 {
		t.Errorf("%+v", stats)
	}
}
