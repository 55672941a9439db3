package vet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/show"
)

// maxLine is how much of a line is shown.
const maxLine = 160

// Text writes findings for people.
func Text(to io.Writer, findings []Finding) {
	for i, f := range findings {
		if i > 0 {
			fmt.Fprintln(to)
		}
		fmt.Fprintf(to, "%s: %s %s: %s\n", show.Line(doctree.Place(f.File, f.Line, f.Column)), f.Level, f.Rule, f.Title)
		if line := strings.ReplaceAll(f.source, "\t", " "); line != "" && utf8.RuneCountInString(line) <= maxLine {
			number := fmt.Sprint(f.Line)
			fmt.Fprintf(to, "  %s | %s\n", number, show.Line(line))
			if f.Length > 0 {
				fmt.Fprintf(to, "  %*s | %s%s\n", len(number), "", strings.Repeat(" ", f.Column-1), strings.Repeat("^", min(f.Length, maxLine)))
			}
		}
		paragraph(to, "", f.Message)
		for _, line := range f.Picture {
			fmt.Fprintf(to, "      %s\n", show.Line(line))
		}
		if f.Fix != nil {
			fmt.Fprintf(to, "  fix:  %s\n", show.Line(show.Cut(strings.TrimSpace(f.Fix.Line), maxLine)))
		}
		if f.Advice != "" && (f.Fix == nil || !f.Fix.Known) {
			paragraph(to, "", f.Advice)
		}
		paragraph(to, "fine: ", f.Fine)
	}
}

const textWidth = 98

// paragraph writes a text in lines of a readable width.
func paragraph(to io.Writer, name, text string) {
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
