package eino

import (
	"cmp"
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/schema"
)

var (
	_ prompt.ChatTemplate = (*ChatTemplate)(nil)
	_ components.Typer    = (*ChatTemplate)(nil)
	_ components.Checker  = (*ChatTemplate)(nil)
)

// ChatTemplateConfig says how a prompt is laid out and, unless the documents come
// placed already, how they are arranged.
type ChatTemplateConfig struct {
	// Prompt says what stands in the prompt and how.
	Prompt layout.Config
	// Config says how the documents are ranked, admitted and placed. Its Observe
	// gets the labels of the prompt; it does not hear of inputs that are refused
	// before the documents are looked at, such as an empty question.
	Config core.Config
	// Placed says that the documents come placed already, by that placement, such
	// as from a Transformer node: they are laid out as they come. Config may then
	// hold an Observe and nothing else.
	Placed core.Placement
	// DocumentsKey, QuestionKey and HistoryKey name what the node reads from its
	// input: []*schema.Document, string and []*schema.Message, of which the history
	// may be missing. Empty: "documents", "question" and "history".
	DocumentsKey, QuestionKey, HistoryKey string
}

// ChatTemplate lays out the whole prompt as messages: system, history, user. It is
// immutable and safe for concurrent use. No text is ever run as a template. The
// messages of the history are passed on as they are; a budget counts their Content
// alone, not tool calls, reasoning and further parts.
type ChatTemplate struct {
	config   ChatTemplateConfig
	renderer *layout.Renderer
	arranger *core.Arranger
}

// NewChatTemplate returns a ChatTemplate for AddChatTemplateNode and its like, or
// every fault of the configuration joined. A nil config means the defaults.
func NewChatTemplate(_ context.Context, config *ChatTemplateConfig) (*ChatTemplate, error) {
	c := ChatTemplateConfig{}
	if config != nil {
		c = *config
	}
	renderer, arranger, err := layout.Compile(c.Prompt, c.Config, c.Placed)
	if err != nil {
		return nil, err
	}
	c.DocumentsKey = cmp.Or(c.DocumentsKey, "documents")
	c.QuestionKey = cmp.Or(c.QuestionKey, "question")
	c.HistoryKey = cmp.Or(c.HistoryKey, "history")
	return &ChatTemplate{c, renderer, arranger}, nil
}

// Format lays out the prompt. values is not written to. Errors: those of
// core/prompt.Build, *core.DocumentError for a nil document, and
// *core.ConfigError for a value that is missing or of another type.
func (t *ChatTemplate) Format(ctx context.Context, values map[string]any, _ ...prompt.Option) ([]*schema.Message, error) {
	if !t.IsCallbacksEnabled() {
		return t.format(ctx, values)
	}
	ctx = callbacks.EnsureRunInfo(ctx, t.GetType(), components.ComponentOfPrompt)
	ctx = callbacks.OnStart(ctx, &prompt.CallbackInput{Variables: values})
	var event core.Event
	messages, err := t.format(ctx, values, core.Notify(func(_ context.Context, e core.Event) { event = e }))
	if err != nil {
		callbacks.OnError(ctx, err)
		return nil, err
	}
	callbacks.OnEnd(ctx, &prompt.CallbackOutput{Result: messages, Extra: map[string]any{EventKey: event}})
	return messages, nil
}

func (t *ChatTemplate) format(ctx context.Context, values map[string]any, opts ...core.CallOption) ([]*schema.Message, error) {
	docs, err := value[[]*schema.Document](values, t.config.DocumentsKey, true)
	if err != nil {
		return nil, err
	}
	if err := checkDocuments(docs); err != nil {
		return nil, err
	}
	question, err := value[string](values, t.config.QuestionKey, true)
	if err != nil {
		return nil, err
	}
	history, err := value[[]*schema.Message](values, t.config.HistoryKey, false)
	if err != nil {
		return nil, err
	}
	in := layout.Input{Question: question, Placed: t.config.Placed}
	for i, m := range history {
		if m == nil {
			return nil, &core.ConfigError{Field: fmt.Sprintf("%s[%d]", t.config.HistoryKey, i), Value: "nil", Rule: "a message must not be nil"}
		}
		in.History = append(in.History, layout.Message{Role: layout.Role(m.Role), Text: m.Content})
	}
	p, err := layout.Build(ctx, t.renderer, t.arranger, docs, view, in, opts...)
	if err != nil {
		return nil, err
	}
	var messages []*schema.Message
	if len(p.Messages) > len(history)-p.DroppedMessages+1 {
		messages = append(messages, schema.SystemMessage(p.Messages[0].Text))
	}
	messages = append(messages, history[p.DroppedMessages:]...)
	return append(messages, schema.UserMessage(p.Messages[len(p.Messages)-1].Text)), nil
}

// value reads one value of the node's input.
func value[T any](values map[string]any, key string, required bool) (T, error) {
	var none T
	v, there := values[key]
	if v == nil && !required {
		return none, nil
	}
	if !there {
		return none, &core.ConfigError{Field: fmt.Sprintf("input[%q]", key), Value: "missing", Rule: "set the key of the node before with compose.WithOutputKey; where documents and question meet in a graph, compile it with compose.WithNodeTriggerMode(compose.AllPredecessor)"}
	}
	typed, ok := v.(T)
	if !ok {
		return none, &core.ConfigError{Field: fmt.Sprintf("input[%q]", key), Value: fmt.Sprintf("a %T", v), Rule: fmt.Sprintf("must be a %T", none)}
	}
	return typed, nil
}

// GetType returns "Bookend", the Type that eino's callbacks see.
func (t *ChatTemplate) GetType() string { return "Bookend" }

// IsCallbacksEnabled says whether the ChatTemplate reports to eino's callbacks by
// itself, as a Transformer does: with an Observe, and then with the core.Event in
// Extra under EventKey. Either way a call is reported once.
func (t *ChatTemplate) IsCallbacksEnabled() bool { return t.config.Config.Observe != nil }
