package prompt

import (
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// Part is one part of a prompt.
type Part string

// The parts. One whose text is empty is left out of the prompt.
const (
	PartRules       Part = "rules"       // standing rules: Config.Rules
	PartHistory     Part = "history"     // earlier turns: Input.History
	PartTask        Part = "task"        // the task in one line: Config.Task
	PartDocuments   Part = "documents"   // the documents, or the words that there are none
	PartQuestion    Part = "question"    // Input.Question
	PartInstruction Part = "instruction" // the task in full: Config.Instruction, or else Config.Task
	PartReminder    Part = "reminder"    // the rules in one line: Config.Reminder
)

var allParts = []Part{PartRules, PartHistory, PartTask, PartDocuments, PartQuestion, PartInstruction, PartReminder}

// Layout says in which order the parts stand: the name of a layout below, or an
// order of one's own as a list of parts, "rules,question,documents". Parts that a
// layout does not list are not in the prompt. As a string it has every codec; New
// validates it, and Parts does so early. The empty Layout means QuestionLast. Names are case-insensitive, and hyphens and
// underscores alike.
//
// An order of one's own must list documents and question, each part once, and the
// question twice at most. The question stands after the history.
//
// In a chat, what stands before the history is the system message, and what
// stands after it the user message. Where documents stand before the history, the
// system message ends before them, and they begin the first message of the user: no
// document speaks as the system, and the roles still alternate. A layout that does not
// list the history has no place for one; there the rules are the system message, if they
// stand first.
type Layout string

const (
	// QuestionLast (the default) puts the documents, then the question, then the
	// instruction, so that the task is the last thing read: rules, history,
	// documents, question, instruction. Anthropic's and Google's guides to long
	// contexts advise it.
	QuestionLast Layout = "question-last"
	// Bookend says the task in brief above the documents and in full below them,
	// and repeats the rules in one line at the very end: rules, task, history,
	// documents, question, instruction, reminder. OpenAI's guide to GPT-4.1 found
	// both ends better than either. Config.BookendFrom applies it to long prompts
	// alone.
	Bookend Layout = "bookend"
	// QueryAware puts the question before the documents and after them: rules,
	// history, question, documents, question, instruction (Liu et al., TACL 2024,
	// section 4.2).
	QueryAware Layout = "query-aware"
	// InstructionFirst is what most stacks do, as the baseline of a comparison:
	// rules, history, instruction, documents, question. With Config.Cue it is also
	// the layout of Liu et al.
	InstructionFirst Layout = "instruction-first"
	// DocumentsFirst puts the documents before the history, so that a prompt cache serves
	// them from turn to turn, and other conversations over the same documents, too: rules,
	// documents, history, question, instruction. It pays where a conversation stays with
	// its documents.
	DocumentsFirst Layout = "documents-first"
)

var layouts = []struct {
	name  Layout
	parts []Part
}{
	{QuestionLast, []Part{PartRules, PartHistory, PartDocuments, PartQuestion, PartInstruction}},
	{Bookend, []Part{PartRules, PartTask, PartHistory, PartDocuments, PartQuestion, PartInstruction, PartReminder}},
	{QueryAware, []Part{PartRules, PartHistory, PartQuestion, PartDocuments, PartQuestion, PartInstruction}},
	{InstructionFirst, []Part{PartRules, PartHistory, PartInstruction, PartDocuments, PartQuestion}},
	{DocumentsFirst, []Part{PartRules, PartDocuments, PartHistory, PartQuestion, PartInstruction}},
}

// Parts returns the parts of the layout in their order, or the *core.ConfigError
// of a layout that is none.
func (l Layout) Parts() ([]Part, error) {
	word := l.word()
	for _, named := range layouts {
		if word == string(named.name) {
			return slices.Clone(named.parts), nil
		}
	}
	fault := func(rule string) error {
		return &core.ConfigError{Field: "Layout", Value: string(l), Rule: rule}
	}
	if !strings.Contains(word, ",") {
		var names []string
		for _, named := range layouts {
			names = append(names, string(named.name))
		}
		return nil, fault("use question-last, bookend, query-aware, instruction-first or documents-first, or list parts, as in \"rules,documents,question\"" + nearest.Hint(word, names))
	}
	var parts []Part
	for _, name := range strings.Split(word, ",") {
		part := Part(strings.TrimSpace(name))
		switch {
		case !slices.Contains(allParts, part):
			return nil, fault("has the unknown part " + string(part) + "; the parts are rules, history, task, documents, question, instruction, reminder")
		case count(parts, part) == 2, count(parts, part) == 1 && part != PartQuestion:
			return nil, fault("lists the part " + string(part) + " too often: once each, the question at most twice")
		case part == PartHistory && slices.Contains(parts, PartQuestion):
			return nil, fault("has the history after the question: list it before")
		}
		parts = append(parts, part)
	}
	for _, needed := range []Part{PartDocuments, PartQuestion} {
		if !slices.Contains(parts, needed) {
			return nil, fault("lacks the part " + string(needed) + ": a layout needs documents and question")
		}
	}
	return parts, nil
}

func (l Layout) word() string {
	if word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(string(l))), "_", "-"); word != "" {
		return word
	}
	return string(QuestionLast)
}

// canonical returns the layout's name as its constant has it, or for an order of
// one's own the list of its parts.
func (l Layout) canonical(parts []Part) Layout {
	if word := l.word(); !strings.Contains(word, ",") {
		return Layout(word)
	}
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = string(part)
	}
	return Layout(strings.Join(names, ","))
}

func count(parts []Part, part Part) int {
	n := 0
	for _, p := range parts {
		if p == part {
			n++
		}
	}
	return n
}
