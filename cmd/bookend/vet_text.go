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

// vetText writes findings for people.
func vetText(to io.Writer, findings []vet.Finding) {
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
		wrapped(to, "", f.Message)
		for _, line := range f.Picture {
			fmt.Fprintf(to, "      %s\n", show.Line(line))
		}
		if f.Fix != nil {
			fmt.Fprintf(to, "  fix:  %s\n", show.Line(show.Cut(strings.TrimSpace(f.Fix.Line), maxShownLine)))
		}
		if f.Advice != "" && (f.Fix == nil || !f.Fix.Known) {
			wrapped(to, "", f.Advice)
		}
		wrapped(to, "fine: ", f.Fine)
	}
}

const textWidth = 98

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
