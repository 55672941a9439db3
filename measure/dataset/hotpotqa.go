package dataset

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
)

const hotpotForm = `HotpotQA has {"question":"…","answer":"…","context":[["title",["sentence",…]],…],"supporting_facts":[["title",0],…]}`

// FromHotpotQA writes the questions of HotpotQA, in its own form or in that of Hugging
// Face, as lines for Rules.Lists, one at a time: a paragraph is a document, and those
// of the supporting facts are gold. Most questions have two, which a sweep leaves out.
func FromHotpotQA(to io.Writer, from io.Reader) (Converted, error) {
	return convert(to, from, func(f fields) (converted, *Error) {
		var line converted
		var answers texts
		var context, facts json.RawMessage
		r := reading{fields: f, form: hotpotForm}
		r.need("a text", &line.Question, "question")
		r.may("a text", &answers, "answer", "answers")
		r.need("a list", &context, "context")
		r.may("a list", &facts, "supporting_facts")
		if r.fault != nil {
			return line, r.fault
		}
		line.Answers = answers
		paragraphs, ok := hotpotContext(context)
		if !ok {
			r.fail(wrongType("context", context, "a list of titles with their sentences") + ": " + hotpotForm)
		}
		gold, ok := hotpotTitles(facts)
		if !ok {
			r.fail(wrongType("supporting_facts", facts, "a list of titles with a number") + ": " + hotpotForm)
		}
		for _, p := range paragraphs {
			d := convertedDocument{Title: p.title, Text: strings.TrimSpace(strings.Join(p.sentences, ""))}
			if !isNull(facts) {
				isGold := slices.Contains(gold, p.title)
				d.IsGold = &isGold
			}
			line.Contexts = append(line.Contexts, d)
		}
		return line, r.fault
	})
}

type hotpotParagraph struct {
	title     string
	sentences []string
}

// hotpotContext reads [["title", ["sentence", …]], …], or the columns of Hugging Face.
func hotpotContext(raw json.RawMessage) (all []hotpotParagraph, ok bool) {
	var columns struct {
		Title     []string
		Sentences [][]string
	}
	if raw[0] == '{' {
		if json.Unmarshal(raw, &columns) != nil || len(columns.Title) != len(columns.Sentences) {
			return nil, false
		}
		for i, title := range columns.Title {
			all = append(all, hotpotParagraph{title, columns.Sentences[i]})
		}
		return all, true
	}
	var pairs [][]json.RawMessage
	if json.Unmarshal(raw, &pairs) != nil {
		return nil, false
	}
	for _, pair := range pairs {
		var p hotpotParagraph
		if len(pair) != 2 || json.Unmarshal(pair[0], &p.title) != nil || json.Unmarshal(pair[1], &p.sentences) != nil {
			return nil, false
		}
		all = append(all, p)
	}
	return all, true
}

// hotpotTitles reads [["title", 0], …], or the columns of Hugging Face.
func hotpotTitles(raw json.RawMessage) (titles []string, ok bool) {
	if isNull(raw) {
		return nil, true
	}
	var columns struct{ Title []string }
	if raw[0] == '{' {
		err := json.Unmarshal(raw, &columns)
		return columns.Title, err == nil && columns.Title != nil
	}
	var pairs [][]json.RawMessage
	if json.Unmarshal(raw, &pairs) != nil {
		return nil, false
	}
	for _, pair := range pairs {
		var title string
		if len(pair) != 2 || json.Unmarshal(pair[0], &title) != nil {
			return nil, false
		}
		titles = append(titles, title)
	}
	return titles, true
}
