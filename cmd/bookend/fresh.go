package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/internal/strictjson"
)

// writtenName is the file in which a report lists what it wrote.
const writtenName = ".report.json"

const writtenFormat = "bookend-report/1"

// written lists the files of a report, so that the next report of the same journal may
// take their place. A file that somebody has changed since is not bookend's any more.
type written struct {
	Format string `json:"format"`
	// About is the journals and how they were judged: a report about something else
	// takes the place of none.
	About string            `json:"about"`
	Files map[string]string `json:"files"` // the SHA-256 of each
}

// maxWritten bounds the list that is read, in bytes.
const maxWritten = 1 << 20

// about names what a report is about: the journals, seen from its own folder, and how
// their answers are judged.
func about(out string, dirs []string, judged ...string) string {
	var names []string
	for _, dir := range dirs {
		name, err := relative(out, dir)
		if err != nil {
			name = dir
		}
		names = append(names, name)
	}
	return strings.Join(append(names, judged...), "\n")
}

func relative(from, to string) (string, error) {
	a, errA := filepath.Abs(from)
	b, errB := filepath.Abs(to)
	if err := errors.Join(errA, errB); err != nil {
		return "", err
	}
	return filepath.Rel(a, b)
}

// writeFiles writes the files of a report and says which. It takes the place of an
// earlier report about the same: of its files that are as they were written, those that
// are not written again are removed. Any other file that differs needs f.force.
func writeFiles(to io.Writer, f folder, files []safefile.File) error {
	old := readWritten(f.dir, f.about)
	now := written{Format: writtenFormat, About: f.about, Files: map[string]string{}}
	var ours, others []safefile.File
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.Name
		now.Files[file.Name] = sumOf(file.Data)
		if old.holds(f.dir, file.Name) {
			ours = append(ours, file)
		} else {
			others = append(others, file)
		}
	}
	if err := safefile.Write(f.dir, f.force, others...); err != nil {
		return err
	}
	if err := safefile.Write(f.dir, true, ours...); err != nil {
		return err
	}
	for name := range old.Files {
		if _, again := now.Files[name]; !again && old.holds(f.dir, name) {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	list, err := asJSON(now)
	if err != nil {
		return err
	}
	if err := safefile.Write(f.dir, true, safefile.File{Name: writtenName, Data: list}); err != nil {
		return err
	}
	fmt.Fprintln(to)
	tell(to, fmt.Sprintf("In %s: %s", show.Line(f.dir), strings.Join(names, ", ")))
	return nil
}

// readWritten reads the list of a report about the same; an empty one where there is none,
// or where about is empty.
func readWritten(dir, about string) written {
	path := filepath.Join(dir, writtenName)
	if about == "" {
		return written{}
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxWritten {
		return written{}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return written{}
	}
	var w written
	if strictjson.Unmarshal(text, &w) != nil || w.Format != writtenFormat || w.About != about {
		return written{}
	}
	return w
}

// holds says whether a file is as the report wrote it.
func (w written) holds(dir, name string) bool {
	sum, listed := w.Files[name]
	if !listed || filepath.Base(name) != name || name == journalName || name == writtenName {
		return false
	}
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return err == nil && hex.EncodeToString(hash.Sum(nil)) == sum
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
