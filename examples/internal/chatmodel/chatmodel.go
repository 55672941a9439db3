// Package chatmodel gives the examples of langchaingo a model: the one that the
// environment names, or a reader that needs none.
package chatmodel

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// New returns the model that the environment names, or the extractive
// reader, and what to call it.
func New() (llms.Model, string, error) {
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
	answer := reader.Answer(Text(messages[len(messages)-1]))
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (e extractive) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}

// Text is the text of a message, whatever its parts.
func Text(message llms.MessageContent) string {
	var b strings.Builder
	for _, part := range message.Parts {
		if text, ok := part.(llms.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}
