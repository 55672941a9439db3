package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
)

// columns is how wide a line of prose is at most.
const columns = 80

// tell prints a text in lines of at most so many columns.
func tell(to io.Writer, text string) {
	for _, line := range show.Wrap(show.Line(text), columns) {
		fmt.Fprintln(to, line)
	}
}

// tellAll prints texts of several lines, each of which begins anew.
func tellAll(to io.Writer, texts ...string) {
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			tell(to, line)
		}
	}
}
