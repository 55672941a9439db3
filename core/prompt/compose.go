package prompt

import (
	"context"
	"slices"
)

// documents are those of one prompt, in the order of their slots.
type documents interface {
	len() int
	textBytes() int // of their texts together
	write(ctx context.Context, c *composer) error
}

// composer writes one prompt.
type composer struct {
	*Renderer
	writer
	docs   documents
	labels labels
	in     Input

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
	c := &composer{Renderer: r, docs: docs, in: in, labels: newLabels(docs.len())}
	c.split(parts)
	c.grow()
	if err := c.write(ctx); err != nil {
		return Prompt{}, err
	}
	p := Prompt{Text: c.text.String(), Labels: c.labels.ranks}
	p.Arrangement.Notes = c.labels.notes()
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
	for i, m := range in.History {
		if !hasTag(m.Text) {
			continue
		}
		in.History = slices.Clone(in.History)
		for ; i < len(in.History); i++ {
			in.History[i].Text = Escape(in.History[i].Text)
		}
		break
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

// grow makes room for the whole.
func (c *composer) grow() {
	size := 512 // for prefixes and the like
	for _, part := range slices.Concat(c.system, c.user) {
		size += len(c.words(part))
	}
	for _, m := range c.in.History {
		size += len(m.Text) + len("\nAssistant: ")
	}
	c.text.Grow(size + c.docs.textBytes() + c.docs.len()*c.config.Format.frame())
}

// between stands between two parts.
const between = "\n\n"

func (c *composer) write(ctx context.Context) error {
	for i, part := range c.system {
		if i > 0 {
			c.str(between)
		}
		if err := c.part(ctx, part); err != nil {
			return err
		}
	}
	c.systemEnd = c.size()
	c.history(c.in.History)
	if c.size() > 0 {
		c.str(between)
	}
	c.userStart = c.size()
	for i, part := range c.user {
		if i > 0 {
			c.str(between)
		}
		if err := c.part(ctx, part); err != nil {
			return err
		}
	}
	if c.config.Cue != "" && c.in.Question != "" {
		c.str("\n")
		c.str(c.config.Cue)
	}
	return nil
}

// speakers name who speaks where a history is written as text.
var speakers = map[Role]string{System: "System: ", User: "User: ", Assistant: "Assistant: ", Tool: "Tool: "}

func (c *composer) history(messages []Message) {
	for i, m := range messages {
		if i > 0 {
			c.str("\n")
		} else if c.size() > 0 {
			c.str(between)
		}
		c.str(speakers[m.Role])
		c.str(m.Text)
	}
}

func (c *composer) part(ctx context.Context, part Part) error {
	switch part {
	case PartDocuments:
		return c.documents(ctx)
	case PartQuestion:
		c.str(c.config.QuestionPrefix)
		c.str(c.in.Question)
	default:
		c.str(c.words(part))
	}
	return nil
}

func (c *composer) documents(ctx context.Context) error {
	if c.docs.len() == 0 {
		c.str(c.config.NoDocuments)
		return nil
	}
	before, _, after := c.config.Format.around()
	c.str(before)
	if err := c.docs.write(ctx, c); err != nil {
		return err
	}
	c.str(after)
	return nil
}

// document writes one document.
func (c *composer) document(ctx context.Context, d *Document) error {
	if c.config.FormatFunc == nil {
		c.labels.cite(d)
		c.config.Format.write(&c.writer, d)
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := c.config.FormatFunc(*d)
	if err != nil {
		return &FormatError{Label: d.Label, Err: err}
	}
	c.str(text)
	if showsLabel(text, d) {
		c.labels.cite(d)
	} else {
		c.labels.hide(d)
	}
	return nil
}
