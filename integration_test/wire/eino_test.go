package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

// finder is a retriever that always finds the texts, best first.
type finder struct{}

func (finder) Retrieve(context.Context, string, ...retriever.Option) ([]*schema.Document, error) {
	docs := make([]*schema.Document, len(texts))
	for i, text := range texts {
		docs[i] = &schema.Document{ID: fmt.Sprint(i + 1), Content: text, MetaData: map[string]any{"_source": fmt.Sprintf("file-%d.md", i+1)}}
	}
	return docs, nil
}

func chatModel(t *testing.T, s *openaitest.Server) model.ToolCallingChatModel {
	t.Helper()
	m, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{BaseURL: s.URL, APIKey: "none", Model: "recorder", HTTPClient: s.Client})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var rules = prompt.Config{Rules: "Only the documents.", Instruction: "Answer in a word."}

// want is the prompt that core/prompt renders for the documents as found.
func want(t *testing.T, config prompt.Config, arrange core.Config) []openaitest.Message {
	t.Helper()
	renderer, err := prompt.New(config)
	if err != nil {
		t.Fatal(err)
	}
	arranger, err := core.New(arrange)
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := finder{}.Retrieve(ctx, question)
	p, err := prompt.Build(ctx, renderer, arranger, docs, bookend.View(), prompt.Input{Question: question})
	if err != nil {
		t.Fatal(err)
	}
	var messages []openaitest.Message
	for _, m := range p.Messages {
		messages = append(messages, openaitest.Message{Role: string(m.Role), Content: m.Text})
	}
	return messages
}

// must returns what a constructor made.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type program = compose.Runnable[string, *schema.Message]

// programs are the three ways to put the same nodes together: the Transformer
// places, the ChatTemplate lays out what comes placed.
func programs(t *testing.T, s *openaitest.Server) map[string]program {
	reorder := must(bookend.NewTransformer(ctx, nil))
	template := must(bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{Prompt: rules, Placed: true}))

	documents := compose.NewChain[string, []*schema.Document]()
	documents.AppendRetriever(finder{}).AppendDocumentTransformer(reorder)
	chain := compose.NewChain[string, *schema.Message]()
	chain.AppendParallel(compose.NewParallel().AddGraph("documents", documents).AddPassthrough("question"))
	chain.AppendChatTemplate(template).AppendChatModel(chatModel(t, s))

	graph := compose.NewGraph[string, *schema.Message]()
	addNodes := func(errs ...error) {
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	passthrough := compose.InvokableLambda(func(_ context.Context, q string) (string, error) { return q, nil })
	addNodes(
		graph.AddRetrieverNode("retrieve", finder{}),
		graph.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents")),
		graph.AddLambdaNode("question", passthrough, compose.WithOutputKey("question")),
		graph.AddChatTemplateNode("prompt", template),
		graph.AddChatModelNode("model", chatModel(t, s)),
		graph.AddEdge(compose.START, "retrieve"), graph.AddEdge("retrieve", "reorder"), graph.AddEdge("reorder", "prompt"),
		graph.AddEdge(compose.START, "question"), graph.AddEdge("question", "prompt"),
		graph.AddEdge("prompt", "model"), graph.AddEdge("model", compose.END),
	)

	workflow := compose.NewWorkflow[string, *schema.Message]()
	workflow.AddRetrieverNode("retrieve", finder{}).AddInput(compose.START)
	workflow.AddDocumentTransformerNode("reorder", reorder).AddInput("retrieve")
	workflow.AddChatTemplateNode("prompt", template).
		AddInput("reorder", compose.ToField("documents")).AddInput(compose.START, compose.ToField("question"))
	workflow.AddChatModelNode("model", chatModel(t, s)).AddInput("prompt")
	workflow.End().AddInput("model")

	return map[string]program{
		"chain":    must(chain.Compile(ctx)),
		"graph":    must(graph.Compile(ctx, compose.WithNodeTriggerMode(compose.AllPredecessor))),
		"workflow": must(workflow.Compile(ctx)),
	}
}

