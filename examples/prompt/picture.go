package main

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/page"
)

// Widths in characters.
const (
	columnWidth = 38 // of each of the two columns
	margin      = 10 // for the name of a part
	lineWidth   = page.Width
)

// picture writes a prompt with the name of each part in the margin, and the number
// of each slot.
func picture(p prompt.Prompt) []string {
	var lines []string
	names := parts(p)
	for i, text := range strings.Split(p.Text, "\n\n") {
		name := names[i]
		for _, line := range page.Wrap(text, columnWidth-margin) {
			lines = append(lines, fmt.Sprintf("%-*s%s", margin, name, line))
			name = ""
		}
	}
	return lines
}

// parts names the paragraphs of a prompt. No text of this program holds an empty
// line.
func parts(p prompt.Prompt) []string {
	var names []string
	layout, err := p.Layout.Parts()
	if err != nil {
		panic(err) // the layout was used
	}
	for _, part := range layout {
		switch part {
		case prompt.PartRules, prompt.PartQuestion, prompt.PartReminder:
			names = append(names, string(part))
		case prompt.PartDocuments:
			for slot := range p.Arrangement.Slots {
				names = append(names, fmt.Sprintf("slot %d", slot+1))
			}
			if len(p.Arrangement.Slots) == 0 {
				names = append(names, string(part)) // the words that there are none
			}
		}
	}
	return names
}

func placed(p prompt.Prompt) []int {
	var list []int
	for _, d := range p.Arrangement.Slots {
		list = append(list, d.Index+1)
	}
	return list
}

func dropped(p prompt.Prompt) []int {
	var list []int
	for _, d := range p.Arrangement.Dropped {
		list = append(list, d.Index+1)
	}
	return list
}

// numbers writes numbers with spaces between them.
func numbers(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }
