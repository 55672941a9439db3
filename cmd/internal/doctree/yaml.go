package doctree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlReader builds trees of what the YAML parser found, aliases unfolded.
type yamlReader struct {
	f     *File
	nodes int
	open  map[*yaml.Node]bool // anchors that are being unfolded
}

func (f *File) parseYAML() (docs []*Node, err error) {
	defer func() {
		if p := recover(); p != nil { // a fault of the parser must not be one of ours
			docs, err = nil, f.fault(0, 0, fmt.Sprintf("is no YAML (the parser failed: %v)", p), nil)
		}
	}()
	r := &yamlReader{f: f, open: map[*yaml.Node]bool{}}
	d := yaml.NewDecoder(bytes.NewReader(f.Source))
	for {
		var root yaml.Node
		if err := d.Decode(&root); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
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

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// notYAML takes the line out of the parser's message.
func (f *File) notYAML(err error) error {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return f.fault(line, 0, "is no YAML", errors.New(text))
}

func (r *yamlReader) value(y *yaml.Node, depth int) (*Node, error) {
	refuse := func(rule string) (*Node, error) { return nil, r.f.fault(y.Line, y.Column, rule, nil) }
	if r.nodes++; r.nodes > MaxNodes {
		return refuse(fmt.Sprintf("has more than %d values, with those that aliases repeat", MaxNodes))
	}
	if depth > MaxDepth {
		return refuse(fmt.Sprintf("is nested deeper than %d levels", MaxDepth))
	}
	if y.Kind == yaml.AliasNode {
		return r.value(y.Alias, depth)
	}
	if y.Anchor != "" {
		if r.open[y] {
			return refuse("has the anchor &" + y.Anchor + ", which holds itself")
		}
		r.open[y] = true
		defer delete(r.open, y)
	}
	n := &Node{Line: y.Line, Column: y.Column, Text: y.Value, Block: y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0}
	switch y.Kind {
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range y.Content {
			v, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, v)
		}
	case yaml.MappingNode:
		n.Kind = Map
		return n, r.entries(n, y, depth)
	default:
		n.Kind = scalarKind(y)
	}
	return n, nil
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
		n.Entries = append(n.Entries, Entry{key, value})
	}
	if len(merged) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, e := range n.Entries {
		has[e.Key.Text] = true
	}
	for len(merged) > 0 {
		from := merged[0]
		merged = merged[1:]
		if from.Kind == List {
			merged = append(from.Items[:len(from.Items):len(from.Items)], merged...)
		}
		for _, e := range from.Entries {
			if !has[e.Key.Text] {
				has[e.Key.Text] = true
				n.Entries = append(n.Entries, e)
			}
		}
	}
	return nil
}

func scalarKind(y *yaml.Node) Kind {
	switch y.ShortTag() {
	case "!!null":
		return Null
	case "!!bool":
		return Bool
	case "!!int":
		return Int
	case "!!float":
		return Float
	}
	return Text
}
