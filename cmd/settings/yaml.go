package settings

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// YAML returns the settings as a YAML document, which Parse reads as the same
// value. A placement of the user's own cannot be written and is an error.
func (s Settings) YAML() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	file, err := doctree.Parse(context.Background(), "settings.json", text)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(yamlNode(file.Docs[0]))
}

func yamlNode(n *doctree.Node) *yaml.Node {
	switch n.Kind {
	case doctree.Map:
		y := &yaml.Node{Kind: yaml.MappingNode}
		for _, e := range n.Entries {
			y.Content = append(y.Content, yamlNode(e.Key), yamlNode(e.Value))
		}
		return y
	case doctree.List:
		y := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range n.Items {
			y.Content = append(y.Content, yamlNode(item))
		}
		return y
	case doctree.Text:
		return textNode(n.Text)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
}

// textNode writes several lines as a block where that keeps every character, and
// in quotes where it may not.
func textNode(text string) *yaml.Node {
	y := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if !strings.Contains(text, "\n") {
		return y
	}
	y.Style = yaml.LiteralStyle
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			y.Style = yaml.DoubleQuotedStyle
		}
	}
	return y
}
