package sweep

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
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
	Scorer Scorer
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

// Dataset is a list of cases, in the order of its file. It holds offsets, not
// texts: about 24 bytes a case. All methods but Close are safe for concurrent use.
type Dataset struct {
	report Report

	// A dataset from a file.
	file    *os.File
	remove  string // the temporary file to remove on Close; empty for none
	entries []entry
	parse   func([]byte, Rules) (Case, bool, Reason)
	rules   Rules

	generate func(i int) Case // a generated dataset
}

// entry says where a case stands in the file.
type entry struct {
	offset int64
	length int32
	line   int32
	sum    uint32
}

// Open reads a file of question-answer lines or of key-value lines, plain or
// gzipped, in the forms of Liu et al.; LineFormat shows the first. It is
// Rules{}.Open.
func Open(path string) (*Dataset, error) { return Rules{}.Open(path) }

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

// asDatasetError leaves an error that states its rule as it is.
func asDatasetError(err error, rule string) *DatasetError {
	if e := (*DatasetError)(nil); errors.As(err, &e) {
		return e
	}
	return &DatasetError{Rule: fmt.Sprintf("%s: %v", rule, err), Err: err}
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
		return nil, &DatasetError{Rule: "is not a regular file", Err: ErrOtherFormat}
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
		return r, &DatasetError{Rule: "Rules must hold numbers of 0 or more, MaxLine and MaxLines of at most 2^30, MaxUnpacked of at most 2^60", Err: ErrLimit}
	}
	r.MinDocuments = max(r.MinDocuments, 1)
	if r.Scorer == nil {
		r.Scorer = BestSubspan
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

var gzipMagic = []byte{0x1f, 0x8b}

// isPacked tells by the first bytes whether the file is gzipped.
func (d *Dataset) isPacked() (bool, error) {
	head := make([]byte, len(gzipMagic))
	if _, err := d.file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Equal(head, gzipMagic), nil
}

// unpack replaces the file by its unpacked copy.
func (d *Dataset) unpack() error {
	packed := d.file
	defer packed.Close()
	unpacked, err := os.CreateTemp("", "bookend-dataset-*.jsonl")
	if err != nil {
		return err
	}
	d.file, d.remove = unpacked, unpacked.Name()
	// Where the system allows it, the name goes at once, so that a killed process
	// leaves nothing behind.
	if os.Remove(d.remove) == nil {
		d.remove = ""
	}
	reader, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	n, err := io.Copy(unpacked, io.LimitReader(reader, d.rules.MaxUnpacked+1))
	if err != nil {
		return err
	}
	if n > d.rules.MaxUnpacked {
		return &DatasetError{
			Rule: fmt.Sprintf("unpacks to more than %d bytes, the most that is allowed", d.rules.MaxUnpacked), Err: ErrLimit,
		}
	}
	_, err = unpacked.Seek(0, io.SeekStart)
	return err
}

// index reads every line, keeps the offsets of the usable ones, and reports the
// others.
func (d *Dataset) index() error {
	seen := map[[8]byte]struct{}{}
	for lines := newLineReader(d.file, d.rules.MaxLine); ; {
		line, offset, err := lines.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			d.report.Blank++
			continue
		}
		if d.report.Lines++; d.report.Lines > d.rules.MaxLines {
			return &DatasetError{
				Line: lines.Number, Err: ErrLimit,
				Rule: fmt.Sprintf("is one line too many; %d are allowed", d.rules.MaxLines),
			}
		}
		if err := checkLine(line); err != nil {
			err.Line = lines.Number
			return err
		}
		if d.rules.Lists && isHeader(line) {
			d.report.Lines--
			d.report.Blank++
			continue
		}
		if d.parse == nil {
			if err := d.recognize(line); err != nil {
				err.Line = lines.Number
				return err
			}
		}
		c, elsewhere, reason := d.parse(line, d.rules)
		if reason == "" {
			id := idBytes(c.ID)
			if _, twice := seen[id]; twice {
				reason = DuplicateQuestion
			}
			seen[id] = struct{}{}
		}
		if reason == "" && d.rules.Choose != nil && !d.rules.Choose(c.ID) {
			reason = NotChosen
		}
		if reason != "" {
			d.report.leaveOut(reason, lines.Number)
			continue
		}
		c.Line = lines.Number
		d.report.keep(c, elsewhere)
		d.entries = append(d.entries, entry{
			offset: offset, length: int32(len(line)), line: int32(lines.Number), sum: crc32.ChecksumIEEE(line),
		})
	}
	d.report.sort()
	switch {
	case d.report.Lines == 0:
		return &DatasetError{Rule: "is empty", Err: ErrNoCase}
	case d.report.Kept == 0:
		return &DatasetError{Rule: "has no usable case: " + d.report.String(), Err: ErrNoCase}
	}
	return nil
}

