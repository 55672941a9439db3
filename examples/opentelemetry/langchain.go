package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// newChain is a RetrievalQA with a span around the search and one around Bookend's
// retriever, which searches and arranges. It returns how to ask it.
func newChain(tracer trace.Tracer, inner schema.Retriever, config core.Config) (func(context.Context, string) (string, error), error) {
	placed, err := bookend.NewRetriever(traced{"search", tracer, inner}, bookend.WithConfig(config))
	if err != nil {
		return nil, err
	}
	chain := chains.NewRetrievalQAFromLLM(extractive{}, traced{"arrange", tracer, placed})
	return func(ctx context.Context, question string) (string, error) {
		ctx, span := tracer.Start(ctx, "langchaingo")
		answer, err := chains.Run(ctx, chain, question)
		end(span, err)
		return answer, err
	}, nil
}

// traced is a retriever with a span around it.
type traced struct {
	name   string
	tracer trace.Tracer
	inner  schema.Retriever
}

func (r traced) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	ctx, span := r.tracer.Start(ctx, r.name)
	docs, err := r.inner.GetRelevantDocuments(ctx, query)
	end(span, err)
	return docs, err
}

// end ends a span, with the error of what it is around.
func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, "failed")
	}
	span.End()
}

// langchainStore is the store for langchaingo.
type langchainStore struct{ *store }

func (s langchainStore) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	hits, err := s.search(ctx, query)
	docs := make([]schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = schema.Document{PageContent: s.chunks[h.Index].Text, Score: float32(h.Score)}
	}
	return docs, err
}

// extractive stands in for a model, so that the example runs offline.
type extractive struct{}

func (extractive) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	var prompt string
	for _, part := range messages[0].Parts {
		if text, ok := part.(llms.TextContent); ok {
			prompt += text.Text
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: reader.Answer(prompt)}}}, nil
}

func (e extractive) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}
