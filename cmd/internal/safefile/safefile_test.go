package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "out")
	a, b := File{"a.txt", []byte("first")}, File{"b.txt", []byte("b")}
	if err := Write(dir, false, a, b); err != nil {
		t.Fatal(err)
	}
	expect := func(name, want string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, error %v; want %q", name, got, err, want)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, want 0600", name, info.Mode())
		}
	}
	expect("a.txt", "first")
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, false, a, b); err != nil {
		t.Errorf("the same content again: %v", err)
	}
	expect("a.txt", "first") // and closed to others again
	var exists *ExistsError
	changed := File{"b.txt", []byte("c")}
	if err := Write(dir, false, File{"c.txt", []byte("c")}, changed); !errors.As(err, &exists) || filepath.Base(exists.Path) != "b.txt" {
		t.Errorf("another content: %v", err)
	}
	expect("b.txt", "b")
	if _, err := os.Lstat(filepath.Join(dir, "c.txt")); err == nil {
		t.Error("a file was written although another was refused")
	}
	if err := Write(dir, true, changed); err != nil {
		t.Fatal(err)
	}
	expect("b.txt", "c")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files, error %v; want the 2 that were written", len(entries), err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"../x", "a/b", "..", ".", ""} {
		if err := Write(dir, true, File{Name: name}); err == nil {
			t.Errorf("%q was written", name)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := errors.Join(os.WriteFile(victim, []byte("v"), 0o600), os.Symlink(victim, filepath.Join(dir, "f")), os.Symlink(t.TempDir(), filepath.Join(dir, "d"))); err != nil {
		t.Fatal(err)
	}
	var link *LinkError
	for _, force := range []bool{false, true} {
		if err := Write(dir, force, File{"f", []byte("v")}); !errors.As(err, &link) {
			t.Errorf("force %v: a link was followed: %v", force, err)
		}
		if err := Write(filepath.Join(dir, "d"), force, File{"g", []byte("v")}); !errors.As(err, &link) {
			t.Errorf("force %v: a folder's link was followed: %v", force, err)
		}
		if err := Stream(filepath.Join(dir, "f"), force, func(io.Writer) error { return nil }); !errors.As(err, &link) {
			t.Errorf("force %v: a stream followed a link: %v", force, err)
		}
	}
}

func TestFailedStreamLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := errors.New("broken")
	err := Stream(filepath.Join(dir, "f"), false, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	})
	entries, _ := os.ReadDir(dir)
	if !errors.Is(err, broken) || len(entries) != 0 {
		t.Errorf("error %v, %d files; want broken and none", err, len(entries))
	}
}
