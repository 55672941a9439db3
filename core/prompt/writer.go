package prompt

import (
	"strconv"
	"strings"
)

// writer writes a text in one pass. It is grown to the size of the whole before, by a
// guess that is seldom too low, so that the text costs one allocation.
type writer struct{ text strings.Builder }

func (w *writer) str(s string) { w.text.WriteString(s) }

func (w *writer) number(n int) {
	var digits [20]byte
	w.text.Write(strconv.AppendInt(digits[:0], int64(n), 10))
}

func (w *writer) size() int { return w.text.Len() }
