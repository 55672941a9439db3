package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// What Rules takes for zero.
const (
	DefaultMaxLine     = 16 << 20 // bytes of a line
	DefaultMaxUnpacked = 4 << 30  // bytes of a gzipped file once unpacked
	DefaultMaxLines    = 1 << 20  // lines that are not blank
)

// Limits of one line that nobody needs to raise. They keep what a line takes in
// memory in proportion to its length.
const (
	maxDepth  = 64      // nested arrays and objects; a case needs 3
	maxValues = 1 << 17 // commas, arrays and objects; a passage of Liu et al. has 8
)

// lineReader reads a file line by line, and knows where each line begins.
type lineReader struct {
	*linelog.Reader
	max  int
	next int64 // offset of the next line
}

var bom = []byte("\xEF\xBB\xBF")

func newLineReader(r io.Reader, maxLine int) *lineReader {
	l := &lineReader{Reader: linelog.NewReader(r), max: maxLine}
	l.Max = len(bom) + maxLine + len("\r\n")
	return l
}

// read returns the next line without its end, and its offset. The line is valid
// until the next call. At the end of the file it returns io.EOF.
func (l *lineReader) read() (line []byte, offset int64, err error) {
	whole, _, err := l.Next()
	if errors.Is(err, linelog.ErrLimit) {
		return nil, l.next, l.tooLong()
	}
	if err != nil {
		return nil, l.next, err
	}
	offset = l.next
	l.next += int64(len(whole))
	if rest, ok := bytes.CutPrefix(whole, bom); ok && l.Number == 1 {
		whole, offset = rest, offset+int64(len(bom))
	}
	if line = trimEnd(whole); len(line) > l.max {
		return nil, offset, l.tooLong()
	}
	return line, offset, nil
}

func (l *lineReader) tooLong() error {
	return &Error{
		Line: l.Number, Err: ErrLimit,
		Rule: fmt.Sprintf("is longer than %d bytes, the most that a line may have", l.max),
	}
}

// trimEnd removes one "\n" or "\r\n".
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// checkLine refuses a line that is not one JSON value in UTF-8, or that holds more
// than the limits allow.
func checkLine(line []byte) *Error {
	if !utf8.Valid(line) {
		return &Error{Rule: "is not UTF-8, which JSON lines must be", Err: ErrNotJSON}
	}
	if err := checkNesting(line); err != nil {
		return err
	}
	if !json.Valid(line) {
		var v struct{}
		err := json.Unmarshal(line, &v) // for its message
		return &Error{
			Rule: fmt.Sprintf("is not JSON (%v); every line must be one JSON object, or the file one array of them", err), Err: ErrNotJSON,
		}
	}
	return nil
}

// checkNesting counts outside strings, before anything is decoded.
func checkNesting(line []byte) *Error {
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
			return &Error{Rule: fmt.Sprintf("nests deeper than %d", maxDepth), Err: ErrLimit}
		}
		if values > maxValues {
			return &Error{Rule: fmt.Sprintf("holds more than %d values", maxValues), Err: ErrLimit}
		}
	}
	return nil
}
