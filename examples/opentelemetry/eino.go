package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"go.opentelemetry.io/otel/trace"
)

// newGraph is a chain of two nodes, search and arrange. It returns how to ask it. The
// spans are those of spans.
func newGraph(ctx context.Context, tracer trace.Tracer, inner retriever.Retriever, config core.Config) (func(context.Context, string) ([]*schema.Document, error), error) {
	arrange, err := bookend.NewTransformer(ctx, &config)
	if err != nil {
		return nil, err
	}
	documents, err := compose.NewChain[string, []*schema.Document]().
		AppendRetriever(inner, compose.WithNodeName("search")).
		AppendDocumentTransformer(arrange, compose.WithNodeName("arrange")).
		Compile(ctx, compose.WithGraphName("eino"))
	if err != nil {
		return nil, err
	}
	handler := spans(tracer)
	return func(ctx context.Context, question string) ([]*schema.Document, error) {
		return documents.Invoke(ctx, question, compose.WithCallbacks(handler))
	}, nil
}

// spans puts a span around the graph and around each node that reports itself. Where a
// node streams, its span ends when the stream begins.
func spans(tracer trace.Tracer) callbacks.Handler {
	start := func(ctx context.Context, info *callbacks.RunInfo) context.Context {
		ctx, _ = tracer.Start(ctx, info.Name)
		return ctx
	}
	return callbacks.NewHandlerBuilder().
		OnStartFn(func(ctx context.Context, info *callbacks.RunInfo, _ callbacks.CallbackInput) context.Context {
			return start(ctx, info)
		}).
		OnStartWithStreamInputFn(func(ctx context.Context, info *callbacks.RunInfo, input *schema.StreamReader[callbacks.CallbackInput]) context.Context {
			input.Close()
			return start(ctx, info)
		}).
		OnEndFn(func(ctx context.Context, _ *callbacks.RunInfo, _ callbacks.CallbackOutput) context.Context {
			end(trace.SpanFromContext(ctx), nil)
			return ctx
		}).
		OnEndWithStreamOutputFn(func(ctx context.Context, _ *callbacks.RunInfo, output *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
			output.Close()
			end(trace.SpanFromContext(ctx), nil)
			return ctx
		}).
		OnErrorFn(func(ctx context.Context, _ *callbacks.RunInfo, err error) context.Context {
			end(trace.SpanFromContext(ctx), err)
			return ctx
		}).
		Build()
}

// einoStore is the store for eino.
type einoStore struct{ *store }

func (s einoStore) Retrieve(ctx context.Context, query string, _ ...retriever.Option) ([]*schema.Document, error) {
	hits, err := s.search(ctx, query)
	docs := make([]*schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = (&schema.Document{ID: s.chunks[h.Index].ID(), Content: s.chunks[h.Index].Text}).WithScore(h.Score)
	}
	return docs, err
}
