package prompt_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// order writes parts as a layout of one's own.
func order(parts []prompt.Part) string {
	words := make([]string, len(parts))
	for i, part := range parts {
		words[i] = string(part)
	}
	return strings.Join(words, ",")
}

func TestLayoutParts(t *testing.T) {
	t.Parallel()
	const questionLast = "rules,history,documents,question,instruction"
	for _, test := range []struct {
		layout prompt.Layout
		want   string
	}{
		{"", questionLast},
		{prompt.QuestionLast, questionLast},
		{prompt.Bookend, "rules,task,history,documents,question,instruction,reminder"},
		{prompt.QueryAware, "rules,history,question,documents,question,instruction"},
		{prompt.InstructionFirst, "rules,history,instruction,documents,question"},
		{prompt.DocumentsFirst, "rules,documents,history,question,instruction"},
		{"documents,task,history,question", "documents,task,history,question"},
		{" Question_LAST\n", questionLast},
		{"QUERY_AWARE", "rules,history,question,documents,question,instruction"},
		{"documents,question", "documents,question"},
		{" Question , DOCUMENTS ", "question,documents"},
		{"question,documents,question", "question,documents,question"},
		{"history,documents,question", "history,documents,question"},
		{"reminder,documents,instruction,question,task,rules", "reminder,documents,instruction,question,task,rules"},
	} {
		parts, err := test.layout.Parts()
		if err != nil {
			t.Errorf("%q: %v", test.layout, err)
			continue
		}
		same(t, fmt.Sprintf("parts of %q", test.layout), test.want, order(parts))
	}
}

func TestLayoutRefusesAnOrderThatIsNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		layout  string
		mention []string
	}{
		{"sandwich", []string{"question-last", "bookend", "query-aware", "instruction-first", "documents-first", "list parts"}},
		{"documents", []string{"question-last", "list parts"}},
		{"documents,question,footer", []string{"unknown part footer", "rules, history, task, documents, question, instruction, reminder"}},
		{"documents,,question", []string{"unknown part"}},
		{"documents,question,documents", []string{"documents too often"}},
		{"rules,rules,documents,question", []string{"rules too often"}},
		{"history,history,documents,question", []string{"history too often"}},
		{"question,documents,question,question", []string{"question too often", "at most twice"}},
		{"rules,question", []string{"lacks the part documents"}},
		{"rules,documents", []string{"lacks the part question"}},
		{"question,history,documents", []string{"history after the question"}},
		{"documents,question,history", []string{"history after the question"}},
	} {
		_, err := prompt.Layout(test.layout).Parts()
		if err == nil {
			t.Errorf("%q: no error", test.layout)
			continue
		}
		fault := mustBe[*core.ConfigError](t, err)
		same(t, "field", "Layout", fault.Field)
		same[any](t, "value", test.layout, fault.Value)
		mustMention(t, err, test.mention...)
		if _, err := prompt.New(prompt.Config{Layout: prompt.Layout(test.layout)}); err == nil {
			t.Errorf("New accepts the layout %q", test.layout)
		}
	}
}

func TestPartsAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	parts, _ := prompt.Bookend.Parts()
	parts[0] = "broken"
	again, _ := prompt.Bookend.Parts()
	same(t, "first part", prompt.PartRules, again[0])
}

func TestLayoutIsTextInJSON(t *testing.T) {
	t.Parallel()
	var c prompt.Config
	if err := json.Unmarshal([]byte(`{"layout": "rules, documents, question"}`), &c); err != nil {
		t.Fatal(err)
	}
	c.Rules = "Be kind."
	got := build(t, c, letters(1), prompt.Input{Question: "Why?"})
	same(t, "text", "Be kind.\n\n[1] A\n\nQuestion: Why?", got.Text)
}

// A layout of one's own has each part where it was listed; parts that are not
// listed are left out.
func TestOwnOrder(t *testing.T) {
	t.Parallel()
	c := support()
	c.Rules, c.Task, c.Instruction, c.Reminder = "RULES", "TASK", "INSTRUCTION", "REMINDER"
	for _, test := range []struct {
		layout prompt.Layout
		want   []string
	}{
		{"documents,question", []string{"[1] A", "Question: Q"}},
		{"question,documents", []string{"Question: Q", "[1] A"}},
		{"reminder,task,documents,rules,question,instruction", []string{"REMINDER", "TASK", "[1] A", "RULES", "Question: Q", "INSTRUCTION"}},
		{"question,rules,documents,question", []string{"Question: Q", "RULES", "[1] A", "Question: Q"}},
	} {
		c.Layout = test.layout
		p := build(t, c, letters(1), prompt.Input{Question: "Q"})
		same(t, string(test.layout), strings.Join(test.want, "\n\n"), p.Text)
		same(t, "layout", test.layout, p.Layout)
	}
}

// A task stands in for an instruction that is not there, but not the other way.
func TestTaskStandsInForTheInstruction(t *testing.T) {
	t.Parallel()
	in := prompt.Input{Question: "Q"}
	p := build(t, prompt.Config{Task: "TASK"}, nil, in)
	same(t, "question-last", "No documents were found.\n\nQuestion: Q\n\nTASK", p.Text)
	p = build(t, prompt.Config{Layout: prompt.Bookend, Instruction: "INSTRUCTION"}, nil, in)
	same(t, "bookend", "No documents were found.\n\nQuestion: Q\n\nINSTRUCTION", p.Text)
}
