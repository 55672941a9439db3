package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// maxShownLine is how much of a line is shown.
const maxShownLine = 160

// vetText writes findings for people. What one finding has said of its rule, the next
// does not say again.
func vetText(to io.Writer, findings []vet.Finding) {
	said := map[string]bool{}
	once := func(name, text string) (before bool) {
		if before = said[text]; !before {
			said[text] = true
			wrapped(to, name, text)
		}
		return before
	}
	for i, f := range findings {
		if i > 0 {
			fmt.Fprintln(to)
		}
		fmt.Fprintf(to, "%s: %s %s: %s\n", show.Line(doctree.Place(f.File, f.Line, f.Column)), f.Level, f.Rule, f.Title)
		if line := strings.ReplaceAll(f.Source, "\t", " "); line != "" && utf8.RuneCountInString(line) <= maxShownLine {
			number := fmt.Sprint(f.Line)
			fmt.Fprintf(to, "  %s | %s\n", number, show.Line(line))
			if f.Length > 0 {
				fmt.Fprintf(to, "  %*s | %s%s\n", len(number), "", strings.Repeat(" ", f.Column-1), strings.Repeat("^", min(f.Length, maxShownLine)))
			}
		}
		if once("", f.Message) {
			wrapped(to, "", "As above.")
		}
		for _, line := range f.Picture {
			fmt.Fprintf(to, "      %s\n", show.Line(line))
		}
		if f.Fix != nil {
			fmt.Fprintf(to, "  fix:  %s\n", show.Line(show.Cut(strings.TrimSpace(f.Fix.Line), maxShownLine)))
		}
		if f.Advice != "" && (f.Fix == nil || !f.Fix.Known) {
			once("", f.Advice)
		}
		once("fine: ", f.Fine)
	}
}

const textWidth = 80 - 2 // the lines are indented

// narrow breaks the paragraphs of a page of a rule at the width of a terminal; pictures,
// lists and examples stay as they are.
func narrow(text string) string {
	var b strings.Builder
	for _, block := range strings.SplitAfter(text, "\n\n") {
		if block == "" || strings.ContainsRune(" #-", rune(block[0])) || strings.Contains(block, "```") {
			b.WriteString(block)
			continue
		}
		var paragraph strings.Builder
		wrapped(&paragraph, "", block)
		for line := range strings.Lines(paragraph.String()) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		b.WriteString(strings.TrimPrefix(block[len(strings.TrimRight(block, "\n")):], "\n"))
	}
	return b.String()
}

// wrapped writes a text in lines of a readable width.
func wrapped(to io.Writer, name, text string) {
	line := name
	flush := func() {
		fmt.Fprintf(to, "  %s\n", show.Line(strings.TrimRight(line, " ")))
		line = strings.Repeat(" ", len(name))
	}
	for _, word := range strings.Fields(text) {
		if line != name && utf8.RuneCountInString(line)+utf8.RuneCountInString(word) > textWidth {
			flush()
		}
		line += word + " "
	}
	flush()
}
