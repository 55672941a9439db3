package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// hash returns the hash of a text, as Config.HashKey describes it.
func (c *Config) hash(text string) string {
	if len(c.HashKey) > 0 {
		mac := hmac.New(sha256.New, c.HashKey)
		_, _ = io.WriteString(mac, text)
		return hex.EncodeToString(mac.Sum(nil)[:16])
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// file appends whole lines, or nothing, to a record file.
type file struct {
	path string
	f    *os.File
	lock io.Closer // nil where the file itself is locked
	size int64
	max  int64 // 0: no limit
	new  bool  // something is not synced
}

var errTooLarge = errors.New("it would grow beyond MaxFile")

func openFile(path string, maxSize int64) (*file, error) {
	fail := func(rule string, err error) error { return &Error{Path: path, Rule: rule, Err: err} }
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fail("is not a regular file", ErrNotRecord)
	}
	f, lock, err := linelog.OpenLocked(path)
	if errors.Is(err, ErrLocked) {
		return nil, fail("another process is writing it: give each process a file of its own", err)
	}
	if err != nil {
		return nil, fail(fmt.Sprintf("cannot be opened: %v", err), err)
	}
	w := &file{path: path, f: f, lock: lock, max: maxSize}
	if err := w.mend(); err != nil {
		_ = w.close()
		return nil, err
	}
	return w, nil
}

// mend checks the first line, writes it into an empty file, and cuts off what
// follows the last whole line. It reads no more than these.
func (w *file) mend() error {
	fail := func(err error) error {
		return &Error{Path: w.path, Rule: fmt.Sprintf("cannot be opened: %v", err), Err: err}
	}
	info, err := w.f.Stat()
	if err != nil {
		return fail(err)
	}
	head := make([]byte, min(int64(len(Header)), info.Size()))
	if _, err := w.f.ReadAt(head, 0); err != nil {
		return fail(err)
	}
	if string(head) != Header[:len(head)] {
		return &Error{Path: w.path, Rule: "does not begin as a record file does, and is left alone: name another file", Err: ErrNotRecord}
	}
	if w.size, err = wholeLines(w.f, info.Size()); err != nil {
		return fail(err)
	}
	if w.size < info.Size() {
		if err := w.f.Truncate(w.size); err != nil {
			return fail(err)
		}
	}
	if w.size == 0 {
		if err := w.write([]byte(Header)); err != nil {
			return fail(err)
		}
	}
	return nil
}

// wholeLines returns how many of the first size bytes are lines with an end.
func wholeLines(f io.ReaderAt, size int64) (int64, error) {
	buffer := make([]byte, 64<<10)
	for size > 0 {
		piece := buffer[:min(size, int64(len(buffer)))]
		if _, err := f.ReadAt(piece, size-int64(len(piece))); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return size - int64(len(piece)) + int64(i) + 1, nil
		}
		size -= int64(len(piece))
	}
	return 0, nil
}

// append writes lines at the end of the file, all of them or none.
func (w *file) append(lines []byte) error {
	if w.max > 0 && w.size+int64(len(lines)) > w.max {
		return errTooLarge
	}
	return w.write(lines)
}

func (w *file) write(lines []byte) error {
	_, err := w.f.Write(lines)
	if err != nil {
		// Where this fails, too, the next one to open the file cuts the line off.
		_ = w.f.Truncate(w.size)
		return err
	}
	w.size += int64(len(lines))
	w.new = true
	return nil
}

func (w *file) sync() error {
	if !w.new {
		return nil
	}
	w.new = false
	return w.f.Sync()
}

func (w *file) close() error {
	err := errors.Join(w.sync(), w.f.Close())
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close())
	}
	return err
}
