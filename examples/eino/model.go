package main

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// newModel returns the model that the environment names, or the extractive
// reader, and what to call it.
func newModel(ctx context.Context) (model.BaseChatModel, string, error) {
	key, url := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if key == "" && url == "" {
		return extractive{}, reader.Name, nil
	}
	name := cmp.Or(os.Getenv("OPENAI_MODEL"), "gpt-4o-mini")
	chat, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{
		APIKey:  cmp.Or(key, "none"),
		BaseURL: url,
		Model:   name,
	})
	return chat, name, err
}

// extractive is the reader as a chat model. It reads the last message, which holds
// the documents and the question, and streams word by word.
type extractive struct{}

func (extractive) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage(reader.Answer(messages[len(messages)-1].Content), nil), nil
}

func (extractive) Stream(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	var pieces []*schema.Message
	for _, word := range strings.SplitAfter(reader.Answer(messages[len(messages)-1].Content), " ") {
		pieces = append(pieces, schema.AssistantMessage(word, nil))
	}
	return schema.StreamReaderFromArray(pieces), nil
}

// recorder keeps all messages that reach the model.
type recorder struct {
	model.BaseChatModel
	sent [][]*schema.Message
}

func (r *recorder) Generate(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.Message, error) {
	r.sent = append(r.sent, messages)
	return r.BaseChatModel.Generate(ctx, messages, opts...)
}

func (r *recorder) Stream(ctx context.Context, messages []*schema.Message, opts ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	r.sent = append(r.sent, messages)
	return r.BaseChatModel.Stream(ctx, messages, opts...)
}
