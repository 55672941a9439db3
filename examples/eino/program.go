package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/document"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// program answers a question.
type program = compose.Runnable[string, *schema.Message]

// newGraph builds the program as a graph:
//
//	question → retrieve [→ reorder] → prompt → model
//	question ───────────────────────↗
//
// Without a reorder node it is the plain program.
func newGraph(ctx context.Context, r retriever.Retriever, t prompt.ChatTemplate, m model.BaseChatModel, reorder document.Transformer) (program, error) {
	g := compose.NewGraph[string, *schema.Message]()
	err := errors.Join(
		g.AddPassthroughNode("question", compose.WithOutputKey("question")),
		g.AddChatTemplateNode("prompt", t),
		g.AddChatModelNode("model", m),
	)
	if reorder == nil {
		err = errors.Join(err,
			g.AddRetrieverNode("retrieve", r, compose.WithOutputKey("documents")),
			g.AddEdge("retrieve", "prompt"),
		)
	} else {
		err = errors.Join(err,
			g.AddRetrieverNode("retrieve", r),
			g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents")), // one node more
			g.AddEdge("retrieve", "reorder"),
			g.AddEdge("reorder", "prompt"),
		)
	}
	err = errors.Join(err,
		g.AddEdge(compose.START, "retrieve"),
		g.AddEdge(compose.START, "question"),
		g.AddEdge("question", "prompt"),
		g.AddEdge("prompt", "model"),
		g.AddEdge("model", compose.END),
	)
	if err != nil {
		return nil, err
	}
	// Question and documents meet at the prompt, which has to wait for both.
	return g.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))
}

// newChain builds the same program as a chain.
func newChain(ctx context.Context, r retriever.Retriever, t prompt.ChatTemplate, m model.BaseChatModel, reorder document.Transformer) (program, error) {
	documents := compose.NewChain[string, []*schema.Document]().AppendRetriever(r)
	if reorder != nil {
		documents.AppendDocumentTransformer(reorder) // one node more
	}
	return compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().
			AddGraph("documents", documents).
			AddPassthrough("question")).
		AppendChatTemplate(t).
		AppendChatModel(m).
		Compile(ctx)
}

// newTemplate returns the node that lays out the messages, for both programs alike:
// the documents stand as they come, and are numbered by rank, which the trace of the
// request knows. It is no template engine, so that a document with {{ or {x} in it
// reaches the model as it is.
func newTemplate(ctx context.Context, order layout.Layout) (prompt.ChatTemplate, error) {
	return bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{
		Placed: true,
		Prompt: layout.Config{
			Layout:      order,
			Rules:       "You answer customers. Use the documents alone; if they do not say, say so.",
			Task:        "Answer the question below.",
			Instruction: "Answer in under 80 words, and cite the number of each document that you use.",
			Reminder:    "Remember: the documents alone, with their numbers.",
		},
	})
}

// invoke returns the answer in one piece.
func invoke(ctx context.Context, p program, question string) (string, error) {
	ctx, _ = core.WithTrace(ctx) // brings the ranks from the reorder node to the prompt
	message, err := p.Invoke(ctx, question)
	if err != nil {
		return "", err
	}
	return message.Content, nil
}

// stream puts the answer together from the pieces in which it arrives.
func stream(ctx context.Context, p program, question string) (string, error) {
	ctx, _ = core.WithTrace(ctx)
	pieces, err := p.Stream(ctx, question)
	if err != nil {
		return "", err
	}
	defer pieces.Close()
	var answer strings.Builder
	for {
		piece, err := pieces.Recv()
		if errors.Is(err, io.EOF) {
			return answer.String(), nil
		}
		if err != nil {
			return "", err
		}
		answer.WriteString(piece.Content)
	}
}
