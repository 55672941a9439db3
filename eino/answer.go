package eino

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// AnswerHandler returns a handler of eino's callbacks that tells answered what chat
// models say, such as the Answered of a core/record.Recorder. A stream is told once
// it has ended; one that ends with an error, and a message that only calls tools,
// is not. The context is that of the run, with its core.WithRequestID.
//
// Where a graph has several chat models, designate the handler to the one that
// answers: compose.WithCallbacks(handler).DesignateNode("answer"). For a stream a
// goroutine runs until the stream has ended. A nil answered is a *core.ConfigError.
func AnswerHandler(answered func(context.Context, core.Answer)) (callbacks.Handler, error) {
	if answered == nil {
		return nil, &core.ConfigError{Field: "answered", Value: "nil", Rule: "pass the func to tell, such as Answered of a record.Recorder"}
	}
	isModel := func(info *callbacks.RunInfo) bool {
		return info != nil && info.Component == components.ComponentOfChatModel
	}
	return callbacks.NewHandlerBuilder().
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, output callbacks.CallbackOutput) context.Context {
			if isModel(info) {
				var heard answer
				heard.add(output)
				heard.tell(ctx, answered)
			}
			return ctx
		}).
		OnEndWithStreamOutputFn(func(ctx context.Context, info *callbacks.RunInfo, output *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
			if !isModel(info) {
				output.Close()
				return ctx
			}
			go func() {
				defer output.Close()
				var heard answer
				for {
					chunk, err := output.Recv()
					if errors.Is(err, io.EOF) {
						heard.tell(ctx, answered)
						return
					}
					if err != nil {
						return
					}
					heard.add(chunk)
				}
			}()
			return ctx
		}).
		Build(), nil
}

// answer collects the parts of one answer.
type answer struct {
	text   strings.Builder
	tools  bool
	model  string
	tokens int
}

func (a *answer) add(output callbacks.CallbackOutput) {
	o := model.ConvCallbackOutput(output)
	if o == nil {
		return
	}
	if m := o.Message; m != nil {
		a.text.WriteString(m.Content)
		a.tools = a.tools || len(m.ToolCalls) > 0
		if m.ResponseMeta != nil && m.ResponseMeta.Usage != nil {
			a.tokens = max(a.tokens, m.ResponseMeta.Usage.PromptTokens)
		}
	}
	if o.Config != nil && o.Config.Model != "" {
		a.model = o.Config.Model
	}
	if o.TokenUsage != nil {
		a.tokens = max(a.tokens, o.TokenUsage.PromptTokens)
	}
}

func (a *answer) tell(ctx context.Context, answered func(context.Context, core.Answer)) {
	if a.text.Len() == 0 && a.tools {
		return
	}
	answered(ctx, core.Answer{Text: a.text.String(), Model: a.model, PromptTokens: a.tokens})
}
