package dataset

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// What refuses a dataset as a whole. An *Error wraps one of them, or the
// error of the file system or of gzip; errors.Is finds it.
var (
	// ErrNotJSON: a line is not one JSON value in UTF-8.
	ErrNotJSON = errors.New("not a line of JSON")
	// ErrOtherFormat: the first line has the keys of neither form.
	ErrOtherFormat = errors.New("not a dataset of a known form")
	// ErrLimit: a limit of Rules, or a fixed one, was passed.
	ErrLimit = linelog.ErrLimit
	// ErrNoCase: no line is a usable case.
	ErrNoCase = errors.New("no usable case")
	// ErrChanged: the file is not what it was when it was opened.
	ErrChanged = errors.New("the file has changed")
	// ErrNoSuchCase: Case was asked for an index outside 0 … Len()-1.
	ErrNoSuchCase = errors.New("no such case")
)

// Error says why a dataset, or one case of it, cannot be used.
type Error struct {
	Path string // the file; empty for generated cases
	Line int    // from 1; 0 when the fault is not in one line
	Rule string // what is wrong, and what would be accepted
	Err  error  // one of the Err values of this package, or the cause
}

// Error names the file, the line and the rule.
func (e *Error) Error() string {
	where := "dataset"
	if e.Path != "" {
		where = fmt.Sprintf("dataset %q", e.Path)
	}
	if e.Line > 0 {
		where += fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("bookend: %s: %s", where, e.Rule)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// asError leaves an error that states its rule as it is.
func asError(err error, rule string) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	why := err
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		why = e.Err // the path stands in Error
	}
	return &Error{Rule: fmt.Sprintf("%s: %v", rule, why), Err: err}
}
