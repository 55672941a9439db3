package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

var gzipMagic = []byte{0x1f, 0x8b}

// isPacked tells by the first bytes whether the file is gzipped.
func (d *Dataset) isPacked() (bool, error) {
	head := make([]byte, len(gzipMagic))
	if _, err := d.file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Equal(head, gzipMagic), nil
}

// isArray tells whether the file is one JSON array in place of lines.
func (d *Dataset) isArray() bool {
	return startsAsArray(bufio.NewReader(io.NewSectionReader(d.file, 0, 8<<10)))
}

// unpack replaces the file by its unpacked copy.
func (d *Dataset) unpack() error {
	reader, err := gzip.NewReader(d.file)
	if err != nil {
		return err
	}
	return d.replace(reader)
}

// replace puts a temporary file with what the reader gives in place of the file.
func (d *Dataset) replace(by io.Reader) error {
	old, oldName := d.file, d.remove
	defer func() {
		old.Close()
		if oldName != "" {
			os.Remove(oldName)
		}
	}()
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
	n, err := io.Copy(unpacked, io.LimitReader(by, d.rules.MaxUnpacked+1))
	if err != nil {
		return err
	}
	if n > d.rules.MaxUnpacked {
		return &Error{
			Rule: fmt.Sprintf("unpacks to more than %d bytes, the most that is allowed", d.rules.MaxUnpacked), Err: ErrLimit,
		}
	}
	_, err = unpacked.Seek(0, io.SeekStart)
	return err
}
