package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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
func newGraph(ctx context.Context, r retriever.Retriever, m model.BaseChatModel, reorder document.Transformer) (program, error) {
	g := compose.NewGraph[string, *schema.Message]()
	err := errors.Join(
		g.AddPassthroughNode("question", compose.WithOutputKey("question")),
		g.AddChatTemplateNode("prompt", template{}),
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
func newChain(ctx context.Context, r retriever.Retriever, m model.BaseChatModel, reorder document.Transformer) (program, error) {
	documents := compose.NewChain[string, []*schema.Document]().AppendRetriever(r)
	if reorder != nil {
		documents.AppendDocumentTransformer(reorder) // one node more
	}
	return compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().
			AddGraph("documents", documents).
			AddPassthrough("question")).
		AppendChatTemplate(template{}).
		AppendChatModel(m).
		Compile(ctx)
}

// template lays out the messages. It joins strings and is no template engine, so
// that a document with {{ or {x} in it reaches the model as it is.
type template struct{}

var _ prompt.ChatTemplate = template{}

func (template) Format(_ context.Context, values map[string]any, _ ...prompt.Option) ([]*schema.Message, error) {
	documents, ok := values["documents"].([]*schema.Document)
	if !ok {
		return nil, fmt.Errorf("prompt: documents are %T", values["documents"])
	}
	question, ok := values["question"].(string)
	if !ok {
		return nil, fmt.Errorf("prompt: question is %T", values["question"])
	}
	var user strings.Builder
	for _, d := range documents {
		user.WriteString(d.Content + "\n\n")
	}
	user.WriteString("Question: " + question)
	return []*schema.Message{
		schema.SystemMessage("Answer from the documents alone. If they do not say, say so."),
		schema.UserMessage(user.String()),
	}, nil
}

// invoke returns the answer in one piece.
func invoke(ctx context.Context, p program, question string) (string, error) {
	message, err := p.Invoke(ctx, question)
	if err != nil {
		return "", err
	}
	return message.Content, nil
}

// stream puts the answer together from the pieces in which it arrives.
func stream(ctx context.Context, p program, question string) (string, error) {
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
