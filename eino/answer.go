package eino

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// AnswerHandler returns a handler of eino's callbacks that tells answered what chat models
// say, such as the Answered of a core/record.Recorder: a stream once it has ended, for which a
// goroutine runs, and neither one that fails nor a message that only calls tools. Where a graph
// has several chat models, designate it to the one that answers:
// compose.WithCallbacks(handler).DesignateNode("answer"). nil is a *core.ConfigError.
func AnswerHandler(answered func(context.Context, record.Reply)) (callbacks.Handler, error) {
	if answered == nil {
		return nil, &core.ConfigError{Field: "answered", Rule: "pass the func to tell, such as Answered of a record.Recorder"}
	}
	isModel := func(info *callbacks.RunInfo) bool {
		return info != nil && info.Component == components.ComponentOfChatModel
	}
	return callbacks.NewHandlerBuilder().
		OnEndFn(func(ctx context.Context, info *callbacks.RunInfo, output callbacks.CallbackOutput) context.Context {
			if isModel(info) {
				heard := new(answer)
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
				chunk, err := output.Recv()
				for ; err == nil; chunk, err = output.Recv() {
					heard.add(chunk)
				}
				if errors.Is(err, io.EOF) {
					heard.tell(ctx, answered)
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
	if o.Config != nil {
		a.model = cmp.Or(o.Config.Model, a.model)
	}
	if o.TokenUsage != nil {
		a.tokens = max(a.tokens, o.TokenUsage.PromptTokens)
	}
}

func (a *answer) tell(ctx context.Context, answered func(context.Context, record.Reply)) {
	if a.text.Len() > 0 || !a.tools {
		answered(ctx, record.Reply{Text: a.text.String(), Model: a.model, PromptTokens: a.tokens})
	}
}
