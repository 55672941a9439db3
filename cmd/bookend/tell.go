package main

import (
	"fmt"
	"io"

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