// recognize looks at the keys of the first line.
func (d *Dataset) recognize(line []byte) *DatasetError {
	var keys map[string]json.RawMessage
	err := json.Unmarshal(line, &keys)
	has := func(key string) bool { _, ok := keys[key]; return ok }
	switch {
	case err == nil && has("ordered_kv_records") && d.rules.Lists:
		return &DatasetError{Rule: "is a key-value line, which no retriever returned: give question-answer lines", Err: ErrOtherFormat}
	case err == nil && has("ordered_kv_records"):
		d.parse, d.report.Task = parseKV, KeyValue
	case err == nil && (has("question") || d.rules.Lists) && has("ctxs"):
		d.parse, d.report.Task, d.report.Lists = parseQA, QuestionAnswer, d.rules.Lists
		d.report.Labels = d.rules.Labels.sum()
	default:
		return &DatasetError{
			Rule: "is neither a question-answer line, such as " + LineFormat +
				", nor a key-value line with ordered_kv_records, key and value",
			Err: ErrOtherFormat,
		}
	}
	return nil
}

// isHeader says that a line opens a file that core/record wrote.
func isHeader(line []byte) bool {
	var keys map[string]json.RawMessage
	return bytes.HasPrefix(line, []byte(`{"record":`)) && json.Unmarshal(line, &keys) == nil && len(keys) == 1
}

func idBytes(id string) (b [8]byte) {
	raw, _ := hex.DecodeString(id) // made by hashID
	copy(b[:], raw)
	return b
}

// Len returns the number of cases, 1 or more.
func (d *Dataset) Len() int { return d.report.Kept }

// Task returns the form of the cases.
func (d *Dataset) Task() Task { return d.report.Task }

// Report says what became of every line of the file. The caller may change it.
func (d *Dataset) Report() Report { return d.report.clone() }

// Case reads case i, from 0, in the order of the file. The case is the caller's.
// It costs one read and one decoding of its line.
//
// The error is a *DatasetError: ErrNoSuchCase for an index outside 0 … Len()-1,
// ErrChanged when the line is not the one that Open saw, os.ErrClosed after Close.
func (d *Dataset) Case(i int) (Case, error) {
	if i < 0 || i >= d.Len() {
		return Case{}, &DatasetError{
			Path: d.report.Path, Rule: fmt.Sprintf("has no case %d: there are %d, from 0", i, d.Len()), Err: ErrNoSuchCase,
		}
	}
	if d.generate != nil {
		return d.generate(i), nil
	}
	at := d.entries[i]
	line := make([]byte, at.length)
	if _, err := d.file.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return Case{}, &DatasetError{
			Path: d.report.Path, Line: int(at.line), Rule: fmt.Sprintf("cannot be read: %v", err), Err: err,
		}
	}
	if crc32.ChecksumIEEE(line) != at.sum {
		return Case{}, &DatasetError{
			Path: d.report.Path, Line: int(at.line), Rule: "has changed since the file was opened: open it again", Err: ErrChanged,
		}
	}
	c, _, _ := d.parse(line, d.rules)
	c.Line = int(at.line)
	return c, nil
}

// Close closes the file and removes the unpacked copy, if there is one. A second
// call does nothing. It must not run beside Case.
func (d *Dataset) Close() error {
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.remove != "" {
		err = errors.Join(err, os.Remove(d.remove))
		d.remove = ""
	}
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
