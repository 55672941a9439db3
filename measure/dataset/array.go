package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// startsAsArray looks at the first byte that is neither white space nor of a byte
// order mark.
func startsAsArray(r *bufio.Reader) bool {
	head, _ := r.Peek(4 << 10)
	head = bytes.TrimPrefix(head, bom)
	head = bytes.TrimLeft(head, " \t\r\n")
	return len(head) > 0 && head[0] == '['
}

// arrayReader turns a JSON array into lines, with no memory but a buffer: it puts a line's end in place of each
// comma between items, and a blank in place of each line's end. What an item holds is
// not looked at.
type arrayReader struct {
	from            *bufio.Reader
	depth           int
	inText, escaped bool
	begun, ended    bool
	failed          error
}

func (a *arrayReader) Read(p []byte) (n int, err error) {
	for n < len(p) && a.failed == nil {
		b, err := a.from.ReadByte()
		if err != nil {
			a.failed = err
			if errors.Is(err, io.EOF) && !a.ended {
				a.failed = &Error{Rule: "is a JSON array that is not closed", Err: ErrNotJSON}
			}
			break
		}
		if b, ok := a.next(b); ok {
			p[n] = b
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, a.failed
}

// next takes one byte, and returns what stands for it in the lines.
func (a *arrayReader) next(b byte) (byte, bool) {
	white := b == ' ' || b == '\t' || b == '\r' || b == '\n'
	switch {
	case !a.begun:
		a.begun = b == '['
		a.depth = 1
		return 0, false
	case a.ended:
		if !white {
			a.failed = &Error{Rule: "is one JSON array with something behind it: give one array, or one object a line", Err: ErrNotJSON}
		}
		return 0, false
	case a.inText:
		a.inText = b != '"' || a.escaped
		a.escaped = b == '\\' && !a.escaped
		if b == '\n' { // no JSON, which whoever reads the line will say
			return ' ', true
		}
		return b, true
	case white:
		return ' ', true
	}
	switch b {
	case '"':
		a.inText = true
	case '[', '{':
		a.depth++
	case ']', '}':
		a.depth--
	case ',':
		if a.depth == 1 {
			return '\n', true
		}
	}
	if a.depth == 0 {
		a.ended = true
		return '\n', true
	}
	return b, true
}
