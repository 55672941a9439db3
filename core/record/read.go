package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/linelog"
)

// MaxLine is the most bytes that a line of a record file may have.
const MaxLine = linelog.MaxLine

// What is wrong with a record file. An *Error wraps one of them, or the error of
// the file system; errors.Is finds it.
var (
	// ErrLocked: another process, or another Recorder of this one, is writing it.
	ErrLocked = linelog.ErrLocked
	// ErrNotRecord: the file is something else.
	ErrNotRecord = errors.New("not a record file")
	// ErrDamaged: a line other than the last is no Entry.
	ErrDamaged = errors.New("the record file is damaged")
	// ErrLimit: a line is longer than MaxLine.
	ErrLimit = linelog.ErrLimit
	// ErrExposed: others than its owner may read the file, and that cannot be changed.
	ErrExposed = linelog.ErrExposed
	// ErrNotOpen: the Recorder was not made by Open.
	ErrNotOpen = errors.New("the recorder is not open")
)

// Error says why a record file cannot be read or written.
type Error struct {
	Path string
	Line int // from 1; 0 when the fault is not in one line
	Rule string
	Err  error
}

// Error names the file, the line and the rule.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("bookend: record file %q, line %d: %s", e.Path, e.Line, e.Rule)
	}
	return fmt.Sprintf("bookend: record file %q: %s", e.Path, e.Rule)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Reading says what Read found.
type Reading struct {
	Entries int
	// Torn is the number of bytes of the last line, where that is torn or no Entry and
	// was left out, and TornLine its number, from 1; both 0 for none. The next Open
	// cuts it off.
	Torn     int64
	TornLine int
}

// Read passes every entry of a record file to each, in the order in which they
// were written, and holds one at a time; an error of each ends it and is returned.
// It takes no lock and changes nothing, so that it may run beside a writer, whose
// last line may then look torn. Entries are checked: their arrangement fits their
// documents, and cited ranks exist. The error is an *Error: ErrNotRecord,
// ErrDamaged, ErrLimit, or that of the file system; without each it is a
// *core.ConfigError. It costs the decoding.
func Read(path string, each func(Entry) error) (Reading, error) {
	if each == nil {
		return Reading{}, &core.ConfigError{Field: "each", Value: "nil", Rule: "pass what takes the entries"}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return Reading{}, &Error{Path: path, Rule: "is not a regular file", Err: ErrNotRecord}
	}
	file, err := os.Open(path)
	if err != nil {
		return Reading{}, &Error{Path: path, Rule: fmt.Sprintf("cannot be opened: %v", err), Err: err}
	}
	defer file.Close()
	return read(file, path, each)
}

func read(from io.Reader, path string, each func(Entry) error) (Reading, error) {
	var found Reading
	var stopped error
	wrong := "" // with the last entry that was refused
	first := true
	end, err := linelog.Scan(from, Header, func(line []byte) bool {
		if first {
			first = false
			return true
		}
		var e Entry
		if e, wrong = decode(line); wrong != "" {
			return false
		}
		found.Entries++
		stopped = each(e)
		return stopped == nil // false ends the scan with the next line
	})
	if stopped != nil {
		return found, stopped
	}
	found.Torn, found.TornLine = end.Torn, end.Line
	return found, readError(path, wrong, err)
}

// decode reads a line, and says what is wrong with it, or "".
func decode(line []byte) (e Entry, wrong string) {
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, "is not an entry: " + err.Error()
	}
	return e, e.check()
}

func readError(path, wrong string, err error) error {
	fault := (*linelog.LineError)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	e := &Error{Path: path, Line: fault.Line, Err: fault.Err}
	switch {
	case errors.Is(err, linelog.ErrOther):
		e.Line, e.Err = 0, ErrNotRecord
		e.Rule = "its first line is not " + Header[:len(Header)-1] + ", with which every record file begins"
	case errors.Is(err, linelog.ErrDamaged):
		e.Err = ErrDamaged
		e.Rule = wrong + ", although others follow: mend it or take it out by hand"
	case errors.Is(err, linelog.ErrLimit):
		e.Rule = fmt.Sprintf("is longer than %d bytes, the most that a line may have", MaxLine)
	default:
		e.Rule = fmt.Sprintf("cannot be read: %v", fault.Err)
	}
	return e
}
