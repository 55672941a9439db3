package prompt

import "slices"

// composer writes one prompt: once to measure it, and once into the single
// allocation of its text.
type composer struct {
	*Renderer
	writer
	docs      []Document
	formatted []string // by FormatFunc, in place of the format
	in        Input

	system, user []Part // parts that have a text, before and after the history
	systemEnd    int    // where the system message ends in the text
	userStart    int    // where the user message starts
}

// compose renders the parts. docs are in the order of their slots.
func (r *Renderer) compose(parts []Part, docs []Document, in Input) (Prompt, error) {
	c := &composer{Renderer: r, docs: docs, in: in}
	c.split(parts)
	if r.config.FormatFunc != nil {
		c.formatted = make([]string, len(docs))
		for i, d := range docs {
			var err error
			if c.formatted[i], err = r.config.FormatFunc(d); err != nil {
				return Prompt{}, &FormatError{Label: d.Label, Err: err}
			}
		}
	}
	c.writeOut()
	if c.tagged { // then all is written again, with the tags escaped
		for i := range docs {
			escapeAll(&docs[i])
		}
		c.writer = writer{calm: true}
		c.writeOut()
	}
	p := Prompt{Text: c.text.String()}
	if len(c.system) > 0 {
		p.Messages = append(p.Messages, Message{System, p.Text[:c.systemEnd]})
	}
	p.Messages = append(p.Messages, in.History...)
	p.Messages = append(p.Messages, Message{User, p.Text[c.userStart:]})
	return p, nil
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

// writeOut writes the prompt in two passes.
func (c *composer) writeOut() {
	c.write()
	c.startWriting()
	c.write()
}

// between stands between two parts.
const between = "\n\n"

func (c *composer) write() {
	for i, part := range c.system {
		if i > 0 {
			c.str(between)
		}
		c.part(part)
	}
	c.systemEnd = c.size
	for i, m := range c.in.History {
		if i > 0 {
			c.str("\n")
		} else if c.size > 0 {
			c.str(between)
		}
		c.str(speakers[m.Role])
		c.str(m.Text)
	}
	if c.size > 0 {
		c.str(between)
	}
	c.userStart = c.size
	for i, part := range c.user {
		if i > 0 {
			c.str(between)
		}
		c.part(part)
	}
	if c.config.Cue != "" && c.in.Question != "" {
		c.str("\n")
		c.str(c.config.Cue)
	}
}

// speakers name who speaks where a history is written as text.
var speakers = map[Role]string{System: "System: ", User: "User: ", Assistant: "Assistant: ", Tool: "Tool: "}

func (c *composer) part(part Part) {
	switch part {
	case PartDocuments:
		c.documents()
	case PartQuestion:
		c.str(c.config.QuestionPrefix)
		c.str(c.in.Question)
	default:
		c.str(c.words(part))
	}
}

func (c *composer) documents() {
	if len(c.docs) == 0 {
		c.str(c.config.NoDocuments)
		return
	}
	before, separator, after := c.config.Format.around()
	c.str(before)
	for i := range c.docs {
		if i > 0 {
			c.str(separator)
		}
		if c.formatted != nil {
			c.str(c.formatted[i])
		} else {
			c.config.Format.write(&c.writer, &c.docs[i])
		}
	}
	c.str(after)
}
