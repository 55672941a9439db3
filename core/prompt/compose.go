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

	system, user []Part // parts that have a text, before and after the history
	systemEnd    int    // where the system message ends in the text
	userStart    int    // where the user message starts
}

// compose renders the parts. In the XML format question and history are contained as
// documents are, also in the messages.
func (r *Renderer) compose(ctx context.Context, parts []Part, docs documents, in Input) (Prompt, error) {
	if r.config.Format == XML {
		in = contained(in)
	}
	c := &composer{Renderer: r, in: in}
	c.split(parts)
	before, after, documents := c.around()
	p := Prompt{Text: before}
	switch {
	case documents && docs.len() == 0:
		p.Text += r.config.NoDocuments + after
	case documents:
		var err error
		f := r.config.Format.frame()
		if p.Text, p.hidden, err = docs.join(ctx, before+f.before, f.after+after); err != nil {
			return Prompt{}, err
		}
	}
	if len(c.system) > 0 {
		p.Messages = append(p.Messages, Message{System, p.Text[:c.systemEnd]})
	}
	p.Messages = append(p.Messages, in.History...)
	p.Messages = append(p.Messages, Message{User, p.Text[c.userStart:]})
	return p, nil
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
	before := slices.Index(parts, PartHistory)
	if before < 0 && parts[0] == PartRules {
		before = 1
	}
	for i, part := range parts {
		if part == PartHistory || part != PartDocuments && c.words(part) == "" {
			continue
		}
		if i < before {
			c.system = append(c.system, part)
		} else {
			c.user = append(c.user, part)
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

// size guesses how long around's texts are.
func (c *composer) size() int {
	size := 128
	for _, part := range c.system {
		size += len(c.words(part)) + len(between)
	}
	for _, m := range c.in.History {
		size += len(m.Text) + len("\nAssistant: ")
	}
	for _, part := range c.user {
		size += len(c.words(part)) + len(between)
	}
	return size
}

// between stands between two parts.
const between = "\n\n"

// around writes what stands before and after the documents; without them all stands
// before.
func (c *composer) around() (before, after string, documents bool) {
	var b strings.Builder
	b.Grow(c.size())
	for i, part := range c.system {
		if i > 0 {
			b.WriteString(between)
		}
		c.write(&b, part)
	}
	c.systemEnd = b.Len()
	c.history(&b)
	if b.Len() > 0 {
		b.WriteString(between)
	}
	c.userStart = b.Len()
	for i, part := range c.user {
		if i > 0 {
			b.WriteString(between)
		}
		if part == PartDocuments {
			before, documents = b.String(), true
			b.Reset()
			continue
		}
		c.write(&b, part)
	}
	if c.config.Cue != "" && c.in.Question != "" {
		b.WriteString("\n")
		b.WriteString(c.config.Cue)
	}
	if !documents {
		return b.String(), "", false
	}
	return before, b.String(), true
}

// speakers name who speaks where a history is written as text.
var speakers = map[Role]string{System: "System: ", User: "User: ", Assistant: "Assistant: ", Tool: "Tool: "}

func (c *composer) history(b *strings.Builder) {
	for i, m := range c.in.History {
		if i > 0 {
			b.WriteString("\n")
		} else if b.Len() > 0 {
			b.WriteString(between)
		}
		b.WriteString(speakers[m.Role])
		b.WriteString(m.Text)
	}
}

func (c *composer) write(b *strings.Builder, part Part) {
	if part == PartQuestion {
		b.WriteString(c.config.QuestionPrefix)
	}
	b.WriteString(c.words(part))
}
