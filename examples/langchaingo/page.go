package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/tmc/langchaingo/schema"
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
		title += ": " + text
	}
	p.printf("\n%s\n%s\n", title, strings.Repeat("─", utf8.RuneCountInString(title)))
}

// slots prints a line for each slot: what stands there without Bookend, and with.
func (p *page) slots(ranked []schema.Document, a core.Arrangement) {
	p.printf("%-6s%-*s%s\n", "slot", columnWidth, "plain", a.Placement)
	for slot, placed := range a.Slots {
		p.printf("%-6d%-*s%s\n", slot+1, columnWidth, line(slot, ranked[slot]), line(placed.Rank, ranked[placed.Index]))
	}
}

// gold says where the answer of a handbook question stands.
func (p *page) gold(question string, ranked []schema.Document, a core.Arrangement) {
	questions, err := handbook.Questions()
	if err != nil {
		p.err = err
		return
	}
	for _, q := range questions {
		if q.Question != question {
			continue
		}
		for rank, d := range ranked {
			if strings.Contains(d.PageContent, q.Answers[0]) {
				if slot, placed := a.SlotOf(rank); placed {
					p.printf("\nThe handbook's answer, %q, is in r%d: slot %d of %d plain, slot %d with %s.\n",
						q.Answers[0], rank+1, rank+1, len(ranked), slot+1, a.Placement)
				}
				return
			}
		}
		p.printf("\nThe handbook's answer, %q, was not retrieved: no order of the documents helps.\n", q.Answers[0])
	}
}

// line describes the document of a rank, in one column.
func line(rank int, d schema.Document) string {
	text := fmt.Sprintf("r%-3d%-26v%s", rank+1, d.Metadata["source"], strings.Join(strings.Fields(d.PageContent), " "))
	return cut(printable(text), columnWidth-3)
}

// prompts prints both prompts side by side, slot beside slot.
func (p *page) prompts(plain, placed string, ranked []schema.Document, a core.Arrangement) {
	order := make([]schema.Document, len(a.Slots))
	for slot, s := range a.Slots {
		order[slot] = ranked[s.Index]
	}
	left, right := pieces(plain, ranked), pieces(placed, order)
	for i := range max(len(left), len(right)) {
		l, r := lines(left, i), lines(right, i)
		for j := range max(len(l), len(r)) {
			p.printf("%-*s│ %s\n", columnWidth+1, at(l, j), at(r, j))
		}
	}
}

// pieces cuts a prompt into what stands before, in and after its documents. A
// document that is not found stays part of the piece before it.
func pieces(prompt string, docs []schema.Document) []string {
	var cut []string
	for _, d := range docs {
		if before, after, found := strings.Cut(prompt, d.PageContent); found {
			cut = append(cut, before, d.PageContent)
			prompt = after
		}
	}
	return append(cut, prompt)
}

// lines wraps the i-th piece to the width of a column.
func lines(pieces []string, i int) []string {
	if i >= len(pieces) {
		return nil
	}
	var wrapped []string
	for _, paragraph := range strings.Split(strings.Trim(pieces[i], "\n"), "\n") {
		current := ""
		for _, word := range strings.Fields(printable(paragraph)) {
			if current != "" && utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > columnWidth {
				wrapped, current = append(wrapped, current), ""
			}
			if current != "" {
				current += " "
			}
			current += word
		}
		wrapped = append(wrapped, cut(current, columnWidth))
	}
	return wrapped
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// printable takes control characters, and with them terminal escapes, out of a
// text that is shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || 0x80 <= r && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}