func TestEinoSendsTheRenderedPrompt(t *testing.T) {
	for _, name := range []string{"chain", "graph", "workflow"} {
		t.Run(name+"/invoke", func(t *testing.T) {
			s := openaitest.New(t, answer)
			ctx, trace := core.WithTrace(ctx) // so that the labels go by rank
			var given core.Arrangement        // what the model's client got with the user's message
			hear := callbacks.NewHandlerBuilder().OnStartFn(func(ctx context.Context, _ *callbacks.RunInfo, in callbacks.CallbackInput) context.Context {
				if call, ok := in.(*model.CallbackInput); ok {
					given = bookend.ArrangementOf(call.Messages[len(call.Messages)-1].Extra)
				}
				return ctx
			}).Build()
			got, err := programs(t, s)[name].Invoke(ctx, question, compose.WithCallbacks(hear))
			if err != nil || got.Content != "Green." {
				t.Fatalf("got %v, %v", got, err)
			}
			request := onlyRequest(t, s)
			if given.N != len(texts) {
				t.Errorf("the client got an arrangement of %d documents, want %d", given.N, len(texts))
			}
			// The arrangement stands in the message's Extra, and is nobody's business but ours.
			for _, word := range []string{bookend.EventKey, "extra", "slots", "arrangement"} {
				if bytes.Contains(bytes.ToLower(request.Body), []byte(word)) {
					t.Errorf("the request has %q in it: %s", word, request.Body)
				}
			}
			if c := prompt.Citations("It is green [2].", trace.Arrangement()); len(c) != 1 || c[0].Rank != 1 {
				t.Errorf("[2] cites %+v, want the second best", c)
			}
			wantMessages(t, request, want(t, rules, core.Config{})...)
			wantOrderInBody(t, request.Body, headTail)
		})
		t.Run(name+"/stream", func(t *testing.T) {
			reply, release := firstChunkThenRest()
			s := openaitest.New(t, reply)
			ctx, _ := core.WithTrace(ctx)
			stream, err := programs(t, s)[name].Stream(ctx, question)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			first, err := stream.Recv()
			if err != nil || first.Content != "Gre" {
				t.Fatalf("first chunk %v, %v", first, err)
			}
			release() // the server goes on only now
			rest := ""
			for {
				chunk, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				rest += chunk.Content
			}
			if rest != "en." {
				t.Errorf("the rest is %q", rest)
			}
			wantMessages(t, onlyRequest(t, s), want(t, rules, core.Config{})...)
		})
	}
}

func TestParallelBranchesShareTheirInput(t *testing.T) {
	s := openaitest.New(t, answer)
	branch := func(p core.Placement) *compose.Chain[map[string]any, *schema.Message] {
		c := compose.NewChain[map[string]any, *schema.Message]()
		c.AppendChatTemplate(must(bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{
			Prompt: rules, Config: core.Config{Placement: core.Choice{Placement: p}},
		}))).AppendChatModel(chatModel(t, s))
		return c
	}
	placements := []core.Placement{core.HeadTail, core.Reversed, core.RankOrder}
	parallel := compose.NewParallel()
	for _, p := range placements {
		parallel.AddGraph(fmt.Sprint(p), branch(p))
	}
	chain := compose.NewChain[map[string]any, map[string]any]()
	chain.AppendParallel(parallel)
	docs, _ := finder{}.Retrieve(ctx, question)
	before := slices.Clone(docs)
	if _, err := must(chain.Compile(ctx)).Invoke(ctx, map[string]any{"documents": docs, "question": question}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(docs, before) {
		t.Error("a branch changed the shared slice")
	}
	requests := s.Requests()
	if len(requests) != len(placements) {
		t.Fatalf("%d requests, want %d", len(requests), len(placements))
	}
	for _, p := range placements {
		wanted := want(t, rules, core.Config{Placement: core.Choice{Placement: p}})
		if !slices.ContainsFunc(requests, func(r openaitest.Request) bool { return slices.Equal(r.Messages, wanted) }) {
			t.Errorf("no request carries the prompt of %v", p)
		}
	}
}

func TestAgentReadsTheDocumentsBlockFromItsTool(t *testing.T) {
	renderer := must(prompt.New(prompt.Config{Format: prompt.XML}))
	search := must(utils.InferTool("search", "finds documents", func(ctx context.Context, in struct {
		Query string `json:"query"`
	},
	) (string, error) {
		docs, err := finder{}.Retrieve(ctx, in.Query)
		if err != nil {
			return "", err
		}
		arrangement, err := core.Arrange(ctx, nil, docs, bookend.View(), core.Call{})
		if err != nil {
			return "", err
		}
		block, err := prompt.Block(ctx, renderer, arrangement, docs, bookend.View())
		return block.Text, err
	}))
	for _, mode := range []string{"generate", "stream"} {
		t.Run(mode, func(t *testing.T) {
			s := openaitest.New(t, func(r openaitest.Request) openaitest.Reply {
				if r.Messages[len(r.Messages)-1].Role == "tool" {
					return openaitest.Text("Green.")
				}
				return openaitest.Reply{Tool: "search", Arguments: `{"query": "tent"}`}
			})
			agent, err := react.NewAgent(ctx, &react.AgentConfig{
				ToolCallingModel: chatModel(t, s),
				ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{search}},
			})
			if err != nil {
				t.Fatal(err)
			}
			input := []*schema.Message{schema.UserMessage(question)}
			if mode == "generate" {
				if _, err := agent.Generate(ctx, input); err != nil {
					t.Fatal(err)
				}
			} else {
				stream, err := agent.Stream(ctx, input)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := schema.ConcatMessageStream(stream); err != nil {
					t.Fatal(err)
				}
			}
			requests := s.Requests()
			if len(requests) != 2 {
				t.Fatalf("%d requests, want 2", len(requests))
			}
			last := requests[1].Messages[len(requests[1].Messages)-1]
			// eino-ext's client may quote a tool's text; the block itself must stand in it.
			docs, _ := finder{}.Retrieve(ctx, question)
			arrangement := must(core.Arrange(ctx, nil, docs, bookend.View(), core.Call{}))
			block := must(prompt.Block(ctx, renderer, arrangement, docs, bookend.View()))
			if last.Role != "tool" || !strings.Contains(last.Content, block.Text) {
				t.Errorf("the tool's message is\n%s\nwant the block\n%s", last.Content, block.Text)
			}
			wantOrderInBody(t, requests[1].Body, headTail)
		})
	}
}
