// Package safefile writes the files of a report: whole or not at all, for the user
// alone, and never through a symbolic link.
package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// File is one file to write.
type File struct {
	Name string // without a folder
	Data []byte
}

// ExistsError says that a file is there already, with another content.
type ExistsError struct{ Path string }

// Error names the file and the remedy.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("bookend: %s exists and differs from what would be written: --force overwrites it, --out names another folder", e.Path)
}

// LinkError says that something else stands where a regular file or a folder is needed.
type LinkError struct{ Path, Want string }

// Error names the path, the rule and the remedy.
func (e *LinkError) Error() string {
	is := ""
	if info, err := os.Lstat(e.Path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		is = ", and symbolic links are not followed"
	}
	return fmt.Sprintf("bookend: %s is not a %s%s: name another folder", e.Path, e.Want, is)
}

// Folder makes the folder, for the user alone, unless it exists. It may not be a
// symbolic link.
func Folder(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700)
	}
	if err == nil && !info.IsDir() {
		return &LinkError{Path: dir, Want: "folder"}
	}
	return err
}

// Write writes files into dir, each with mode 0600 and by a rename, so that a reader
// sees the old content or the new. A file that has the content already is left
// alone, but closed to others than the user. Unless force is set, a file with another content is an *ExistsError; all
// are looked at before the first is written.
func Write(dir string, force bool, files ...File) error {
	if err := Folder(dir); err != nil {
		return err
	}
	var write []File
	for _, f := range files {
		if filepath.Base(f.Name) != f.Name || f.Name == "." || f.Name == ".." {
			return fmt.Errorf("bookend: %q is not the name of a file in the folder", f.Name)
		}
		path := filepath.Join(dir, f.Name)
		same, err := holds(path, f.Data)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case same:
			if err := private(path); err != nil {
				return err
			}
			continue
		case !force:
			return &ExistsError{Path: path}
		}
		write = append(write, f)
	}
	for _, f := range write {
		if err := replace(dir, f, force); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether the regular file at path has the content.
func holds(path string, data []byte) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, &LinkError{Path: path, Want: "regular file"}
	}
	if info.Size() != int64(len(data)) {
		return false, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	old, err := io.ReadAll(io.LimitReader(file, int64(len(data))+1))
	return bytes.Equal(old, data), err
}

// private takes a regular file away from others than its owner.
func private(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := linelog.Private(file); err != nil {
		return fmt.Errorf("bookend: %s: %w; change its mode to 0600, or name another folder", path, err)
	}
	return nil
}

func replace(dir string, f File, force bool) error {
	return Stream(filepath.Join(dir, f.Name), force, func(w io.Writer) error {
		_, err := w.Write(f.Data)
		return err
	})
}

// Stream is Write for one large file, whose content is not held in memory: unless
// force is set, a file that exists is an *ExistsError.
func Stream(path string, force bool, write func(io.Writer) error) (err error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &LinkError{Path: path, Want: "regular file"}
	} else if err == nil && !force {
		return &ExistsError{Path: path}
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temporary.Name())
		}
	}()
	if err = write(temporary); err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(temporary.Name(), path) // takes the place of a link, and follows none
	}
	// A link, unlike a rename, fails where something has come into being meanwhile.
	if err := os.Link(temporary.Name(), path); errors.Is(err, fs.ErrExist) {
		return &ExistsError{Path: path}
	} else if err != nil { // a file system without hard links
		return os.Rename(temporary.Name(), path)
	}
	return os.Remove(temporary.Name())
}
