// Package linelog reads and locks append-only files of lines: journals and records.
// Such a file begins with a header that names its kind, every line is appended by a
// single write, and only its last line can be torn, by the death of the writer.
package linelog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the most bytes that a line may have, its end included.
const MaxLine = 16 << 20

var (
	// ErrLocked: another process, or another file of this one, is open to write it.
	ErrLocked = errors.New("the file is in use by another process")
	// ErrOther: the file does not begin with the header.
	ErrOther = errors.New("does not begin as it must")
	// ErrDamaged: a line other than the last is not what it must be.
	ErrDamaged = errors.New("the file is damaged")
	// ErrLimit: a line is longer than it may be.
	ErrLimit = errors.New("limit passed")
)

// LineError says in which line a file cannot be read, and why.
type LineError struct {
	Line int // from 1
	Err  error
}

// Error names the line and the cause.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// End says how many bytes of a file are whole lines, and how many follow: those of
// the last line, if it is torn or not what it must be.
type End struct {
	Whole, Torn int64
	Line        int // the number of that line, from 1; 0 for none
}

// Scan passes every whole line to take, the header among them, each with its end
// and valid during the call. take returns false for a line that is not what it must
// be; only the last may be that, and counts as torn. The error is a *LineError:
// ErrOther, ErrDamaged, ErrLimit, or that of from.
func Scan(from io.Reader, header string, take func(line []byte) bool) (End, error) {
	lines := NewReader(from)
	var end End
	bad := 0 // the number of a line that take refused
	for {
		line, whole, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return end, nil
		case bad > 0:
			return end, &LineError{bad, ErrDamaged}
		case err != nil:
			return end, &LineError{lines.Number, err}
		}
		if lines.Number == 1 && string(line) != header {
			if !whole && len(line) < len(header) && header[:len(line)] == string(line) {
				end.Torn, end.Line = int64(len(line)), 1
				continue
			}
			return end, &LineError{1, ErrOther}
		}
		if !whole || !take(line) {
			bad = lines.Number
			end.Torn, end.Line = int64(len(line)), bad
			continue
		}
		end.Whole += int64(len(line))
	}
}

// Reader reads lines with their ends, through one buffer.
type Reader struct {
	// Number is that of the line that was read last, from 1.
	Number int
	// Max is the most bytes that a line may have, its end included: MaxLine, unless
	// it is changed.
	Max int

	r      *bufio.Reader
	buffer []byte
}

// NewReader returns a Reader of from.
func NewReader(from io.Reader) *Reader {
	return &Reader{Max: MaxLine, r: bufio.NewReaderSize(from, 256<<10)}
}

// Next returns the next line, its end included, and whether it has one. It is
// valid until the next call. At the end it returns io.EOF, and ErrLimit for a line
// above Max.
func (r *Reader) Next() (line []byte, whole bool, err error) {
	r.buffer = r.buffer[:0]
	for first := true; ; first = false {
		piece, err := r.r.ReadSlice('\n')
		if first && len(piece) == 0 && err != nil {
			return nil, false, err
		}
		if first {
			r.Number++
		}
		if len(r.buffer)+len(piece) > r.Max {
			return nil, false, ErrLimit
		}
		switch {
		case err == nil && first:
			return piece, true, nil // the usual case, without a copy
		case err == nil || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF):
			r.buffer = append(r.buffer, piece...)
			if err == nil || errors.Is(err, io.EOF) {
				return r.buffer, err == nil, nil
			}
		default:
			return nil, false, err
		}
	}
}
