package dataset

import (
	"io"
	"os"
)

// Open reads a file once from start to end and returns its cases. The first line
// decides which form it has, its first bytes whether it is gzipped, and names of
// files decide nothing. A gzipped file is copied, as it is read, to a temporary file
// that only the user can read, and that is gone after Close, and so is one JSON array
// in place of lines, whose items count as lines. Call Close when done.
//
// No line is lost in silence. Lines that are well-formed but cannot be used are
// left out, and Report says which and why; see Reason. Blank lines are counted and
// mean nothing; a byte order mark, "\r\n" and a last line without its end are
// accepted. Everything else refuses the whole file with an *Error that gives
// the line: a line that is not JSON in UTF-8 (ErrNotJSON), a first line with the
// keys of neither form (ErrOtherFormat), a limit that is passed (ErrLimit), and a
// file without one usable case (ErrNoCase). Beside the limits in r, a line may nest
// 64 deep and hold 131,072 values.
//
// It costs one decoding of each line, about 10 s for 1 GB. Memory is about ten
// times the longest line and 24 bytes a case, however large the file is.
func (r Rules) Open(path string) (*Dataset, error) {
	d, err := r.open(path)
	if err == nil {
		return d, nil
	}
	if d != nil {
		d.Close() // the first error counts
	}
	e := asError(err, "cannot be read")
	e.Path = path
	return nil, e
}

// open returns what it opened even with an error, for Open to close.
func (r Rules) open(path string) (*Dataset, error) {
	r, err := r.withDefaults()
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &Error{Rule: "is not a regular file", Err: ErrOtherFormat}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	d := &Dataset{file: file, rules: r, report: Report{Path: path}}
	lines, same, err := plainLines(file, r.MaxUnpacked)
	if err != nil {
		return d, err
	}
	if same {
		return d, d.index(lines)
	}
	defer file.Close()
	if d.file, d.remove, err = temporary(); err != nil {
		return nil, err
	}
	return d, d.index(io.TeeReader(lines, d.file))
}

// Open reads a file of question-answer lines or of key-value lines, plain or
// gzipped, in the forms of Liu et al.; LineFormat shows the first. It is
// Rules{}.Open.
func Open(path string) (*Dataset, error) { return Rules{}.Open(path) }
