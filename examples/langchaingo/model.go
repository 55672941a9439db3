package main

import (
	"context"

	"github.com/bookend-rag/bookend/examples/internal/chatmodel"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/tmc/langchaingo/llms"
)

// recorder keeps all messages that reach the model.
type recorder struct {
	llms.Model
	sent [][]llms.MessageContent
}

func (r *recorder) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	r.sent = append(r.sent, messages)
	return r.Model.GenerateContent(ctx, messages, options...)
}

// shown are messages for a page.
func shown(messages []llms.MessageContent) []page.Message {
	list := make([]page.Message, len(messages))
	for i, m := range messages {
		list[i] = page.Message{Role: string(m.Role), Text: chatmodel.Text(m)}
	}
	return list
}
