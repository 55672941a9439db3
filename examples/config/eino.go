package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// askEino asks through a chain whose chat template is laid out by the settings.
func askEino(ctx context.Context, order core.Config, parts layout.Config, question string) (string, error) {
	template, err := bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{Config: order, Prompt: parts})
	if err != nil {
		return "", err
	}
	chain, err := compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().AddRetriever("documents", paragraphs{}).AddPassthrough("question")).
		AppendChatTemplate(template).
		AppendChatModel(chatModel{}).
		Compile(ctx)
	if err != nil {
		return "", err
	}
	message, err := chain.Invoke(ctx, question)
	if err != nil {
		return "", err
	}
	return message.Content, nil
}

// paragraphs retrieves ten paragraphs of the handbook.
type paragraphs struct{}

func (paragraphs) Retrieve(ctx context.Context, query string, _ ...retriever.Option) ([]*schema.Document, error) {
	chunks, index, err := search.Handbook()
	if err != nil {
		return nil, err
	}
	hits, err := index.Search(ctx, query, 10)
	docs := make([]*schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = (&schema.Document{ID: chunks[h.Index].ID(), Content: chunks[h.Index].Text}).WithScore(h.Score)
	}
	return docs, err
}

// chatModel is the reader as a chat model of eino.
type chatModel struct{}

func (chatModel) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	return schema.AssistantMessage(reader.Answer(messages[len(messages)-1].Content), nil), nil
}

func (m chatModel) Stream(ctx context.Context, messages []*schema.Message, options ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	message, err := m.Generate(ctx, messages, options...)
	return schema.StreamReaderFromArray([]*schema.Message{message}), err
}
