package prompt

import (
	"context"
	"slices"
	"strings"
)

// documents are those of one prompt, in the order of their slots.
type documents interface {
	len() int
	// join writes them between what stands before and after them.
	join(ctx context.Context, before, after string) (string, hidden, error)
}

// composer writes one prompt.
type composer struct {
	*Renderer
	in Input

	// Parts that have a text: those of the system message, those from documents that stand
	// before the history up to it, and those after the history.
	system, first, user []Part

	text      strings.Builder // what is written since the documents
	before    string          // what stands before them
	documents bool            // they were met
	after     string          // what stands after them

	systemEnd, firstStart, firstEnd, historyEnd, userStart place
}

// place is a place in the text: so many bytes from its start, or from where the
// documents end.
type place struct {
	behind bool
	at     int
}

// compose renders the parts. In the XML format question and history are contained as
// documents are, also in the messages.
func (r *Renderer) compose(ctx context.Context, parts []Part, docs documents, in Input) (Prompt, error) {
	if r.config.Format == XML {
		in = contained(in)
	}
	c := &composer{Renderer: r, in: in}
	c.split(parts)
	c.write()
	p := Prompt{Text: c.before}
	switch {
	case c.documents && docs.len() == 0:
		p.Text += r.config.NoDocuments + c.after
	case c.documents:
		var err error
		f := r.config.Format.frame()
		if p.Text, p.hidden, err = docs.join(ctx, c.before+f.before, f.after+c.after); err != nil {
			return Prompt{}, err
		}
	}
	c.chat(&p, docs.len() > 0)
	return p, nil
}

// chat makes messages of the text of a prompt, and notes where its parts end.
func (c *composer) chat(p *Prompt, shown bool) {
	at := func(where place) int {
		if where.behind {
			return len(p.Text) - len(c.after) + where.at
		}
		return where.at
	}
	history := c.in.History
	if len(c.system) > 0 {
		p.Messages = append(p.Messages, Message{System, p.Text[:at(c.systemEnd)]})
		p.ends.system = at(c.systemEnd)
	}
	userStart := at(c.userStart)
	documentsIn, documentsStart := len(p.Messages)+len(history), userStart
	if len(c.first) > 0 {
		documentsIn, documentsStart = len(p.Messages), at(c.firstStart)
		first := p.Text[documentsStart:at(c.firstEnd)]
		switch {
		case len(history) == 0:
			userStart = documentsStart
		case history[0].Role == User && history[0].Text != "":
			history = slices.Clone(history)
			history[0].Text = first + between + history[0].Text
		default:
			p.Messages = append(p.Messages, Message{User, first})
		}
	}
	if shown && c.documents && !c.asksBefore() {
		end := len(p.Text) - len(c.after)
		p.ends.documents, p.ends.documentsIn, p.ends.documentsAt = end, documentsIn, end-documentsStart
	}
	p.Messages = append(p.Messages, history...)
	if len(history) > 0 {
		p.ends.history, p.ends.historyIn = at(c.historyEnd), len(p.Messages)-1
	}
	p.Messages = append(p.Messages, Message{User, p.Text[userStart:]})
}

// asksBefore says whether the question stands before the documents.
func (c *composer) asksBefore() bool {
	for _, part := range c.user {
		switch part {
		case PartQuestion:
			return !slices.Contains(c.first, PartDocuments)
		case PartDocuments:
			return false
		}
	}
	return false
}

// contained escapes the tags of the XML format in what a call brings beside documents.
func contained(in Input) Input {
	in.Question = Escape(in.Question)
	tagged := func(m Message) bool { return hasTag(m.Text) }
	if slices.ContainsFunc(in.History, tagged) {
		in.History = slices.Clone(in.History)
		for i := range in.History {
			in.History[i].Text = Escape(in.History[i].Text)
		}
	}
	return in
}

// split finds the parts of the system message and of the user message.
func (c *composer) split(parts []Part) {
	history := slices.Index(parts, PartHistory)
	if history < 0 && parts[0] == PartRules {
		history = 1
	}
	for i, part := range parts {
		if part == PartHistory || part != PartDocuments && c.words(part) == "" {
			continue
		}
		switch {
		case i >= history:
			c.user = append(c.user, part)
		case part == PartDocuments || len(c.first) > 0:
			c.first = append(c.first, part)
		default:
			c.system = append(c.system, part)
		}
	}
}

// words returns the text of a part other than documents and history.
func (c *composer) words(part Part) string {
	switch part {
	case PartRules:
		return c.config.Rules
	case PartTask:
		return c.config.Task
	case PartQuestion:
		return c.in.Question
	case PartInstruction:
		return c.config.Instruction
	case PartReminder:
		return c.config.Reminder
	}
	return ""
}

// size guesses how much text stands around the documents.
func (c *composer) size() int {
	size := 128
	for _, parts := range [][]Part{c.system, c.first, c.user} {
		for _, part := range parts {
			size += len(c.words(part)) + len(between)
		}
	}
	for _, m := range c.in.History {
		size += len(m.Text) + len("\nAssistant: ")
	}
	return size
}

// between stands between two parts.
const between = "\n\n"

// write writes what stands before and after the documents; without them all stands
// before.
func (c *composer) write() {
	c.text.Grow(c.size())
	c.parts(c.system)
	c.systemEnd = c.here()
	c.separate(len(c.first) > 0)
	c.firstStart = c.here()
	c.parts(c.first)
	c.firstEnd = c.here()
	c.separate(len(c.in.History) > 0)
	c.history()
	c.historyEnd = c.here()
	c.separate(true)
	c.userStart = c.here()
	c.parts(c.user)
	if c.config.Cue != "" && c.in.Question != "" {
		c.text.WriteString("\n")
		c.text.WriteString(c.config.Cue)
	}
	if c.documents {
		c.after = c.text.String()
	} else {
		c.before = c.text.String()
	}
}

// here is the place where the next text will stand.
func (c *composer) here() place { return place{c.documents, c.text.Len()} }

// separate writes what stands between two parts, if something follows and something
// stands before.
func (c *composer) separate(follows bool) {
	if follows && (c.documents || c.text.Len() > 0) {
		c.text.WriteString(between)
	}
}

// parts writes parts that follow each other.
func (c *composer) parts(parts []Part) {
	for i, part := range parts {
		if i > 0 {
			c.text.WriteString(between)
		}
		switch part {
		case PartDocuments:
			c.before, c.documents = c.text.String(), true
			c.text = strings.Builder{}
			continue
		case PartQuestion:
			c.text.WriteString(c.config.QuestionPrefix)
		}
		c.text.WriteString(c.words(part))
	}
}

// speakers name who speaks where a history is written as text.
var speakers = map[Role]string{System: "System: ", User: "User: ", Assistant: "Assistant: ", Tool: "Tool: "}

func (c *composer) history() {
	for i, m := range c.in.History {
		if i > 0 {
			c.text.WriteString("\n")
		}
		c.text.WriteString(speakers[m.Role])
		c.text.WriteString(m.Text)
	}
}
