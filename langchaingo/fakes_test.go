package langchaingo_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// list is a retriever that finds the same documents for every question.
type list []schema.Document

func (l list) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) { return l, nil }

// documents returns documents with the texts "first", "second" and so on.
func documents(n int) []schema.Document {
	docs := make([]schema.Document, n)
	for i := range docs {
		docs[i].PageContent = []string{"first", "second", "third", "fourth", "fifth", "sixth"}[i]
	}
	return docs
}

func texts(docs []schema.Document) string {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.PageContent
	}
	return strings.Join(texts, " ")
}

// sourceTexts returns the texts of a chain's source_documents.
func sourceTexts(out map[string]any) string {
	docs, _ := out["source_documents"].([]schema.Document)
	return texts(docs)
}

// broken is a retriever that fails.
type broken struct{ err error }

func (b broken) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return nil, b.err
}

// recorder is a model that records its prompts and answers "yes".
type recorder struct{ prompts []string }

func (r *recorder) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	for _, m := range messages {
		r.prompts = append(r.prompts, fmt.Sprint(m.Parts[0]))
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "yes"}}}, nil
}

func (r *recorder) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, r, prompt, options...)
}

// listener records the retriever events that it hears.
type listener struct {
	callbacks.SimpleHandler
	heard []string
}

func (l *listener) HandleRetrieverStart(_ context.Context, query string) {
	l.heard = append(l.heard, "start "+query)
}

func (l *listener) HandleRetrieverEnd(_ context.Context, query string, docs []schema.Document) {
	l.heard = append(l.heard, "end "+query+": "+texts(docs))
}

// reporting is a retriever that reports by itself, as those of vector stores do.
type reporting struct {
	list
	handler callbacks.Handler
}

func (r reporting) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	r.handler.HandleRetrieverStart(ctx, query)
	r.handler.HandleRetrieverEnd(ctx, query, r.list)
	return r.list, nil
}
