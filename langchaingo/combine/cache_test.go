package combine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
)

// telling keeps what it is sent, and tells of it what a provider does.
type telling struct {
	sent []llms.MessageContent
	info map[string]any
}

func (m *telling) GenerateContent(_ context.Context, sent []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	m.sent = sent
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "It is.", GenerationInfo: m.info}}}, nil
}

func (m *telling) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// sentParts writes messages with a bar after each part that is marked.
func sentParts(t *testing.T, sent []llms.MessageContent, cache *llms.CacheControl) []string {
	t.Helper()
	var out []string
	for _, m := range sent {
		text := string(m.Role) + ": "
		for _, part := range m.Parts {
			if cached, ok := part.(llms.CachedContent); ok {
				if cached.CacheControl != cache {
					t.Errorf("%v is marked by another", part)
				}
				text += cached.ContentPart.(llms.TextContent).Text + "|"
				continue
			}
			text += part.(llms.TextContent).Text
		}
		out = append(out, strings.ReplaceAll(text, "\n\n", "¶"))
	}
	return out
}

func TestCacheMarksBreakpoints(t *testing.T) {
	t.Parallel()
	cache := &llms.CacheControl{Type: "ephemeral"}
	for _, test := range []struct {
		name   string
		prompt prompt.Config
		cache  *llms.CacheControl
		talks  bool
		want   []string
	}{
		{"not asked for", prompt.Config{Rules: "RULES"}, nil, true, []string{"system: RULES", "human: U1", "ai: A1", "human: [1] first¶[2] second¶Question: Q"}},
		{"no history", prompt.Config{Rules: "RULES"}, cache, false, []string{"system: RULES", "human: [1] first¶[2] second|¶Question: Q"}},
		{"a history", prompt.Config{Rules: "RULES"}, cache, true, []string{"system: RULES", "human: U1|", "ai: A1", "human: [1] first¶[2] second|¶Question: Q"}},
		{"documents first", prompt.Config{Layout: prompt.DocumentsFirst}, cache, true, []string{"human: [1] first¶[2] second|¶U1|", "ai: A1", "human: Question: Q"}},
		{"documents last", prompt.Config{Layout: "question,documents"}, cache, false, []string{"human: Question: Q¶[1] first¶[2] second"}},
	} {
		config := combine.LayoutConfig{Prompt: test.prompt, Cache: test.cache}
		if test.talks {
			history := memory.NewChatMessageHistory()
			_ = history.AddUserMessage(t.Context(), "U1")
			_ = history.AddAIMessage(t.Context(), "A1")
			config.History = history
		}
		llm := &telling{}
		chain, err := combine.NewLayoutChain(llm, config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chains.Call(t.Context(), chain, map[string]any{"input_documents": documents(2), "question": "Q"}); err != nil {
			t.Fatal(err)
		}
		if got := sentParts(t, llm.sent, cache); !slices.Equal(got, test.want) {
			t.Errorf("%s (-want +got)\n-%q\n+%q", test.name, test.want, got)
		}
	}
}

// The token counts are those that langchaingo's providers give.
func TestAnsweredTellsWhatWasCached(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		info           map[string]any
		prompt, cached int
	}{
		"OpenAI":             {map[string]any{"PromptTokens": 1000, "PromptCachedTokens": 640}, 1000, 640},
		"Google AI":          {map[string]any{"PromptTokens": int32(1000), "CachedTokens": int32(640), "CacheReadInputTokens": int32(640)}, 1000, 640},
		"Ollama":             {map[string]any{"PromptTokens": 1000, "CachedTokens": 0}, 1000, 0},
		"Anthropic":          {map[string]any{"InputTokens": 60, "CacheCreationInputTokens": 300, "CacheReadInputTokens": 640}, 1000, 640},
		"one without a word": {nil, 0, 0},
	} {
		var got record.Reply
		chain, err := combine.NewLayoutChain(&telling{info: test.info}, combine.LayoutConfig{Answered: func(_ context.Context, r record.Reply) { got = r }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := chains.Call(t.Context(), chain, map[string]any{"input_documents": documents(2), "question": "Q"}); err != nil {
			t.Fatal(err)
		}
		if want := (record.Reply{Text: "It is.", PromptTokens: test.prompt, CachedTokens: test.cached}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
