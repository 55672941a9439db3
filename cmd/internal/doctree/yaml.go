package doctree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDirectives bounds the %TAG lines of a file: the parser compares each with all
// before it.
const maxDirectives = 100

// yamlReader builds trees of what the YAML parser found. What an alias repeats is
// the node of its anchor, so that reading takes time by the size of the file.
type yamlReader struct {
	f       *File
	nodes   int
	anchors map[*yaml.Node]*Node // nil while one is being read
}

func (f *File) parseYAML(ctx context.Context) (docs []*Node, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the parser must not be one of ours
			docs, err = nil, f.fault(0, 0, fmt.Sprintf("is not YAML (the parser failed: %v)", p), nil)
		}
	}()
	if bytes.Count(f.Source, []byte("%TAG")) > maxDirectives {
		return nil, f.fault(0, 0, fmt.Sprintf("has more than %d %%TAG directives", maxDirectives), nil)
	}
	r := &yamlReader{f: f, anchors: map[*yaml.Node]*Node{}}
	d := yaml.NewDecoder(reader{ctx, bytes.NewReader(f.Source)})
	for {
		var root yaml.Node
		if err := d.Decode(&root); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, f.notYAML(err)
		}
		for _, n := range root.Content {
			doc, err := r.value(n, 0)
			if err != nil {
				return nil, err
			}
			if doc.Kind != Null {
				docs = append(docs, doc)
			}
		}
	}
}

// reader ends a parser whose context is done.
type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// notYAML takes the line out of the parser's message.
func (f *File) notYAML(err error) error {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return f.fault(line, 0, "is not YAML", errors.New(text))
}

func (r *yamlReader) value(y *yaml.Node, depth int) (*Node, error) {
	if y.Kind == yaml.AliasNode {
		n := r.anchors[y.Alias]
		if n == nil {
			return nil, r.f.fault(y.Alias.Line, y.Alias.Column, "has the anchor &"+y.Alias.Anchor+", which holds itself", nil)
		}
		return n, r.allow(y, n.size, depth+n.height)
	}
	if err := r.allow(y, 1, depth); err != nil {
		return nil, err
	}
	if y.Anchor != "" {
		r.anchors[y] = nil
	}
	n := &Node{Line: y.Line, Column: y.Column, Text: y.Value, Block: y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0, size: 1}
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range y.Content {
			v, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
			n.holds(v)
		}
	case yaml.MappingNode:
		n.Kind = Map
		if err := r.entries(n, y, depth); err != nil {
			return nil, err
		}
	default:
		var known bool
		if n.Kind, known = scalarKinds[y.ShortTag()]; !known {
			n.Kind = Text
		}
	}
	if y.Anchor != "" {
		r.anchors[y] = n
	}
	return n, nil
}

// allow counts values, and refuses those beyond the limits.
func (r *yamlReader) allow(y *yaml.Node, values, depth int) error {
	if r.nodes += values; r.nodes > MaxNodes {
		return r.f.fault(y.Line, y.Column, fmt.Sprintf("has more than %d values, with those that aliases repeat", MaxNodes), nil)
	}
	if depth > MaxDepth {
		return r.f.fault(y.Line, y.Column, fmt.Sprintf("is nested deeper than %d levels", MaxDepth), nil)
	}
	return nil
}

// entries reads a mapping. What it merges comes after its own keys, and only where
// it has no such key.
func (r *yamlReader) entries(n *Node, y *yaml.Node, depth int) error {
	var merged []*Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, err := r.value(y.Content[i], depth+1)
		if err != nil {
			return err
		}
		value, err := r.value(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if y.Content[i].ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		n.add(Entry{key, value})
	}
	if len(merged) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, e := range n.Entries {
		has[e.Key.Text] = true
	}
	var merge func(from *Node)
	merge = func(from *Node) {
		for _, item := range from.Items {
			merge(item)
		}
		for _, e := range from.Entries {
			if !has[e.Key.Text] {
				has[e.Key.Text] = true
				n.add(e)
			}
		}
	}
	for _, from := range merged {
		merge(from)
	}
	return nil
}

func (n *Node) add(e Entry) {
	n.Entries = append(n.Entries, e)
	n.holds(e.Key)
	n.holds(e.Value)
}

// holds keeps the size and the height of a node, for the aliases of it.
func (n *Node) holds(inner *Node) {
	n.size += inner.size
	n.height = max(n.height, 1+inner.height)
}

// scalarKinds are the kinds of scalars that are no text.
var scalarKinds = map[string]Kind{"!!null": Null, "!!bool": Bool, "!!int": Int, "!!float": Float}
