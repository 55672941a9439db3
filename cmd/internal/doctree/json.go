package doctree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader builds trees of the tokens of JSON.
type jsonReader struct {
	f     *File
	data  []byte
	base  int // where data starts in the file
	d     *json.Decoder
	nodes int
	// The place of the byte that was asked for last: places are asked for in order.
	offset, line, column int
}

func (f *File) parseJSON() ([]*Node, error) {
	r := &jsonReader{f: f, base: f.starts[0], data: f.Source[f.starts[0]:], line: 1, column: 1}
	r.d = json.NewDecoder(bytes.NewReader(r.data))
	r.d.UseNumber()
	var docs []*Node
	for {
		if start := r.next(); start == len(r.data) {
			return docs, nil
		}
		doc, err := r.value(0)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
}

// next returns where the next token starts.
func (r *jsonReader) next() int {
	offset := int(r.d.InputOffset())
	for offset < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// position returns line and column of a byte that does not come before the last one.
func (r *jsonReader) position(offset int) (line, column int) {
	if offset < r.offset { // the place of an error
		r.offset, r.line, r.column = 0, 1, 1
	}
	for r.line < len(r.f.starts) && r.f.starts[r.line]-r.base <= offset {
		r.offset, r.column = r.f.starts[r.line]-r.base, 1
		r.line++
	}
	r.column += utf8.RuneCount(r.data[r.offset:offset])
	r.offset = offset
	return r.line, r.column
}

func (r *jsonReader) value(depth int) (*Node, error) {
	n := &Node{}
	n.Line, n.Column = r.position(r.next())
	if r.nodes++; r.nodes > MaxNodes {
		return nil, r.f.fault(n.Line, n.Column, "has too many values", nil)
	}
	if depth > MaxDepth {
		return nil, r.f.fault(n.Line, n.Column, "is nested too deep", nil)
	}
	token, err := r.d.Token()
	if err != nil {
		return nil, r.broken(err)
	}
	switch v := token.(type) {
	case nil:
		n.Kind, n.Text = Null, "null"
	case bool:
		n.Kind, n.Text = Bool, strconv.FormatBool(v)
	case json.Number:
		n.Kind, n.Text = Int, v.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = Float
		}
	case string:
		n.Kind, n.Text = Text, v
	case json.Delim:
		n.Kind = List
		if v == '{' {
			n.Kind = Map
		}
		for r.d.More() {
			item, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			if n.Kind == List {
				n.Items = append(n.Items, item)
				continue
			}
			value, err := r.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Entries = append(n.Entries, Entry{item, value})
		}
		if _, err := r.d.Token(); err != nil { // the closing bracket
			return nil, r.broken(err)
		}
	}
	return n, nil
}

func (r *jsonReader) broken(err error) error {
	offset := int(r.d.InputOffset())
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		offset = max(int(syntax.Offset)-1, 0)
	}
	if errors.Is(err, io.EOF) {
		err, offset = io.ErrUnexpectedEOF, len(r.data)
	}
	line, column := r.position(min(offset, len(r.data)))
	return r.f.fault(line, column, "is not JSON", err)
}
