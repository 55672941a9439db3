package main

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/examples/internal/page"
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

// extractive is the reader as a langchaingo model. It reads the last message,
// which holds the documents and the question.
type extractive struct{}

func (extractive) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	answer := reader.Answer(textOf(messages[len(messages)-1]))
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (e extractive) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}

// recorder keeps all messages that reach the model.
type recorder struct {
	llms.Model
	sent [][]llms.MessageContent
}

func (r *recorder) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	r.sent = append(r.sent, messages)
	return r.Model.GenerateContent(ctx, messages, options...)
}

func textOf(message llms.MessageContent) string {
	var b strings.Builder
	for _, part := range message.Parts {
		if text, ok := part.(llms.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// shown are messages for a page.
func shown(messages []llms.MessageContent) []page.Message {
	list := make([]page.Message, len(messages))
	for i, m := range messages {
		list[i] = page.Message{Role: string(m.Role), Text: textOf(m)}
	}
	return list
}
