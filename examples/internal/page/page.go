// Package page prints what the examples show, in lines of 80 columns: headings, the
// order of documents, and two prompts side by side. What it shows may come from anywhere, so no
// control character, and with it no terminal escape, reaches the output.
package page

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
)

// Page is the output of one program. It keeps the first error of writing.
type Page struct {
	out   io.Writer
	width int // of each of the two columns, in characters
	err   error
}

// New returns a Page of two columns of the given width.
func New(out io.Writer, width int) *Page { return &Page{out: out, width: width} }

// Err returns the first error of writing.
func (p *Page) Err() error { return p.err }

// Printf prints as fmt.Printf does. Its arguments are not made printable.
func (p *Page) Printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

// Heading prints an underlined title, with a text behind it unless that is empty.
func (p *Page) Heading(title, text string) {
	if text != "" {
		title = Cut(title+": "+Printable(text), Width)
	}
	p.Printf("\n%s\n%s\n", title, strings.Repeat("─", utf8.RuneCountInString(title)))
}

// Width is that of a terminal that nobody made wider, in characters.
const Width = 80

// Lines prints a text, broken into lines.
func (p *Page) Lines(text string) {
	for _, line := range Wrap(text, Width) {
		p.Printf("%s\n", line)
	}
}

// Field is a text with a name.
type Field struct{ Name, Text string }

// Fields prints texts behind their names, all with the same indent.
func (p *Page) Fields(fields ...Field) {
	indent := 0
	for _, f := range fields {
		indent = max(indent, utf8.RuneCountInString(f.Name)+2)
	}
	for _, f := range fields {
		for _, line := range Wrap(f.Text, Width-indent) {
			p.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s%s", indent, f.Name, line), " "))
			f.Name = ""
		}
	}
}

// Same returns one field in place of several with the same text.
func Same(fields []Field) []Field {
	if len(fields) < 2 || slices.ContainsFunc(fields, func(f Field) bool { return f.Text != fields[0].Text }) {
		return slices.Clone(fields)
	}
	if len(fields) == 2 {
		return []Field{{Name: "both answers", Text: fields[0].Text}}
	}
	return []Field{{Name: fmt.Sprintf("all %d answers", len(fields)), Text: fields[0].Text}}
}

// slotsInARow is how many slots one row shows.
const slotsInARow = 12

// Orders prints which rank stands in which slot: of n documents as they were ranked,
// and as a has placed them. A star marks one rank; -1 marks none.
func (p *Page) Orders(n int, a core.Arrangement, marked int) {
	ranked := make([]int, n)
	for rank := range ranked {
		ranked[rank] = rank
	}
	placed := make([]int, len(a.Slots))
	for slot, d := range a.Slots {
		placed[slot] = d.Rank
	}
	for first := 0; first < max(n, len(placed)); first += slotsInARow {
		cells := func(name string, text func(slot int) string) {
			line := fmt.Sprintf("%-14s", name)
			for slot := first; slot < min(first+slotsInARow, max(n, len(placed))); slot++ {
				line += fmt.Sprintf(" %4s", text(slot))
			}
			p.Printf("%s\n", strings.TrimRight(line, " "))
		}
		rank := func(ranks []int) func(int) string {
			return func(slot int) string {
				switch {
				case slot >= len(ranks):
					return ""
				case ranks[slot] == marked:
					return fmt.Sprintf("*r%d", marked+1)
				}
				return fmt.Sprintf("r%d", ranks[slot]+1)
			}
		}
		p.Printf("\n")
		cells("slot", func(slot int) string { return fmt.Sprint(slot + 1) })
		cells("plain", rank(ranked))
		cells(a.Placement, rank(placed))
	}
}

// Beside prints two columns of lines.
func (p *Page) Beside(left, right []string) {
	at := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return ""
	}
	for i := range max(len(left), len(right)) {
		row := fmt.Sprintf("%-*s│ %s", p.width+1, at(left, i), at(right, i))
		p.Printf("%s\n", strings.TrimRight(row, " "))
	}
}

// Message is one message of a chat.
type Message struct{ Role, Text string }

// Messages prints messages one below the other, each under its role.
func (p *Page) Messages(messages []Message) {
	for _, line := range Wrap(text(messages), 2*p.width) {
		p.Printf("%s\n", line)
	}
}

// Prompt is what was sent to a model, and the documents in it from top to bottom.
type Prompt struct {
	Messages  []Message
	Documents []string
}

// Prompts prints two prompts side by side, document beside document.
func (p *Page) Prompts(left, right Prompt) {
	l, r := left.pieces(), right.pieces()
	for i := range max(len(l), len(r)) {
		var columns [2][]string
		for j, pieces := range [][]string{l, r} {
			if i < len(pieces) {
				columns[j] = Wrap(pieces[i], p.width)
			}
		}
		p.Beside(columns[0], columns[1])
		if i < max(len(l), len(r))-1 {
			p.Beside([]string{""}, nil)
		}
	}
}

// pieces cuts a prompt into its documents, what stands before them, and what
// after. A label belongs to its document. A document that is not found stays part
// of a neighbour.
func (p Prompt) pieces() []string {
	rest := text(p.Messages)
	var pieces []string
	add := func(piece string) {
		if piece = strings.TrimSpace(piece); piece != "" {
			pieces = append(pieces, piece)
		}
	}
	for _, d := range p.Documents {
		at := strings.Index(rest, d)
		if at < 0 {
			continue
		}
		start := strings.LastIndex(rest[:at], "\n") + 1
		add(rest[:start])
		add(rest[start : at+len(d)])
		rest = rest[at+len(d):]
	}
	add(rest)
	return pieces
}

// text writes messages as one text, each under its role.
func text(messages []Message) string {
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = "[" + m.Role + "]\n" + m.Text
	}
	return strings.Join(texts, "\n\n")
}

// Wrap breaks a text into lines of at most width characters.
func Wrap(text string, width int) []string {
	var wrapped []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.Fields(Printable(paragraph)) {
			if line != "" && utf8.RuneCountInString(line+" "+word) > width {
				wrapped, line = append(wrapped, Cut(line, width)), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		wrapped = append(wrapped, Cut(line, width))
	}
	return wrapped
}

// Cut shortens a text to width characters.
func Cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// Printable turns each control character into a space.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
