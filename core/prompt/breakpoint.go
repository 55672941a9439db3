package prompt

import (
	"cmp"
	"slices"
)

// Breakpoint is a place in a prompt up to which the next one may be the same, byte for
// byte: the end of a part that a prompt cache can serve. Some providers have to be told
// of it.
type Breakpoint struct {
	// Part ends there: PartRules, with everything in the system message, PartDocuments or
	// PartHistory.
	Part Part
	// Text is the number of bytes of Prompt.Text before it.
	Text int
	// Message is the index of the message in Prompt.Messages that it stands in, and Bytes
	// the number of bytes of that message's text before it: all of them, where the part
	// ends the message.
	Message, Bytes int
}

// Breakpoints returns where the parts of the prompt end that the next prompt may begin
// with, too: the system message, the documents and the history, as far as there are any,
// in the order of the text. There is none behind the question.
func (p Prompt) Breakpoints() []Breakpoint {
	var points []Breakpoint
	if e := p.ends; e.system > 0 {
		points = append(points, Breakpoint{PartRules, e.system, 0, len(p.Messages[0].Text)})
	}
	if e := p.ends; e.documents > 0 {
		points = append(points, Breakpoint{PartDocuments, e.documents, e.documentsIn, e.documentsAt})
	}
	if e := p.ends; e.history > 0 {
		points = append(points, Breakpoint{PartHistory, e.history, e.historyIn, len(p.Messages[e.historyIn].Text)})
	}
	slices.SortFunc(points, func(a, b Breakpoint) int { return cmp.Compare(a.Text, b.Text) })
	return points
}

// ends are where parts of a prompt end, in bytes of its text; 0 for one that it has not.
type ends struct {
	system, documents, history int
	documentsIn, documentsAt   int // the message, and the bytes of it
	historyIn                  int
}
