package main

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// newModel returns the model that the environment names, or the extractive
// reader, and what to call it.
func newModel() (llms.Model, string, error) {
	key, url := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key == "" && url == "" {
		return extractive{}, reader.Name, nil
	}
	name := cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-4o-mini")
	options := []openai.Option{openai.WithModel(name), openai.WithToken(cmp.Or(key, "none"))}
	if url != "" {
		options = append(options, openai.WithBaseURL(url))
	}
	model, err := openai.New(options...)
	return model, name, err
}

// extractive is the reader as a langchaingo model.
type extractive struct{}

func (extractive) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	answer := reader.Answer(textOf(messages))
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (e extractive) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}

// recorder keeps every prompt that reaches the model.
type recorder struct {
	llms.Model
	prompts []string
}

func (r *recorder) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	r.prompts = append(r.prompts, textOf(messages))
	return r.Model.GenerateContent(ctx, messages, options...)
}

func textOf(messages []llms.MessageContent) string {
	var parts []string
	for _, m := range messages {
		for _, p := range m.Parts {
			if t, ok := p.(llms.TextContent); ok {
				parts = append(parts, t.Text)
			}
		}
	}
	return strings.Join(parts, "\n")
}
