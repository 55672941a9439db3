package prompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

func said(messages ...string) []prompt.Message {
	var history []prompt.Message
	for _, m := range messages {
		role, text, _ := strings.Cut(m, ": ")
		history = append(history, prompt.Message{Role: prompt.Role(role), Text: text})
	}
	return history
}

// cut writes the messages of a prompt with a bar at each breakpoint.
func cut(p prompt.Prompt) []string {
	out := make([]string, len(p.Messages))
	points := p.Breakpoints()
	for i, m := range p.Messages {
		text := m.Text
		for _, at := range slices.Backward(points) {
			if at.Message == i {
				text = text[:at.Bytes] + "|" + text[at.Bytes:]
			}
		}
		out[i] = string(m.Role) + ": " + strings.ReplaceAll(text, "\n\n", "¶")
	}
	return out
}

// Documents before the history begin the first message of the user, so that no document
// speaks as the system and the roles alternate.
func TestMessagesAndBreakpoints(t *testing.T) {
	t.Parallel()
	turns := said("user: U1", "assistant: A1")
	for _, test := range []struct {
		name    string
		layout  prompt.Layout
		rules   string
		docs    string
		history []prompt.Message
		want    []string
		parts   []prompt.Part
	}{
		{"no history", prompt.QuestionLast, "RULES", "AB", nil, []string{"system: RULES|", "user: [1] A¶[2] B|¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments}},
		{"history first", prompt.QuestionLast, "RULES", "A", turns, []string{"system: RULES|", "user: U1", "assistant: A1|", "user: [1] A|¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartHistory, prompt.PartDocuments}},
		{"no rules", prompt.QuestionLast, "", "A", turns, []string{"user: U1", "assistant: A1|", "user: [1] A|¶Question: Q"}, []prompt.Part{prompt.PartHistory, prompt.PartDocuments}},
		{"no documents", prompt.QuestionLast, "RULES", "", nil, []string{"system: RULES|", "user: -¶Question: Q"}, []prompt.Part{prompt.PartRules}},
		{"the question before", prompt.QueryAware, "RULES", "A", turns, []string{"system: RULES|", "user: U1", "assistant: A1|", "user: Question: Q¶[1] A¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartHistory}},
		{"documents first", prompt.DocumentsFirst, "RULES", "AB", turns, []string{"system: RULES|", "user: [1] A¶[2] B|¶U1", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments, prompt.PartHistory}},
		{"documents first, no history", prompt.DocumentsFirst, "RULES", "A", nil, []string{"system: RULES|", "user: [1] A|¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments}},
		{"documents first, no rules", prompt.DocumentsFirst, "", "A", turns, []string{"user: [1] A|¶U1", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartDocuments, prompt.PartHistory}},
		{"documents first, one message", prompt.DocumentsFirst, "RULES", "A", said("user: U1"), []string{"system: RULES|", "user: [1] A|¶U1|", "user: Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments, prompt.PartHistory}},
		{"documents first, a greeting", prompt.DocumentsFirst, "RULES", "A", said("assistant: Hello!", "user: U1", "assistant: A1"), []string{"system: RULES|", "user: [1] A|", "assistant: Hello!", "user: U1", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments, prompt.PartHistory}},
		{"documents first, a message without text", prompt.DocumentsFirst, "RULES", "A", said("user: ", "assistant: A1"), []string{"system: RULES|", "user: [1] A|", "user: ", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments, prompt.PartHistory}},
		{"documents first, none found", prompt.DocumentsFirst, "RULES", "", turns, []string{"system: RULES|", "user: -¶U1", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartHistory}},
		{"an order of one's own", "rules,documents,reminder,history,task,question", "RULES", "A", turns, []string{"system: RULES|", "user: [1] A|¶REMINDER¶U1", "assistant: A1|", "user: TASK¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments, prompt.PartHistory}},
		{"no place for a history", "rules,documents,question", "RULES", "A", nil, []string{"system: RULES|", "user: [1] A|¶Question: Q"}, []prompt.Part{prompt.PartRules, prompt.PartDocuments}},
		{"documents alone before the history", "documents,history,question", "", "A", turns, []string{"user: [1] A|¶U1", "assistant: A1|", "user: Question: Q"}, []prompt.Part{prompt.PartDocuments, prompt.PartHistory}},
	} {
		given := slices.Clone(test.history)
		c := prompt.Config{Layout: test.layout, Rules: test.rules, NoDocuments: "-"}
		if strings.Contains(string(test.layout), "task") {
			c.Task, c.Reminder = "TASK", "REMINDER"
		}
		p := build(t, c, letters(len(test.docs)), prompt.Input{Question: "Q", History: test.history})
		same(t, test.name, test.want, cut(p))
		same(t, test.name+": the caller's history", given, test.history)
		var parts []prompt.Part
		for _, at := range p.Breakpoints() {
			parts = append(parts, at.Part)
		}
		same(t, test.name+": parts", test.parts, parts)
	}
}

// Up to each breakpoint the next prompt is the same, as text and as messages, whatever the
// question is; and the text and the messages break at the same place.
func TestBreakpointsHoldForTheNextQuestion(t *testing.T) {
	t.Parallel()
	for _, layout := range layouts {
		for _, format := range formats {
			c := support()
			c.Layout, c.Format, c.Labels, c.Cue = layout, format, prompt.ByID, "Answer:"
			one, two := conversation(), conversation()
			two.Question = "Quite <another> question?"
			p, q := build(t, c, handbook(t, 5), one), build(t, c, handbook(t, 5), two)
			points := p.Breakpoints()
			if want := 3; len(points) != want && layout != prompt.QueryAware {
				t.Errorf("%s, %s: %d breakpoints", layout, format, len(points))
			}
			for _, at := range points {
				name := fmt.Sprintf("%s, %s, %s", layout, format, at.Part)
				same(t, name+": text", p.Text[:at.Text], q.Text[:at.Text])
				same(t, name+": messages before", p.Messages[:at.Message], q.Messages[:at.Message])
				same(t, name+": message", p.Messages[at.Message].Text[:at.Bytes], q.Messages[at.Message].Text[:at.Bytes])
				if end := p.Messages[at.Message].Text[:at.Bytes]; !strings.HasSuffix(p.Text[:at.Text], end[max(0, len(end)-40):]) {
					t.Errorf("%s: the text ends with %q, the message with %q", name, p.Text[:at.Text], end)
				}
			}
		}
	}
}

// Under a budget the breakpoints are those of the prompt that fits.
func TestBreakpointsUnderABudget(t *testing.T) {
	t.Parallel()
	c := prompt.Config{Layout: prompt.DocumentsFirst, Unit: core.Runes, Budget: 75}
	p := build(t, c, letters(3), prompt.Input{Question: "Q", History: said("user: U1", "assistant: A1", "user: "+strings.Repeat("U2", 9), "assistant: A2")})
	same(t, "turns left out", 1, p.DroppedTurns)
	same(t, "chat", []string{"user: [1] A¶[3] C¶[2] B|¶" + strings.Repeat("U2", 9)}, cut(p)[:1])
}
