// Package terminal holds what the tests of the examples look for in an output: that
// people read it on a terminal.
package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/examples/internal/page"
)

// Fits fails for each line that is wider than a terminal that nobody made wider.
func Fits(t testing.TB, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > page.Width {
			t.Errorf("wider than %d columns: %s", page.Width, line)
		}
	}
}

// First returns the first ten lines, which hold the point.
func First(out string) string {
	lines := strings.SplitAfter(out, "\n")
	return strings.Join(lines[:min(len(lines), 10)], "")
}
