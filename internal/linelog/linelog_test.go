package linelog_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/internal/linelog"
)

const header = "header\n"

// good is every line without an x.
func good(line []byte) bool { return !bytes.ContainsRune(line, 'x') }

// agree fails unless Tail says of a file what Scan says of it, as far as it can see.
func agree(t *testing.T, text string) {
	t.Helper()
	want, scanned := linelog.Scan(strings.NewReader(text), header, good)
	got, err := linelog.Tail(strings.NewReader(text), int64(len(header)), int64(len(text)), good)
	switch {
	case scanned == nil && (err != nil || got.Whole != want.Whole || got.Torn != want.Torn):
		t.Errorf("%.80q: Scan says %+v, Tail %+v, %v", text, want, got, err)
	case err != nil && scanned == nil:
		t.Errorf("%.80q: Scan reads it, Tail says %v", text, err)
	case scanned == nil && want.Torn > 0 && want.Line != strings.Count(text[:want.Whole], "\n")+1:
		t.Errorf("%.80q: line %d is torn", text, want.Line)
	}
}

// Every file of few lines: whole ones, bad ones, and each of them without its end.
func TestTailAgreesWithScan(t *testing.T) {
	t.Parallel()
	files := []string{header}
	for range 4 {
		for _, before := range files {
			for _, line := range []string{"good\n", "bad x\n", "\n"} {
				files = append(files, before+line)
			}
		}
	}
	for _, whole := range files {
		for _, torn := range []string{"", "goo", "bad x"} {
			agree(t, whole+torn)
		}
	}
	for n := range header {
		agree(t, header[:n])
	}
	for _, size := range []int{64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000, linelog.MaxLine - 1} {
		long := strings.Repeat("l", size)
		for _, text := range []string{long + "\n", long, long + "\n" + long, long + "\nbad x\n", "x" + long[1:] + "\n"} {
			agree(t, header+text)
			agree(t, header+"good\n"+text)
		}
	}
}

func TestTailRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"two bad lines", "good\nx\nx\n", linelog.ErrDamaged},
		{"a bad line before a torn one", "good\nx\ngo", linelog.ErrDamaged},
		{"a line above the limit", strings.Repeat("l", linelog.MaxLine) + "\n", linelog.ErrLimit},
		{"a torn line above the limit", strings.Repeat("l", linelog.MaxLine+1), linelog.ErrLimit},
	} {
		_, scanned := linelog.Scan(strings.NewReader(header+c.text), header, good)
		_, err := linelog.Tail(strings.NewReader(header+c.text), int64(len(header)), int64(len(header+c.text)), good)
		if !errors.Is(err, c.want) || !errors.Is(scanned, c.want) {
			t.Errorf("%s: Scan says %v, Tail %v, want %v", c.name, scanned, err, c.want)
		}
	}
}

func FuzzTail(f *testing.F) {
	for _, seed := range []string{"", "good\n", "good\nx\n", "x\nx\n", "\n\n", "good\nx"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { agree(t, header+text) })
}

// exposed is a file whose mode cannot be changed.
type exposed struct {
	*os.File
	err error
}

func (e exposed) Chmod(fs.FileMode) error { return e.err }

func TestPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	for _, c := range []struct{ mode, want fs.FileMode }{{0o600, 0o600}, {0o644, 0o600}, {0o666, 0o600}, {0o640, 0o600}, {0o602, 0o600}, {0o400, 0o400}, {0o755, 0o700}} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		for _, refused := range []error{fs.ErrPermission, nil} {
			err := linelog.Private(exposed{file, refused})
			if c.mode == c.want && err != nil || c.mode != c.want && !errors.Is(err, linelog.ErrExposed) {
				t.Errorf("%o, where it cannot be changed: %v", c.mode, err)
			}
		}
		if err := linelog.Private(file); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != c.want {
			t.Errorf("%o became %o, want %o: %v", c.mode, info.Mode().Perm(), c.want, err)
		}
	}
}

// A lock that was given up is free, though a process that was just being started may
// still hold a copy of the file.
func TestUnlock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	file, lock, err := linelog.OpenLocked(path)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("locks are not known here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := linelog.OpenLocked(path); !errors.Is(err, linelog.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
	again, second, err := linelog.OpenLocked(path) // file is still open, as a copy would be
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []io.Closer{file, again, second} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	_ = lock.Close() // once more, and after its file, is no harm
}
