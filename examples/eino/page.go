package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
	"github.com/cloudwego/eino/schema"
)

// columnWidth is the width of each of the two columns, in characters.
const columnWidth = 56

// page prints the comparison. It keeps the first error.
type page struct {
	out io.Writer
	err error
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *page) heading(title, text string) {
	if text != "" {
		title += ": " + printable(text)
	}
	p.printf("\n%s\n%s\n", title, strings.Repeat("─", utf8.RuneCountInString(title)))
}

// slots prints a line for each slot: what stands there without Bookend, and with.
func (p *page) slots(ranked []*schema.Document, a core.Arrangement) {
	p.printf("%-6s%-*s%s\n", "slot", columnWidth, "plain", a.Placement)
	for slot, placed := range a.Slots {
		p.printf("%-6d%-*s%s\n", slot+1, columnWidth, line(slot, ranked[slot]), line(placed.Rank, ranked[placed.Index]))
	}
}

// line describes the document of a rank, in one column. The heading, which is
// the first line of its text, is left out.
func line(rank int, d *schema.Document) string {
	_, text, _ := strings.Cut(d.Content, "\n")
	columns := fmt.Sprintf("r%-3d%-29s%s", rank+1, d.ID, text)
	if runes := []rune(columns); len(runes) > columnWidth-3 {
		columns = string(runes[:columnWidth-4]) + "…"
	}
	return printable(columns)
}

// messages prints two lists of messages side by side, paragraph by paragraph:
// the template puts an empty line after each document.
func (p *page) messages(left, right []*schema.Message) {
	for i, m := range left {
		p.row("["+string(m.Role)+"]", "["+string(right[i].Role)+"]")
		l, r := strings.Split(m.Content, "\n\n"), strings.Split(right[i].Content, "\n\n")
		for j := range l {
			p.paragraph(wrap(l[j]), wrap(r[j]))
		}
	}
}

func (p *page) paragraph(left, right []string) {
	for i := range max(len(left), len(right)) {
		p.row(at(left, i), at(right, i))
	}
	p.row("", "")
}

func (p *page) row(left, right string) {
	p.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s│ %s", columnWidth+1, left, right), " "))
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrap breaks a paragraph into lines that fit a column.
func wrap(paragraph string) []string {
	var wrapped []string
	for _, text := range strings.Split(paragraph, "\n") {
		current := ""
		for _, word := range strings.Fields(printable(text)) {
			if current != "" && utf8.RuneCountInString(current+" "+word) > columnWidth {
				wrapped, current = append(wrapped, current), ""
			}
			current = strings.TrimSpace(current + " " + word)
		}
		wrapped = append(wrapped, current)
	}
	return wrapped
}

// printable takes control characters, and with them terminal escapes, out of a
// text that is shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || 0x7f <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}
