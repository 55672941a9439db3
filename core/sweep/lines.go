package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits of one line that nobody needs to raise. They keep what a line takes in
// memory in proportion to its length.
const (
	maxDepth  = 64      // nested arrays and objects; a case needs 3
	maxValues = 1 << 17 // commas, arrays and objects; a passage of Liu et al. has 8
)

// lineReader reads a file line by line through one buffer, and knows where each
// line begins.
type lineReader struct {
	r      *bufio.Reader
	buffer []byte
	max    int
	next   int64 // offset of the next line
	number int   // of the line that was read last, from 1
}

var bom = []byte("\xEF\xBB\xBF")

func newLineReader(r io.Reader, maxLine int) *lineReader {
	l := &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: maxLine}
	if head, _ := l.r.Peek(len(bom)); bytes.Equal(head, bom) {
		n, _ := l.r.Discard(len(bom))
		l.next = int64(n)
	}
	return l
}

// read returns the next line without its end, and its offset. The line is valid
// until the next call. At the end of the file it returns io.EOF.
func (l *lineReader) read() (line []byte, offset int64, err error) {
	l.buffer = l.buffer[:0]
	offset = l.next
	for more := true; more; {
		piece, err := l.r.ReadSlice('\n')
		l.next += int64(len(piece))
		l.buffer = append(l.buffer, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			more = len(l.buffer) <= l.max+len("\r\n")
		case err == nil || errors.Is(err, io.EOF) && len(l.buffer) > 0: // the last line may lack its end
			more = false
		default:
			return nil, offset, err
		}
	}
	l.number++
	if line = trimEnd(l.buffer); len(line) > l.max {
		return nil, offset, &DatasetError{
			Line: l.number, Err: ErrLimit,
			Rule: fmt.Sprintf("is longer than %d bytes, the most that a line may have", l.max),
		}
	}
	return line, offset, nil
}

// trimEnd removes one "\n" or "\r\n".
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

func isBlank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// checkLine refuses a line that is not one JSON value in UTF-8, or that holds more
// than the limits allow.
func checkLine(line []byte) *DatasetError {
	if !utf8.Valid(line) {
		return &DatasetError{Rule: "is not UTF-8, which JSON lines must be", Err: ErrNotJSON}
	}
	if err := checkNesting(line); err != nil {
		return err
	}
	if !json.Valid(line) {
		var v struct{}
		err := json.Unmarshal(line, &v) // for its message
		return &DatasetError{
			Rule: fmt.Sprintf("is not JSON (%v); every line must be one JSON object", err), Err: ErrNotJSON,
		}
	}
	return nil
}

// checkNesting counts outside strings, before anything is decoded.
func checkNesting(line []byte) *DatasetError {
	depth, values := 0, 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			values++
		case '}', ']':
			depth--
		case ',':
			values++
		}
		if depth > maxDepth {
			return &DatasetError{Rule: fmt.Sprintf("nests deeper than %d", maxDepth), Err: ErrLimit}
		}
		if values > maxValues {
			return &DatasetError{Rule: fmt.Sprintf("holds more than %d values", maxValues), Err: ErrLimit}
		}
	}
	return nil
}
