package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// search is an agent's tool: it answers with a block of the documents that a
// retriever finds and places. It remembers the last block, so that the agent's
// answer can be checked against what the model was shown.
type search struct {
	retriever retriever.Retriever
	docs      []*schema.Document
	block     prompt.Prompt
}

type query struct {
	Text string `json:"text"`
}

func (s *search) run(ctx context.Context, q query) (string, error) {
	ctx, _ = core.WithTrace(ctx) // so that the block is labelled by rank
	docs, err := s.retriever.Retrieve(ctx, q.Text)
	if err != nil {
		return "", err
	}
	arrangement, err := core.Arrange(ctx, nil, docs, bookend.View(), core.Call{Placed: true})
	if err != nil {
		return "", err
	}
	s.docs = docs
	s.block, err = prompt.Block(ctx, nil, arrangement, docs, bookend.View())
	return s.block.Text, err
}

// newAgent returns an agent of eino's development kit that asks the model at s and
// has the tool find.
func newAgent(t *testing.T, s *openaitest.Server, find *search) *adk.ChatModelAgent {
	return must(adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name: "support", Description: "answers from documents", Instruction: rules.Rules,
		Model: chatModel(t, s),
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{
			Tools: []tool.BaseTool{must(utils.InferTool("search", "finds documents", find.run))},
		}},
	}))
}

// cites is what the model answers: the best document, the second best, and one
// that it was not shown.
const cites = "Green [1], not blue [2], and never red [6]."

// replies asks for the tool first, and answers once the tool has spoken. The answer
// is streamed in two pieces, of which the second waits for rest.
func replies(rest <-chan struct{}) func(openaitest.Request) openaitest.Reply {
	return func(r openaitest.Request) openaitest.Reply {
		if r.Messages[len(r.Messages)-1].Role != "tool" {
			return openaitest.Reply{Tool: "search", Arguments: `{"text": "tent"}`}
		}
		return openaitest.Reply{Chunks: []string{"Green ", strings.TrimPrefix(cites, "Green ")}, Go: rest}
	}
}

// lastAnswer reads the events of a run to their end and returns the answer. The
// first piece of a streamed one must come before the server has sent the rest.
func lastAnswer(t *testing.T, events *adk.AsyncIterator[*adk.AgentEvent], release func()) string {
	t.Helper()
	answer := ""
	for {
		event, more := events.Next()
		if !more {
			return answer
		}
		if event.Err != nil {
			t.Fatal(event.Err)
		}
		if event.Output == nil || event.Output.MessageOutput == nil {
			continue
		}
		message := event.Output.MessageOutput
		if !message.IsStreaming {
			answer = message.Message.Content
			continue
		}
		answer = ""
		for {
			piece, err := message.MessageStream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if answer += piece.Content; answer == "Green " {
				release() // the server goes on only now
			}
		}
	}
}

func TestAdkAgentCitesByRankWhatItsToolPlaced(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		t.Run(map[bool]string{false: "run", true: "stream"}[streaming], func(t *testing.T) {
			rest, released := make(chan struct{}), false
			release := func() { close(rest); released = true }
			if !streaming {
				release()
			}
			s := openaitest.New(t, replies(rest))
			find := &search{retriever: must(bookend.NewRetriever(ctx, &bookend.RetrieverConfig{
				Retriever: finder{}, Config: core.Config{TopK: 5},
			}))}
			runner := adk.NewRunner(ctx, adk.RunnerConfig{Agent: newAgent(t, s, find), EnableStreaming: streaming})
			limited, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			answer := lastAnswer(t, runner.Query(limited, question), release)
			if answer != cites || !released {
				t.Fatalf("the answer is %q, its rest asked for: %v", answer, released)
			}

			requests := s.Requests()
			if len(requests) != 2 {
				t.Fatalf("%d requests, want 2: one for the tool, one for the answer", len(requests))
			}
			wantMessages(t, requests[0],
				openaitest.Message{Role: "system", Content: rules.Rules}, openaitest.Message{Role: "user", Content: question})
			if !strings.Contains(string(requests[0].Tools), `"search"`) || requests[0].Stream != streaming {
				t.Errorf("the first request offers the tools %s, stream %v", requests[0].Tools, requests[0].Stream)
			}
			wantMessages(t, requests[1],
				openaitest.Message{Role: "system", Content: rules.Rules}, openaitest.Message{Role: "user", Content: question},
				openaitest.Message{Role: "assistant"}, openaitest.Message{Role: "tool", Content: find.block.Text})
			wantOrderInBody(t, requests[1].Body, []int{0, 2, 4, 3, 1}) // the best five: r6 was dropped before placing
			for _, line := range []string{"[1] " + texts[0], "[2] " + texts[1]} {
				if !strings.Contains(find.block.Text, line) {
					t.Errorf("the model was not shown %q:\n%s", line, find.block.Text)
				}
			}

			citations := find.block.Citations(answer)
			if len(citations) != 3 || citations[2].Exists {
				t.Fatalf("citations %+v: want three, the third of no document", citations)
			}
			for i, want := range []string{"1", "2"} {
				at, found := find.block.Arrangement.IndexOf(citations[i].Rank)
				if !found || find.docs[at].ID != want {
					t.Errorf("[%d] is rank %d at index %d, want document %s", citations[i].Label, citations[i].Rank, at, want)
				}
			}
		})
	}
}
