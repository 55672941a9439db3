package combine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
)

// citing answers every prompt with the same text, in pieces where it is streamed.
type citing struct{ err error }

func (m citing) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, set := range options {
		set(&o)
	}
	if o.StreamingFunc != nil {
		for _, piece := range []string{"So it ", "is [2]."} {
			if err := o.StreamingFunc(ctx, []byte(piece)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "So it is [2].", GenerationInfo: map[string]any{"PromptTokens": int32(77)}}}}, m.err
}

func (m citing) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// Answered is told each answer with the request's ID, streamed or not, and nothing
// of a call that failed.
func TestAnswered(t *testing.T) {
	t.Parallel()
	type heard struct {
		id string
		record.Reply
	}
	for name, build := range map[string]func(llms.Model, func(context.Context, record.Reply)) (chains.Chain, int){
		"a wrapped stuff chain": func(m llms.Model, f func(context.Context, record.Reply)) (chains.Chain, int) {
			c, err := combine.Wrap(chains.LoadStuffQA(m))
			if err != nil {
				t.Fatal(err)
			}
			c.Answered = f
			return c, 0
		},
		"a layout chain": func(m llms.Model, f func(context.Context, record.Reply)) (chains.Chain, int) {
			c, err := combine.NewLayoutChain(m, combine.LayoutConfig{Answered: f})
			if err != nil {
				t.Fatal(err)
			}
			return c, 77
		},
	} {
		for _, streamed := range []bool{false, true} {
			var got []heard
			told := func(ctx context.Context, a record.Reply) { got = append(got, heard{core.RequestID(ctx), a}) }
			chain, tokens := build(citing{}, told)
			var options []chains.ChainCallOption
			if streamed {
				options = append(options, chains.WithStreamingFunc(func(context.Context, []byte) error {
					if len(got) > 0 {
						t.Errorf("%s: told before the stream had ended", name)
					}
					return nil
				}))
			}
			ctx := core.WithRequestID(t.Context(), "req-1")
			values := map[string]any{"input_documents": documents(3), "question": "why?"}
			out, err := chain.Call(ctx, values, options...)
			if err != nil || out["text"] != "So it is [2]." {
				t.Fatalf("%s: %v, %v", name, out, err)
			}
			if want := (heard{"req-1", record.Reply{Text: "So it is [2].", PromptTokens: tokens}}); len(got) != 1 || got[0] != want {
				t.Errorf("%s, streamed %v (-want +got)\n-%+v\n+%+v", name, streamed, want, got)
			}
			got = nil
			chain, _ = build(citing{err: errors.New("down")}, told)
			if _, err := chain.Call(ctx, values); err == nil || len(got) > 0 {
				t.Errorf("%s: a failed call: %v, told %v", name, err, got)
			}
		}
	}
}
