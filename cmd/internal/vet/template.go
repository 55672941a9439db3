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
func (c *checker) template(n *doctree.Node) *Layout {
	if n == nil || n.Kind != doctree.Text {
		return nil
	}
	return c.oneText([]*doctree.Node{n})
}

// messages is template for the messages of a chat.
func (c *checker) messages(list *doctree.Node) *Layout {
	var texts []*doctree.Node
	for _, item := range list.Items {
		for _, key := range []string{"content", "_content", "text"} {
			text := nonNil(item.Get(key))
			if len(text.Items) > 0 { // the parts of a message, of which the first is read
				text = nonNil(text.Items[0].Get("text"))
			}
			if text.Kind == doctree.Text {
				texts = append(texts, text)
				break
			}
		}
	}
	return c.oneText(texts)
}

// oneText looks through texts that are read as one, and finds a question above the
// documents alone.
func (c *checker) oneText(texts []*doctree.Node) *Layout {
	var question *Layout
	documents := false
	for _, n := range texts {
		if !c.spend(len(n.Text) + 1) {
			return nil
		}
		text, before := n.Text, n.Text
		if at := documentsIn.FindStringIndex(text); at != nil && !documents {
			documents, before, text = true, text[:at[0]], text[at[0]:]
			if questionIn.MatchString(text) {
				return nil
			}
		} else if documents && questionIn.MatchString(text) {
			return nil
		} else if documents {
			continue
		}
		if at := questionIn.FindStringIndex(before); at != nil {
			question = &Layout{What: "question", At: n, Line: n.Line}
			if n.Block {
				question.Line += 1 + strings.Count(before[:at[0]], "\n")
			}
		}
	}
	if !documents {
		return nil
	}
	return question
}
