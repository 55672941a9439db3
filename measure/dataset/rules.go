package dataset

import (
	"os"

	"github.com/bookend-rag/bookend/measure/judge"
)

// What Rules takes for zero.
const (
	DefaultMaxLine     = 16 << 20 // bytes of a line
	DefaultMaxUnpacked = 4 << 30  // bytes of a gzipped file once unpacked
	DefaultMaxLines    = 1 << 20  // lines that are not blank
)

// Rules say which lines of a file become cases and how much a file may hold. The
// zero value is what Open uses.
type Rules struct {
	// MinDocuments leaves out the cases with fewer documents. 0 means 1.
	MinDocuments int
	// Scorer finds the answers in the gold document of a question; a score above 0
	// is a find. nil means BestSubspan. Give the scorer of the sweep when its
	// answers are no plain text, as with Regexp.
	Scorer judge.Scorer
	// Lists takes question-answer lines as what a retriever returned, best first: with
	// any number of gold documents, none included, and answers absent from them. Gold
	// are the documents that Labels name, else those that the line marks, else those
	// in which Scorer finds an answer (BestSubspan in place of TokenF1, which finds one
	// wherever a single word agrees). A line without answers gets those of Labels; a
	// key-value file is refused.
	Lists bool
	// OneGold leaves out the lists that do not have exactly one gold document. A sweep
	// of lists needs it.
	OneGold bool
	// Choose says by its Case.ID whether a case is wanted: one split of a file. The
	// others are left out as NotChosen. nil: all.
	Choose func(id string) bool
	// Labels are the answers of questions whose lines have none. They need Lists.
	Labels Labels
	// MaxLine, MaxUnpacked and MaxLines refuse a larger file. 0 means the Default.
	MaxLine     int
	MaxUnpacked int64
	MaxLines    int
}

// Open reads a file once from start to end and returns its cases. The first line
// decides which form it has, its first bytes whether it is gzipped, and names of
// files decide nothing. A gzipped file is unpacked to a temporary file that only
// the user can read, and that is gone after Close. Call Close when done.
//
// No line is lost in silence. Lines that are well-formed but cannot be used are
// left out, and Report says which and why; see Reason. Blank lines are counted and
// mean nothing; a byte order mark, "\r\n" and a last line without its end are
// accepted. Everything else refuses the whole file with a *DatasetError that gives
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
	e := asDatasetError(err, "cannot be read")
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
	packed, err := d.isPacked()
	if err != nil {
		return d, err
	}
	if packed {
		if err := d.unpack(); err != nil {
			return d, asDatasetError(err, "cannot be unpacked")
		}
	}
	return d, d.index()
}

func (r Rules) withDefaults() (Rules, error) {
	if r.MinDocuments < 0 || r.MaxLine < 0 || r.MaxUnpacked < 0 || r.MaxLines < 0 || r.MaxLine > 1<<30 || r.MaxLines > 1<<30 || r.MaxUnpacked > 1<<60 {
		return r, &Error{Rule: "Rules must hold numbers of 0 or more, MaxLine and MaxLines of at most 2^30, MaxUnpacked of at most 2^60", Err: ErrLimit}
	}
	r.MinDocuments = max(r.MinDocuments, 1)
	if r.Scorer == nil {
		r.Scorer = judge.BestSubspan
	}
	if r.MaxLine == 0 {
		r.MaxLine = DefaultMaxLine
	}
	if r.MaxUnpacked == 0 {
		r.MaxUnpacked = DefaultMaxUnpacked
	}
	if r.MaxLines == 0 {
		r.MaxLines = DefaultMaxLines
	}
	return r, nil
}
