// Package doctree reads YAML and JSON that anybody may have written into plain
// trees whose nodes know where they stand. What is too large, too deep, endless or
// no text at all is refused before it can cost much: a second, or 200 MB.
package doctree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// The limits. A file of 1 MiB takes the YAML parser a third of a second and 120 MB
// at worst.
const (
	MaxBytes  = 1 << 20 // of a file
	MaxDepth  = 100     // levels of nesting
	MaxNodes  = 200_000 // values and keys, with what aliases repeat
	MaxColumn = 1 << 16 // the last column whose byte is looked for: in one long line that takes time
	MaxLine   = 1000    // bytes of a line that is shown
)

// Kind is the kind of a value.
type Kind uint8

// The kinds. YAML's timestamps and values with tags of their own are Text.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
)

// String names the kind for people.
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a whole number", "a number", "text", "a list", "a mapping"}[k]
}

// Node is one value. It is read-only. What a YAML alias repeats is the same Node
// again, so that a tree may be larger than the file; who walks it and keeps what was
// seen takes time by the size of the file.
type Node struct {
	Kind    Kind
	Text    string  // of a scalar, without quotes
	Entries []Entry // of a Map, in the order of the file; what a merge key brings comes last
	Items   []*Node // of a List
	// Line and Column say where it starts, from 1; a column is a character. What an
	// alias repeats stands where its anchor does.
	Line, Column int
	// Block says that it is text in block form (| or >), which ends at no quote.
	Block bool
	// Of YAML: how many values it holds, itself included, and how many levels.
	size, height int
}

// Entry is one key of a Map with its value.
type Entry struct{ Key, Value *Node }

// Get returns the value of a key of a Map, or nil. Of a key that is given twice it
// is the last, as most programs have it; a merged key never wins.
func (n *Node) Get(key string) *Node {
	var found *Node
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if e.Key.Text == key {
			found = e.Value
		}
	}
	return found
}

// At follows keys down, or returns nil.
func (n *Node) At(path ...string) *Node {
	for _, key := range path {
		n = n.Get(key)
	}
	return n
}

// Error says why a file cannot be read, and where.
type Error struct {
	File         string
	Line, Column int // 0: unknown
	Rule         string
	Err          error // the cause, or nil
}

// Error names the place, the rule and the cause.
func (e *Error) Error() string {
	text := "bookend: " + Place(e.File, e.Line, e.Column) + ": " + e.Rule
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Place writes file:line:column, without what is unknown.
func Place(file string, line, column int) string {
	switch {
	case line == 0:
		return file
	case column == 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// File is a file that was read.
type File struct {
	Name   string
	Source []byte
	Docs   []*Node // of each document; empty ones are left out
	starts []int   // where each line starts
}

// Read reads the file at path, which has to be a regular one. Every fault is an
// *Error, but for the error of a context that is done.
func Read(ctx context.Context, path string) (*File, error) {
	refuse := func(rule string, err error) (*File, error) {
		if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
			err = pathErr.Err // the path is named already
		}
		return nil, &Error{File: path, Rule: rule, Err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return refuse("cannot be read", err)
	}
	if !info.Mode().IsRegular() {
		return refuse("is not a regular file", nil)
	}
	file, err := os.Open(path)
	if err != nil {
		return refuse("cannot be read", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return refuse("cannot be read", err)
	}
	return Parse(ctx, path, data)
}

// Parse reads a text: JSON if its name ends in .json, else YAML. A text that begins
// like JSON and is JSON is read as such under any name. Every fault is an *Error
// with the given name, but for the error of a context that is done.
func Parse(ctx context.Context, name string, data []byte) (*File, error) {
	f := &File{Name: name, Source: data}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case len(data) > MaxBytes:
		return nil, &Error{File: name, Rule: fmt.Sprintf("is larger than %d MiB, which no configuration is", MaxBytes>>20)}
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return nil, &Error{File: name, Rule: "is not text in UTF-8"}
	}
	var err error
	isJSON := strings.HasSuffix(strings.ToLower(name), ".json")
	if start := bytes.TrimLeft(data, "\ufeff \t\r\n"); isJSON || len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		f.starts = lineStarts(data, false)
		if f.Docs, err = f.parseJSON(); err == nil || isJSON {
			return f, err
		}
	}
	f.starts = lineStarts(data, true)
	f.Docs, err = f.parseYAML(ctx)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) fault(line, column int, rule string, err error) *Error {
	return &Error{File: f.Name, Line: line, Column: column, Rule: rule, Err: err}
}

// lineStarts returns where each line starts. YAML ends lines at more characters.
func lineStarts(data []byte, yaml bool) []int {
	starts := []int{0}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		starts[0] = len("\ufeff")
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		i += size
		switch {
		case r == '\r' && i < len(data) && data[i] == '\n':
			i++
		case r == '\n', r == '\r', yaml && (r == '\u0085' || r == '\u2028' || r == '\u2029'):
		default:
			continue
		}
		starts = append(starts, i)
	}
	return starts
}

// Line returns a line of the file without its end, "" for one that is not there or
// longer than MaxLine.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.starts) {
		return ""
	}
	end := len(f.Source)
	if line < len(f.starts) {
		end = f.starts[line]
	}
	if end-f.starts[line-1] > MaxLine {
		return ""
	}
	return strings.TrimRight(string(f.Source[f.starts[line-1]:end]), "\r\n\u0085\u2028\u2029")
}

// Offset returns the byte of the file where a place stands, and false for a place
// outside it, or beyond MaxColumn.
func (f *File) Offset(line, column int) (int, bool) {
	if line < 1 || line > len(f.starts) || column < 1 || column > MaxColumn {
		return 0, false
	}
	offset := f.starts[line-1]
	for ; column > 1; column-- {
		if offset >= len(f.Source) {
			return 0, false
		}
		_, size := utf8.DecodeRune(f.Source[offset:])
		offset += size
	}
	return offset, true
}

// Scalar returns where the text of a scalar stands between its quotes, if it stands
// there as it is: on one line, and without an escape. What would have to be encoded
// is not found.
func (f *File) Scalar(n *Node) (start, end int, ok bool) {
	if n == nil || n.Block || n.Kind == List || n.Kind == Map || n.Text == "" {
		return 0, 0, false
	}
	start, ok = f.Offset(n.Line, n.Column)
	if !ok || start >= len(f.Source) {
		return 0, 0, false
	}
	if quote := f.Source[start]; quote == '"' || quote == '\'' {
		start++
		end = start + len(n.Text)
		return start, end, bytes.HasPrefix(f.Source[start:], []byte(n.Text)) && end < len(f.Source) && f.Source[end] == quote
	}
	return start, start + len(n.Text), bytes.HasPrefix(f.Source[start:], []byte(n.Text))
}
