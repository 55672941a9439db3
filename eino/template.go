package eino

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
	"github.com/cloudwego/eino/components/prompt"
	"github.com/cloudwego/eino/schema"
)

var _ prompt.ChatTemplate = (*ChatTemplate)(nil)

// ChatTemplateConfig says how a prompt is laid out and, unless the documents come
// placed already, how they are arranged.
type ChatTemplateConfig struct {
	Prompt layout.Config // what stands in the prompt, and how
	Config core.Config   // how documents are ranked, admitted and placed; its Observe gets the labels of the prompt
	// Placed says that the documents come placed already, such as from a Transformer, and
	// are laid out as they come; see core.Call. Config may then hold an Observe alone.
	Placed bool
	// DocumentsKey, QuestionKey and HistoryKey name what the node reads from its
	// input: []*schema.Document, string and []*schema.Message, of which the history
	// may be missing. Empty: "documents", "question" and "history".
	DocumentsKey, QuestionKey, HistoryKey string
	// Breakpoint marks the end of each part that the provider's prompt cache can serve
	// (prompt.Breakpoint): SetMessageBreakpoint of eino-ext's model/claude is one. A message in
	// which such a part ends is sent as two, which Claude joins again. Nil: none is marked.
	Breakpoint func(*schema.Message) *schema.Message
}

// ChatTemplate lays out the whole prompt as messages: system, history, user. It is immutable and
// safe for concurrent use. No text is run as a template. A budget counts the history's Content.
type ChatTemplate struct {
	part
	config         ChatTemplateConfig
	renderer       *layout.Renderer
	documentsFirst bool // they stand before the history
}

// NewChatTemplate returns a ChatTemplate for AddChatTemplateNode and its like, or
// every fault of the configuration joined. A nil config means the defaults.
func NewChatTemplate(_ context.Context, config *ChatTemplateConfig) (*ChatTemplate, error) {
	config = cmp.Or(config, &ChatTemplateConfig{})
	renderer, arranger, err := layout.Compile(config.Prompt, config.Config, config.Placed, false)
	if err != nil {
		return nil, err
	}
	parts, _ := renderer.Config().Layout.Parts()
	history := slices.Index(parts, layout.PartHistory)
	return &ChatTemplate{
		part{arranger, config.Config.Observe != nil},
		*config, renderer,
		history >= 0 && slices.Index(parts, layout.PartDocuments) < history,
	}, nil
}

// Format lays out the prompt. values is not written to. The Extra of the user's message
// holds the arrangement, for ArrangementOf. Errors: those of core/prompt.Build, and
// *core.ConfigError for a nil document and a value that is missing or of another type.
func (t *ChatTemplate) Format(ctx context.Context, values map[string]any, _ ...prompt.Option) ([]*schema.Message, error) {
	format := func(ctx context.Context, call core.Call) ([]*schema.Message, error) {
		return t.format(ctx, values, call)
	}
	return report(ctx, t.part, components.ComponentOfPrompt, core.Call{Placed: t.config.Placed}, &prompt.CallbackInput{Variables: values}, format,
		func(messages []*schema.Message, extra map[string]any) callbacks.CallbackOutput {
			return &prompt.CallbackOutput{Result: messages, Extra: extra}
		})
}

func (t *ChatTemplate) format(ctx context.Context, values map[string]any, call core.Call) ([]*schema.Message, error) {
	docs, question, err := documentsAndQuestion(values, t.config.DocumentsKey, t.config.QuestionKey)
	if err != nil {
		return nil, err
	}
	historyKey := cmp.Or(t.config.HistoryKey, "history")
	history, err := value[[]*schema.Message](values, historyKey, false)
	if err != nil {
		return nil, err
	}
	in := layout.Input{Question: question, Call: call}
	for i, m := range history {
		if m == nil {
			return nil, &core.ConfigError{Field: fmt.Sprintf("%s[%d]", historyKey, i), Rule: "a message must not be nil"}
		}
		text := m.Content
		if t.documentsFirst && hasParts(m) { // no documents can be put before its text
			text = ""
		}
		in.History = append(in.History, layout.Message{Role: layout.Role(m.Role), Text: text})
	}
	p, err := layout.Build(ctx, t.renderer, t.arranger, docs, view, in)
	if err != nil {
		return nil, err
	}
	arrangement, _ := json.Marshal(p.Arrangement) // its numbers and texts can all be written
	var messages []*schema.Message
	kept := history[p.DroppedMessages:]
	before := len(p.Messages) - 1 - len(kept) // the system message, and documents
	for _, m := range p.Messages[:before] {
		if m.Role == layout.System {
			messages = append(messages, schema.SystemMessage(m.Text))
		} else {
			messages = append(messages, schema.UserMessage(m.Text))
		}
	}
	for i, m := range kept {
		// The format contains it, or documents stand before it.
		if text := p.Messages[before+i].Text; text != m.Content && text != "" {
			own := *m
			own.Content, m = text, &own
		}
		messages = append(messages, m)
	}
	user := schema.UserMessage(p.Messages[len(p.Messages)-1].Text)
	user.Extra = map[string]any{EventKey: string(arrangement)}
	messages = append(messages, user)
	if t.config.Breakpoint != nil {
		messages = marked(messages, p.Breakpoints(), t.config.Breakpoint)
	}
	return messages, nil
}

// marked marks the breakpoints of messages, and cuts those that they stand within.
func marked(messages []*schema.Message, points []layout.Breakpoint, mark func(*schema.Message) *schema.Message) []*schema.Message {
	for _, at := range slices.Backward(points) {
		m := messages[at.Message]
		if at.Bytes < len(m.Content) {
			head, rest := *m, *m
			head.Content, head.Extra, rest.Content = m.Content[:at.Bytes], nil, m.Content[at.Bytes:]
			m = &head
			messages = slices.Insert(messages, at.Message+1, &rest)
		}
		messages[at.Message] = cmp.Or(mark(m), m)
	}
	return messages
}

// hasParts says whether a message has parts, which are sent in place of its Content. Versions
// of eino differ in the fields for them.
func hasParts(m *schema.Message) bool {
	v := reflect.ValueOf(m).Elem()
	for _, name := range []string{"MultiContent", "UserInputMultiContent"} {
		if parts := v.FieldByName(name); parts.IsValid() && parts.Len() > 0 {
			return true
		}
	}
	return false
}

// ArrangementOf returns the arrangement in an Extra, for prompt.Citations: the Extra of the
// user's message that a ChatTemplate made, which holds it as JSON so that every checkpoint can
// store it, or the Extra that a callback hears. It is zero where there is none.
func ArrangementOf(extra map[string]any) (a core.Arrangement) {
	switch held := extra[EventKey].(type) {
	case core.Event:
		return held.Arrangement
	case string:
		if json.Unmarshal([]byte(held), &a) != nil || a.Check(a.N) != nil {
			return core.Arrangement{}
		}
	}
	return a
}

// value reads one value of the node's input.
func value[T any](values map[string]any, key string, required bool) (T, error) {
	var none T
	v, there := values[key]
	switch typed, ok := v.(T); {
	case ok || v == nil && !required:
		return typed, nil
	case there:
		return none, &core.ConfigError{Field: fmt.Sprintf("input[%q]", key), Value: fmt.Sprintf("a %T", v), Rule: fmt.Sprintf("must be a %T", none)}
	}
	return none, &core.ConfigError{Field: fmt.Sprintf("input[%q]", key), Rule: "it is missing: set the key of the node before with compose.WithOutputKey; where documents and question meet in a graph, compile it with compose.WithNodeTriggerMode(compose.AllPredecessor)"}
}
