package vet

import (
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// autoRAG is a configuration of AutoRAG: lines of nodes, each with the modules that
// are tried in its place.
var autoRAG = &Dialect{
	Name: "AutoRAG",
	Sources: []string{
		"https://marker-inc-korea.github.io/AutoRAG/optimization/custom_config.html",
		"https://marker-inc-korea.github.io/AutoRAG/nodes/passage_reranker/passage_reranker.html",
		"https://marker-inc-korea.github.io/AutoRAG/nodes/prompt_maker/long_context_reorder.html",
	},
	read: readAutoRAG,
}

func readAutoRAG(n *doctree.Node) ([]*Chain, bool) {
	lines := n.Get("node_lines")
	if lines == nil || lines.Kind != doctree.List {
		return nil, false
	}
	c := &Chain{}
	for _, line := range lines.Items {
		nodes := line.Get("nodes")
		if nodes == nil {
			continue
		}
		for _, node := range nodes.Items {
			c.autoRAGNode(node)
		}
	}
	return []*Chain{c}, true
}

// autoRAGNode reads a node. An order counts only if every module of the node has
// it, since one of them alone will run.
func (c *Chain) autoRAGNode(node *doctree.Node) {
	kind := node.Get("node_type")
	if kind == nil {
		return
	}
	modules := node.Get("modules")
	s := &Step{Name: kind.Text, At: kind, Keep: whole(node.Get("top_k"), "top_k")}
	switch name := kind.Text; {
	case strings.HasSuffix(name, "hybrid_retrieval"):
		s.Kind = Fuse
	case strings.HasSuffix(name, "retrieval"):
		s.Kind = Retrieve
	case name == "passage_reranker":
		s.Kind = Rerank
		if all(modules, "pass_reranker") {
			s.Kind = Trim
		}
	case name == "passage_filter", name == "passage_compressor":
		s.Kind, s.Cuts = Trim, true
	case name == "prompt_maker":
		s.Kind = Place
		if all(modules, "long_context_reorder") {
			at := modules.Items[0].Get("module_type")
			s.Order = &Word{Order: Order{Name: at.Text, Meaning: Folded}, Key: "module_type", At: at}
		}
		if modules != nil {
			for _, m := range modules.Items {
				c.autoRAGPrompt(m.Get("prompt"))
			}
		}
	default:
		return
	}
	c.Steps = append(c.Steps, s)
}

// autoRAGPrompt reads a prompt, or several that are tried.
func (c *Chain) autoRAGPrompt(n *doctree.Node) {
	if n == nil {
		return
	}
	for _, text := range append([]*doctree.Node{n}, n.Items...) {
		if text.Kind == doctree.Text {
			if l := templateLayout("prompt", text); l != nil {
				c.Layouts = append(c.Layouts, l)
			}
		}
	}
}

// all says that every module of a node is of one type.
func all(modules *doctree.Node, kind string) bool {
	if modules == nil || len(modules.Items) == 0 {
		return false
	}
	for _, m := range modules.Items {
		if t := m.Get("module_type"); t == nil || t.Text != kind {
			return false
		}
	}
	return true
}
