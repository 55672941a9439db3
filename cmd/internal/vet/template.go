package vet

import (
	"regexp"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// What a template calls the documents and the question, in the forms of f-strings,
// Jinja, Go templates, shells and Dify.
const (
	documentNames = `(?:contexts?|documents?|docs|chunks|passages|retrieved_contents|retrieved_docs|retrieved_documents|search_results|context_str)`
	questionNames = `(?:question|query|user_question|user_query|user_input|query_str|sys\.query)`
)

var (
	documentsIn = regexp.MustCompile(`\{\{?-?\s*[.#$]?` + documentNames + `\b|\$\{?` + documentNames + `\b|%\(` + documentNames + `\)s|\{%-?\s*for\s+\w+\s+in\s+` + documentNames + `\b|\{\{#[\w.\-]+\.result#\}\}`)
	questionIn  = regexp.MustCompile(`\{\{?-?\s*[.#$]?` + questionNames + `\b|\$\{?` + questionNames + `\b|%\(` + questionNames + `\)s`)
)

// template returns the fault of a prompt template that asks the question above the
// documents and not again below them, or nil.
func (c *checker) template(value *doctree.Node) *Layout {
	if value == nil || value.Kind != doctree.Text || !c.spend(len(value.Text)) {
		return nil
	}
	at, found := questionAbove(value.Text)
	if !found {
		return nil
	}
	line := value.Line
	if value.Block {
		line += 1 + strings.Count(value.Text[:at], "\n")
	}
	return &Layout{What: "question", At: value, Line: line}
}

// questionAbove returns where a question stands that comes before the documents
// alone.
func questionAbove(text string) (int, bool) {
	documents := documentsIn.FindStringIndex(text)
	if documents == nil || questionIn.MatchString(text[documents[0]:]) {
		return 0, false
	}
	question := questionIn.FindStringIndex(text[:documents[0]])
	if question == nil {
		return 0, false
	}
	return question[0], true
}

// messages is template for the messages of a chat, which are read as one text.
func (c *checker) messages(list *doctree.Node) *Layout {
	type message struct {
		start int
		at    *doctree.Node
	}
	var (
		all      strings.Builder
		messages []message
	)
	for _, item := range list.Items {
		text := messageText(item)
		if text == nil {
			continue
		}
		if !c.spend(len(text.Text) + 1) {
			return nil
		}
		messages = append(messages, message{all.Len(), text})
		all.WriteString(text.Text + "\n")
	}
	at, found := questionAbove(all.String())
	if !found {
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
	return &Layout{What: "question", At: m.at, Line: line}
}

// messageText returns the text of a message: its content, or the text of the one part
// that its content has.
func messageText(message *doctree.Node) *doctree.Node {
	for _, key := range []string{"content", "_content", "text"} {
		v := message.Get(key)
		if v != nil && v.Kind == doctree.List && len(v.Items) > 0 {
			v = v.Items[0].Get("text")
		}
		if v != nil && v.Kind == doctree.Text {
			return v
		}
	}
	return nil
}
