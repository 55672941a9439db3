package eino_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/schema"
)

// mark marks a message as a model's package does: in the Extra of a copy.
func mark(m *schema.Message) *schema.Message {
	marked := *m
	marked.Extra = map[string]any{"mark": true}
	for key, value := range m.Extra {
		marked.Extra[key] = value
	}
	return &marked
}

// markedMessages writes messages, each with a bar where it is marked.
func markedMessages(messages []*schema.Message) []string {
	var out []string
	for _, m := range messages {
		text := string(m.Role) + ": " + strings.ReplaceAll(m.Content, "\n\n", "¶")
		if m.Extra["mark"] != nil {
			text += "|"
		}
		out = append(out, text)
	}
	return out
}

func TestBreakpoints(t *testing.T) {
	t.Parallel()
	history := []*schema.Message{schema.UserMessage("U1"), schema.AssistantMessage("A1", nil)}
	parts := &schema.Message{} // from JSON, since versions of eino call the types otherwise
	check(t, json.Unmarshal([]byte(`{"role": "user", "content": "ignored", "multi_content": [{"type": "text", "text": "U1"}]}`), parts))
	picture := []*schema.Message{parts, schema.AssistantMessage("A1", nil)}
	for _, test := range []struct {
		name    string
		layout  layout.Layout
		mark    func(*schema.Message) *schema.Message
		history []*schema.Message
		want    []string
	}{
		{"not asked for", layout.QuestionLast, nil, history, []string{"system: RULES", "user: U1", "assistant: A1", "user: [1] first¶[2] second¶Question: why?"}},
		{"no history", layout.QuestionLast, mark, nil, []string{"system: RULES|", "user: [1] first¶[2] second|", "user: ¶Question: why?"}},
		{"a history", layout.QuestionLast, mark, history, []string{"system: RULES|", "user: U1", "assistant: A1|", "user: [1] first¶[2] second|", "user: ¶Question: why?"}},
		{"documents first, not asked for", layout.DocumentsFirst, nil, history, []string{"system: RULES", "user: [1] first¶[2] second¶U1", "assistant: A1", "user: Question: why?"}},
		{"documents first", layout.DocumentsFirst, mark, history, []string{"system: RULES|", "user: [1] first¶[2] second|", "user: ¶U1", "assistant: A1|", "user: Question: why?"}},
		{"documents first, one message", layout.DocumentsFirst, mark, history[:1], []string{"system: RULES|", "user: [1] first¶[2] second|", "user: ¶U1|", "user: Question: why?"}},
		{"documents first, parts", layout.DocumentsFirst, mark, picture, []string{"system: RULES|", "user: [1] first¶[2] second|", "user: ignored", "assistant: A1|", "user: Question: why?"}},
		{"a func that marks nothing", layout.QuestionLast, func(*schema.Message) *schema.Message { return nil }, nil, []string{"system: RULES", "user: [1] first¶[2] second", "user: ¶Question: why?"}},
	} {
		template := newTemplate(t, bookend.ChatTemplateConfig{Prompt: layout.Config{Layout: test.layout, Rules: "RULES"}, Breakpoint: test.mark})
		got, err := template.Format(context.Background(), map[string]any{"documents": documents(2), "question": "why?", "history": test.history})
		check(t, err)
		if !slices.Equal(markedMessages(got), test.want) {
			t.Errorf("%s (-want +got)\n-%q\n+%q", test.name, test.want, markedMessages(got))
		}
		if a := bookend.ArrangementOf(got[len(got)-1].Extra); a.N != 2 {
			t.Errorf("%s: the last message has the arrangement %+v", test.name, a)
		}
		for i, m := range test.history {
			if content := []string{"U1", "A1"}[i]; m.Extra != nil || m.Content != content && m.Content != "ignored" {
				t.Errorf("%s: the caller's message %d was changed: %+v", test.name, i, m)
			}
		}
	}
}
