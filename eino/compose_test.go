package eino_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// transformerIn builds each kind of graph around a transformer.
var transformerIn = map[string]func(*bookend.Transformer) (compose.Runnable[docs, docs], error){
	"chain": func(t *bookend.Transformer) (compose.Runnable[docs, docs], error) {
		return compose.NewChain[docs, docs]().AppendDocumentTransformer(t).Compile(context.Background())
	},
	"graph": func(t *bookend.Transformer) (compose.Runnable[docs, docs], error) {
		g := compose.NewGraph[docs, docs]()
		return compileGraph(g, g.AddDocumentTransformerNode("reorder", t),
			g.AddEdge(compose.START, "reorder"), g.AddEdge("reorder", compose.END))
	},
	"workflow": func(t *bookend.Transformer) (compose.Runnable[docs, docs], error) {
		w := compose.NewWorkflow[docs, docs]()
		w.AddDocumentTransformerNode("reorder", t).AddInput(compose.START)
		w.End().AddInput("reorder")
		return w.Compile(context.Background())
	},
}

func compileGraph[I, O any](g *compose.Graph[I, O], faults ...error) (compose.Runnable[I, O], error) {
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return g.Compile(context.Background(), compose.WithNodeTriggerMode(compose.AllPredecessor))
}

func TestTransformerInEveryKindOfGraph(t *testing.T) {
	t.Parallel()
	for name, build := range transformerIn {
		t.Run(name, func(t *testing.T) {
			run, err := build(newTransformer(t, &bookend.Config{TopK: 4}))
			check(t, err)
			placed, err := run.Invoke(context.Background(), documents(5))
			checkTexts(t, "first third fourth second", placed, err)
			stream, err := run.Stream(context.Background(), documents(5))
			check(t, err)
			placed, err = only(stream)
			checkTexts(t, "first third fourth second", placed, err)
		})
	}
}

// only returns the one chunk of a stream.
func only[T any](stream *schema.StreamReader[T]) (T, error) {
	defer stream.Close()
	chunk, err := stream.Recv()
	if err != nil {
		return chunk, err
	}
	if _, err := stream.Recv(); err != io.EOF {
		return chunk, fmt.Errorf("a second chunk, or the error %w", err)
	}
	return chunk, nil
}

// question is what a program asks.
const question = "why?"

// template is a prompt with documents and a question.
func template() prompt.ChatTemplate {
	return prompt.FromMessages(schema.GoTemplate,
		schema.UserMessage("{{range .documents}}{{.Content}} {{end}}| {{.question}}"))
}

// ragGraph is a program in which documents and question meet at the prompt.
func ragGraph(t *testing.T, llm *recorder, reorder *bookend.Transformer, mode compose.NodeTriggerMode) compose.Runnable[string, *schema.Message] {
	t.Helper()
	g := compose.NewGraph[string, *schema.Message]()
	check(t, errors.Join(
		g.AddRetrieverNode("retrieve", list(documents(5))),
		g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents")),
		g.AddPassthroughNode("ask", compose.WithOutputKey("question")),
		g.AddChatTemplateNode("prompt", template()),
		g.AddChatModelNode("model", llm),
		g.AddEdge(compose.START, "retrieve"),
		g.AddEdge("retrieve", "reorder"),
		g.AddEdge("reorder", "prompt"),
		g.AddEdge(compose.START, "ask"),
		g.AddEdge("ask", "prompt"),
		g.AddEdge("prompt", "model"),
		g.AddEdge("model", compose.END),
	))
	run, err := g.Compile(context.Background(), compose.WithNodeTriggerMode(mode))
	check(t, err)
	return run
}

// ragChain is the same program as a chain.
func ragChain(t *testing.T, llm *recorder, reorder *bookend.Transformer) compose.Runnable[string, *schema.Message] {
	t.Helper()
	found := compose.NewChain[string, docs]().AppendRetriever(list(documents(5))).AppendDocumentTransformer(reorder)
	run, err := compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().AddGraph("documents", found).AddPassthrough("question")).
		AppendChatTemplate(template()).
		AppendChatModel(llm).
		Compile(context.Background())
	check(t, err)
	return run
}

func TestThePromptHasThePlacedDocumentsAndTheQuestion(t *testing.T) {
	t.Parallel()
	const want = "first third fifth fourth second | why?"
	for name, build := range map[string]func(*testing.T, *recorder, *bookend.Transformer) compose.Runnable[string, *schema.Message]{
		"graph": func(t *testing.T, llm *recorder, reorder *bookend.Transformer) compose.Runnable[string, *schema.Message] {
			return ragGraph(t, llm, reorder, compose.AllPredecessor)
		},
		"chain": ragChain,
	} {
		t.Run(name, func(t *testing.T) {
			llm := &recorder{}
			run := build(t, llm, newTransformer(t, nil))
			answer, err := run.Invoke(context.Background(), question)
			check(t, err)
			if answer.Content != "yes" {
				t.Errorf("answer %q", answer.Content)
			}
			stream, err := run.Stream(context.Background(), question)
			check(t, err)
			if got := streamed(t, stream); got != "y es" {
				t.Errorf("streamed %q, want two pieces", got)
			}
			off := compose.WithDocumentTransformerOption(bookend.TransformWith(core.Off))
			_, err = run.Invoke(context.Background(), question, off)
			check(t, err)
			got := strings.Join(llm.prompts, "\n")
			if want := want + "\n" + want + "\nfirst second third fourth fifth | why?"; got != want {
				t.Errorf("prompts (-want +got)\n-%s\n+%s", want, got)
			}
		})
	}
}

// streamed returns the pieces of a streamed answer.
func streamed(t *testing.T, stream *schema.StreamReader[*schema.Message]) string {
	t.Helper()
	defer stream.Close()
	var pieces []string
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return strings.Join(pieces, " ")
		}
		check(t, err)
		pieces = append(pieces, m.Content)
	}
}

// The package documentation warns of eino's default trigger mode: the prompt node
// runs as soon as the question arrives. When this test fails, the warning can go.
func TestTheDefaultTriggerModeLosesTheDocuments(t *testing.T) {
	t.Parallel()
	llm := &recorder{}
	run := ragGraph(t, llm, newTransformer(t, nil), compose.AnyPredecessor)
	_, err := run.Invoke(context.Background(), question)
	if err == nil || !strings.Contains(err.Error(), `no entry for key "documents"`) || len(llm.prompts) != 0 {
		t.Errorf("got the prompts %q and the error %v", llm.prompts, err)
	}
}

// Nodes of a graph run at the same time, and share their input.
func TestParallelBranchesShareOneSlice(t *testing.T) {
	t.Parallel()
	byScore := newTransformer(t, &bookend.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	g := compose.NewGraph[docs, map[string]any]()
	faults := []error{}
	for key, node := range map[string]*bookend.Transformer{"a": newTransformer(t, nil), "b": byScore} {
		faults = append(faults, g.AddDocumentTransformerNode(key, node, compose.WithOutputKey(key)),
			g.AddEdge(compose.START, key), g.AddEdge(key, compose.END))
	}
	run, err := compileGraph(g, faults...)
	check(t, err)
	in := documents(4)
	for i, d := range in {
		d.WithScore(float64(i))
	}
	for range 50 {
		out, err := run.Invoke(context.Background(), in)
		check(t, err)
		a, b := out["a"].(docs), out["b"].(docs)
		checkTexts(t, "first third fourth second", a, nil)
		checkTexts(t, "fourth second first third", b, nil)
		clear(a)
		clear(b)
		checkTexts(t, "first second third fourth", in, nil)
	}
}
