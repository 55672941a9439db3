package dataset

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// Dataset is a list of cases, in the order of its file. It holds offsets, not
// texts: about 24 bytes a case, 32 where questions hang together. All methods but Close
// are safe for concurrent use.
type Dataset struct {
	report Report

	// A dataset from a file.
	file    *os.File
	remove  string // the temporary file to remove on Close; empty for none
	entries []entry
	// clusters are those of the cases; none where they are generated.
	clusters clusters
	parse    func([]byte, Rules) (c Case, answerElsewhere bool, reason Reason, why string)
	rules    Rules

	generate func(i int) Case // a dataset without a file
}

// entry says where a case stands in the file.
type entry struct {
	offset int64
	length int32
	line   int32
	sum    uint32
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
// The error is an *Error: ErrNoSuchCase for an index outside 0 … Len()-1,
// ErrChanged when the line is not the one that Open saw, os.ErrClosed after Close.
func (d *Dataset) Case(i int) (Case, error) {
	if i < 0 || i >= d.Len() {
		return Case{}, &Error{
			Path: d.report.Path, Rule: fmt.Sprintf("has no case %d: there are %d, from 0", i, d.Len()), Err: ErrNoSuchCase,
		}
	}
	if d.generate != nil {
		c := d.generate(i)
		c.Cluster = d.clusters.name(i)
		return c, nil
	}
	at := d.entries[i]
	line := make([]byte, at.length)
	if _, err := d.file.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return Case{}, &Error{
			Path: d.report.Path, Line: int(at.line), Rule: fmt.Sprintf("cannot be read: %v", err), Err: err,
		}
	}
	if crc32.ChecksumIEEE(line) != at.sum {
		return Case{}, &Error{
			Path: d.report.Path, Line: int(at.line), Rule: "has changed since the file was opened: open it again", Err: ErrChanged,
		}
	}
	c, _, _, _ := d.parse(line, d.rules)
	c.Line, c.Cluster = int(at.line), d.clusters.name(i)
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
