package eino_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// citing is a chat model that answers with the same message, in pieces where it is
// streamed. A failure comes before the last piece.
type citing struct {
	pieces []*schema.Message
	err    error
}

func (c citing) Generate(context.Context, []*schema.Message, ...model.Option) (*schema.Message, error) {
	if c.err != nil {
		return nil, c.err
	}
	return schema.ConcatMessages(c.pieces)
}

func (c citing) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	out, in := schema.Pipe[*schema.Message](0)
	go func() {
		defer in.Close()
		for i, piece := range c.pieces {
			if c.err != nil && i == len(c.pieces)-1 {
				in.Send(nil, c.err)
				return
			}
			in.Send(piece, nil)
		}
	}()
	return out, nil
}

func TestAnswerHandler(t *testing.T) {
	t.Parallel()
	usage := &schema.ResponseMeta{Usage: &schema.TokenUsage{PromptTokens: 77}}
	pieces := []*schema.Message{
		{Role: schema.Assistant, Content: "So it "},
		{Role: schema.Assistant, Content: "is [2].", ResponseMeta: usage},
	}
	call := schema.ToolCall{ID: "1", Function: schema.FunctionCall{Name: "look"}}
	for name, test := range map[string]struct {
		model citing
		want  string // "" for an answer that is not told
	}{
		"answers":     {citing{pieces: pieces}, "So it is [2]."},
		"fails":       {citing{pieces: pieces, err: errors.New("down")}, ""},
		"calls tools": {citing{pieces: []*schema.Message{{Role: schema.Assistant, ToolCalls: []schema.ToolCall{call}}}}, ""},
	} {
		for _, streamed := range []bool{false, true} {
			type heard struct {
				id string
				record.Reply
			}
			told := make(chan heard, 10)
			handler, err := bookend.AnswerHandler(func(ctx context.Context, a record.Reply) { told <- heard{core.RequestID(ctx), a} })
			if err != nil {
				t.Fatal(err)
			}
			chain, err := compose.NewChain[[]*schema.Message, *schema.Message]().AppendChatModel(test.model).Compile(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx := core.WithRequestID(t.Context(), "req-1")
			in := []*schema.Message{schema.UserMessage("why?")}
			if streamed {
				out, err := chain.Stream(ctx, in, compose.WithCallbacks(handler))
				if err != nil {
					t.Fatal(err)
				}
				for err == nil {
					_, err = out.Recv()
				}
				if failed := !errors.Is(err, io.EOF); failed != (test.model.err != nil) {
					t.Errorf("%s: %v", name, err)
				}
				out.Close()
			} else if _, err := chain.Invoke(ctx, in, compose.WithCallbacks(handler)); (err != nil) != (test.model.err != nil) {
				t.Errorf("%s: %v", name, err)
			}
			if test.want == "" {
				if !streamed && len(told) > 0 {
					t.Errorf("%s: told %+v", name, <-told)
				}
				continue
			}
			if got, want := <-told, (heard{"req-1", record.Reply{Text: test.want, PromptTokens: 77}}); got != want {
				t.Errorf("%s, streamed %v (-want +got)\n-%+v\n+%+v", name, streamed, want, got)
			}
		}
	}
	// A stream that breaks off: the handler closes its end, and has told nothing.
	told := 0
	handler, err := bookend.AnswerHandler(func(context.Context, record.Reply) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	out, in := schema.Pipe[callbacks.CallbackOutput](0)
	handler.OnEndWithStreamOutput(t.Context(), &callbacks.RunInfo{Component: components.ComponentOfChatModel}, out)
	in.Send(pieces[0], nil)
	in.Send(nil, errors.New("down"))
	for closed := false; !closed; {
		closed = in.Send(pieces[1], nil)
	}
	if told > 0 {
		t.Error("a stream that broke off is told")
	}
	if _, err := bookend.AnswerHandler(nil); err == nil {
		t.Error("a nil func is taken")
	}
}
