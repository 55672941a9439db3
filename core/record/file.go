package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	f    disk
	lock io.Closer
	size int64 // of the whole lines
	cut  int64 // bytes of a last line that was cut off when it was opened
	max  int64 // 0: no limit
	new  bool  // something is not synced
	torn bool  // something may follow the whole lines
}

// disk is an open file.
type disk interface {
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Truncate(size int64) error
	Sync() error
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

// mend checks the first line, writes it into an empty file, takes the file away from
// others, and cuts off a last line that is torn or no entry. It reads no more than the
// first line and the last two.
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
	if err := linelog.Private(w.f); err != nil {
		return &Error{Path: w.path, Rule: fmt.Sprintf("%v: make it yours alone (mode 0600), or name a file in a folder of your own", err), Err: err}
	}
	end, err := linelog.Tail(w.f, int64(len(Header)), info.Size(), func(line []byte) bool {
		_, wrong := decode(line)
		return wrong == ""
	})
	switch {
	case errors.Is(err, linelog.ErrDamaged):
		return &Error{Path: w.path, Rule: "more than its last line is damaged: mend it or take it out by hand, or name another file", Err: ErrDamaged}
	case err != nil:
		return fail(err)
	}
	w.size, w.cut, w.torn = end.Whole, end.Torn, end.Torn > 0
	if err := w.trim(); err != nil {
		return fail(err)
	}
	if w.size == 0 {
		if err := w.write([]byte(Header)); err != nil {
			return fail(err)
		}
	}
	return nil
}

// append writes lines at the end of the file, all of them or none.
func (w *file) append(lines []byte) error {
	if w.max > 0 && w.size+int64(len(lines)) > w.max {
		return errTooLarge
	}
	return w.write(lines)
}

func (w *file) write(lines []byte) error {
	if err := w.trim(); err != nil {
		return err
	}
	if _, err := w.f.Write(lines); err != nil {
		w.torn = true
		_ = w.trim() // or else before the next line, or by the next one to open the file
		return err
	}
	w.size += int64(len(lines))
	w.new = true
	return nil
}

// trim cuts off what follows the whole lines.
func (w *file) trim() error {
	if !w.torn {
		return nil
	}
	if err := w.f.Truncate(w.size); err != nil {
		return err
	}
	w.torn = false
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
	err := errors.Join(w.trim(), w.sync())
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close()) // before the file; see linelog.OpenLocked
	}
	return errors.Join(err, w.f.Close())
}
