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

// maxConverted is how many bytes a file may unpack to that is converted, since a
// corpus is larger than a dataset.
const maxConverted = 64 << 30

// plainLines reads the lines of what may be gzipped, and may be one JSON array. same
// says that they stand there just as they are read. Nothing is read ahead but a
// buffer, so that a bad first line is refused before the rest is unpacked. What
// unpacks to more than most bytes is refused.
func plainLines(from io.Reader, most int64) (lines *bufio.Reader, same bool, err error) {
	plain, packed, err := unzipped(from, most)
	if err != nil {
		return nil, false, err
	}
	if err := checkBegin(plain); err != nil {
		return nil, false, err
	}
	if !startsAsArray(plain) {
		return plain, !packed, nil
	}
	return bufio.NewReader(&arrayReader{from: plain}), false, nil
}

// unzipped reads what may be gzipped, which its first bytes tell.
func unzipped(from io.Reader, most int64) (plain *bufio.Reader, packed bool, err error) {
	buffered := bufio.NewReaderSize(from, 64<<10)
	if head, _ := buffered.Peek(len(gzipMagic)); !bytes.Equal(head, gzipMagic) {
		return buffered, false, nil
	}
	reader, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, true, asError(err, "cannot be unpacked")
	}
	return bufio.NewReaderSize(&unpacking{from: reader, left: most, most: most}, 64<<10), true, nil
}

// unpacking ends what unpacks to more than is allowed.
type unpacking struct {
	from       io.Reader
	left, most int64
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, &Error{Rule: fmt.Sprintf("unpacks to more than %d bytes, the most that is allowed", u.most), Err: ErrLimit}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, asError(err, "cannot be unpacked")
	}
	return n, err
}

// temporary makes a file that only the user can read. Where the system allows it, its
// name goes at once, so that a killed process leaves nothing behind; elsewhere, remove
// is the name.
func temporary() (file *os.File, remove string, err error) {
	file, err = os.CreateTemp("", "bookend-dataset-*.jsonl")
	if err != nil {
		return nil, "", err
	}
	if os.Remove(file.Name()) == nil {
		return file, "", nil
	}
	return file, file.Name(), nil
}
