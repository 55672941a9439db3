package vet

import (
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
)

// autoRAG reads a configuration of AutoRAG: lines of nodes, each with the modules that
// are tried in its place. A prompt or an order counts if every module has it, since
// one of them alone will run.
func (c *checker) autoRAG(n *doctree.Node) ([]*Chain, bool) {
	chain, known := &Chain{}, false
	for _, line := range nonNil(n.Get("node_lines")).Items {
		for _, node := range nonNil(line.Get("nodes")).Items {
			if kind := node.Get("node_type"); kind != nil && c.spend(1) {
				known = true
				c.autoRAGNode(chain, kind, node)
			}
		}
	}
	return []*Chain{chain}, known
}

func (c *checker) autoRAGNode(chain *Chain, kind, node *doctree.Node) {
	modules := nonNil(node.Get("modules")).Items
	s := &Step{Name: show.Cut(kind.Text, maxName), At: kind, Keep: whole(node.Get("top_k"))}
	switch name := kind.Text; {
	case strings.HasSuffix(name, "hybrid_retrieval"):
		s.Task = Fuse
	case strings.HasSuffix(name, "retrieval"):
		s.Task = Retrieve
	case name == "passage_reranker" && !allOf(modules, "pass_reranker"):
		s.Task = Rerank
	case name == "passage_filter", name == "passage_compressor", name == "passage_reranker":
		s.Task = Trim
		s.Cuts = !allOf(modules, "pass_reranker") && !allOf(modules, "pass_passage_filter") && !allOf(modules, "pass_compressor")
	case name == "prompt_maker":
		s.Task = Place
		if allOf(modules, "long_context_reorder") {
			s.At = modules[0].Get("module_type")
			s.Order = &Word{Name: s.At.Text, Placement: core.LongContext, Near: true}
		}
		chain.layout(c.autoRAGPrompts(modules))
	default:
		return
	}
	chain.Steps = append(chain.Steps, s)
}

// autoRAGPrompts returns the first fault if every prompt that is tried has one.
func (c *checker) autoRAGPrompts(modules []*doctree.Node) (first *Layout) {
	for _, m := range modules {
		prompt := nonNil(m.Get("prompt"))
		prompts := prompt.Items
		if prompt.Kind == doctree.Text {
			prompts = []*doctree.Node{prompt}
		}
		for _, p := range prompts {
			l := c.template(p)
			if l == nil {
				return nil
			}
			if first == nil {
				first = l
			}
		}
	}
	return first
}

// allOf says that every module of a node is of one type.
func allOf(modules []*doctree.Node, kind string) bool {
	for _, m := range modules {
		if nonNil(m.Get("module_type")).Text != kind {
			return false
		}
	}
	return len(modules) > 0
}
