package vet

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// What a template calls the documents and the question, in the forms of f-strings,
// Jinja, Go templates, shells and Dify.
const (
	documentNames = `(?:contexts?|documents?|docs|chunks|passages|retrieved_contents|retrieved_docs|retrieved_documents|search_results|sources|evidence|context_str)`
	questionNames = `(?:question|query|user_question|user_query|user_input|query_str|sys\.query)`
)

var (
	documentsIn = regexp.MustCompile(`\{\{?-?\s*[.#$]?` + documentNames + `[^}]{0,80}\}|\$\{?` + documentNames + `\b|%\(` + documentNames + `\)s|\{%-?\s*for\s+\w+\s+in\s+` + documentNames + `\b|\{\{#[\w.\-]+\.result#\}\}`)
	questionIn  = regexp.MustCompile(`\{\{?-?\s*[.#$]?` + questionNames + `[^}]{0,80}\}|\$\{?` + questionNames + `\b|%\(` + questionNames + `\)s`)
)

// templateLayout returns a fault of a prompt template: one that asks the question
// above the documents and not again below them.
func templateLayout(key string, value *doctree.Node) *Layout {
	at, found := questionAbove(value.Text)
	if !found {
		return nil
	}
	line := value.Line
	if value.Block {
		line += 1 + strings.Count(value.Text[:at], "\n")
	}
	return &Layout{At: value, Line: line, What: "question", Key: key}
}

// questionAbove returns where a question stands that comes before the documents
// alone.
func questionAbove(text string) (int, bool) {
	documents, questions := documentsIn.FindStringIndex(text), questionIn.FindAllStringIndex(text, -1)
	if documents == nil || len(questions) == 0 || questions[len(questions)-1][0] > documents[0] {
		return 0, false
	}
	return questions[len(questions)-1][0], true
}

// messagesLayout is templateLayout for the messages of a chat, which are read as
// one text.
func messagesLayout(list *doctree.Node) *Layout {
	var all strings.Builder
	type message struct {
		start int
		at    *doctree.Node
	}
	var messages []message
	for _, item := range list.Items {
		for _, key := range []string{"content", "text", "template", "prompt"} {
			if v := item.Get(key); v != nil && v.Kind == doctree.Text {
				messages = append(messages, message{all.Len(), v})
				all.WriteString(v.Text + "\n")
				break
			}
		}
	}
	at, found := questionAbove(all.String())
	if !found || len(messages) < 2 {
		return nil
	}
	i := len(messages) - 1
	for messages[i].start > at {
		i--
	}
	m := messages[i]
	line := m.at.Line
	if m.at.Block {
		line += 1 + strings.Count(all.String()[m.start:at], "\n")
	}
	return &Layout{At: m.at, Line: line, What: "question", Key: "messages"}
}

// layout reads a key about where rules and question stand, or a template.
func (g *gatherer) layout(key string, value *doctree.Node) {
	if value.Kind != doctree.Text {
		return
	}
	if l := templateLayout(key, value); l != nil {
		g.chain.Layouts = append(g.chain.Layouts, l)
		return
	}
	word := plainWord(value.Text)
	before := slices.Contains([]string{"before", "first", "top", "start", "beginning", "above", "before_context", "before_documents", "prefix"}, word)
	what := ""
	switch {
	case !hasWord(key, "position", "placement", "layout", "location"):
	case plainWord(key) == "layout" || hasWord(key, "layout"):
		switch word {
		case "instruction_first", "instructions_first", "rules_first":
			what = "rules"
		case "question_first", "query_first":
			what = "question"
		}
	case before && hasWord(key, "question", "query"):
		what = "question"
	case before && hasWord(key, "rules", "rule", "instruction", "instructions"):
		what = "rules"
	}
	if what != "" {
		g.chain.Layouts = append(g.chain.Layouts, &Layout{At: value, Line: value.Line, What: what, Key: key, Old: value.Text})
	}
}
