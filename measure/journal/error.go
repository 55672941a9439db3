package journal

import (
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// What is wrong with a journal. An *Error wraps one of them, or the error of
// the file system; errors.Is finds it.
var (
	// ErrLocked: another process, or another Journal of this one, is writing it.
	ErrLocked = errors.New("the journal is in use by another process")
	// ErrNotJournal: the file is something else.
	ErrNotJournal = errors.New("not a journal")
	// ErrLimit: a line is longer than MaxLine.
	ErrLimit = linelog.ErrLimit
	// ErrDamaged: a line other than the last is no record.
	ErrDamaged = errors.New("the journal is damaged")
)

// Error says why a journal cannot be read or written.
type Error struct {
	Path string
	Line int // from 1; 0 when the fault is not in one line
	Rule string
	Err  error
}

// Error names the file, the line and the rule.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("bookend: journal %q, line %d: %s", e.Path, e.Line, e.Rule)
	}
	return fmt.Sprintf("bookend: journal %q: %s", e.Path, e.Rule)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
