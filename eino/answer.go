package eino

import (
	"cmp"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/schema"
)

// AnswerHandler returns a handler of eino's callbacks that passes what chat models say
// to answered, such as the Answered of a core/record.Recorder. A stream is passed on once it has
// ended, for which a goroutine runs. A stream that fails and a message that only calls tools are
// not passed on. Where a graph
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
				hear(ctx, schema.StreamReaderFromArray([]callbacks.CallbackOutput{output}), answered)
			}
			return ctx
		}).
		OnEndWithStreamOutputFn(func(ctx context.Context, info *callbacks.RunInfo, outputs *schema.StreamReader[callbacks.CallbackOutput]) context.Context {
			if isModel(info) {
				go hear(ctx, outputs, answered)
			} else {
				outputs.Close()
			}
			return ctx
		}).
		Build(), nil
}

// hear collects the outputs of a chat model, and tells answered where they are an answer.
func hear(ctx context.Context, outputs *schema.StreamReader[callbacks.CallbackOutput], answered func(context.Context, record.Reply)) {
	defer outputs.Close()
	var text strings.Builder
	var reply record.Reply
	tools := false
	output, err := outputs.Recv()
	for ; err == nil; output, err = outputs.Recv() {
		o := model.ConvCallbackOutput(output)
		if o == nil {
			continue
		}
		if m := o.Message; m != nil {
			text.WriteString(m.Content)
			tools = tools || len(m.ToolCalls) > 0
			if m.ResponseMeta != nil && m.ResponseMeta.Usage != nil {
				reply.PromptTokens = max(reply.PromptTokens, m.ResponseMeta.Usage.PromptTokens)
				reply.CachedTokens = max(reply.CachedTokens, cachedTokens(m.ResponseMeta.Usage))
			}
		}
		if o.Config != nil {
			reply.Model = cmp.Or(o.Config.Model, reply.Model)
		}
		if o.TokenUsage != nil {
			reply.PromptTokens = max(reply.PromptTokens, o.TokenUsage.PromptTokens)
			reply.CachedTokens = max(reply.CachedTokens, cachedTokens(o.TokenUsage))
		}
	}
	if reply.Text = text.String(); errors.Is(err, io.EOF) && (reply.Text != "" || !tools) {
		answered(ctx, reply)
	}
}

// cachedTokens reads how many tokens of the prompt came from the provider's cache, from a
// usage of either of eino's kinds. Versions of eino before v0.7 have no such field: 0.
func cachedTokens(usage any) int {
	details := reflect.Indirect(reflect.ValueOf(usage)).FieldByName("PromptTokenDetails")
	if !details.IsValid() {
		return 0
	}
	cached, _ := details.FieldByName("CachedTokens").Interface().(int)
	return cached
}
