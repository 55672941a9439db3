package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// askLangchain asks through a RetrievalQA whose prompt is laid out by the settings.
func askLangchain(ctx context.Context, order core.Config, layout prompt.Config, question string) (string, error) {
	step, err := combine.NewLayoutChain(languageModel{}, combine.LayoutConfig{Config: order, Prompt: layout})
	if err != nil {
		return "", err
	}
	return chains.Run(ctx, chains.NewRetrievalQA(step, documents{}), question)
}

// documents retrieves ten paragraphs of the handbook.
type documents struct{}

func (documents) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	chunks, index, err := search.Handbook()
	if err != nil {
		return nil, err
	}
	hits, err := index.Search(ctx, query, 10)
	docs := make([]schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = schema.Document{PageContent: chunks[h.Index].Text, Score: float32(h.Score)}
	}
	return docs, err
}

// languageModel is the reader as a model of langchaingo.
type languageModel struct{}

func (languageModel) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	text := ""
	for _, part := range messages[len(messages)-1].Parts {
		if t, ok := part.(llms.TextContent); ok {
			text += t.Text
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: reader.Answer(text)}}}, nil
}

func (m languageModel) Call(ctx context.Context, text string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, text, options...)
}
