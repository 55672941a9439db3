package vet

import (
	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// dify is the export of a Dify app (its DSL): a graph of nodes, or the configuration
// of a simple app. Dify cuts to top_k behind its reranker.
var dify = &Dialect{
	Name: "Dify",
	Sources: []string{
		"https://docs.dify.ai/cn/use-dify/nodes/knowledge-retrieval",
		"https://github.com/langgenius/dify/tree/main/api/tests/fixtures/workflow",
	},
	read: readDify,
}

func readDify(n *doctree.Node) ([]*Chain, bool) {
	if kind := n.Get("kind"); kind == nil || kind.Text != "app" || n.Get("app") == nil {
		return nil, false
	}
	if nodes := n.At("workflow", "graph", "nodes"); nodes != nil {
		return difyGraph(nodes), true
	}
	if set := n.At("model_config", "dataset_configs"); set != nil {
		c := &Chain{}
		c.difyRetrieval(set, "dataset_configs", set)
		return []*Chain{c}, true
	}
	return nil, true
}

// difyGraph returns a chain for each model node that reads what a knowledge node
// found.
func difyGraph(nodes *doctree.Node) []*Chain {
	found := map[string]*doctree.Node{}
	for _, node := range nodes.Items {
		data := node.Get("data")
		if kind := data.Get("type"); kind != nil && kind.Text == "knowledge-retrieval" && node.Get("id") != nil {
			found[node.Get("id").Text] = data
		}
	}
	var chains []*Chain
	read := map[string]bool{}
	for _, node := range nodes.Items {
		data := node.Get("data")
		if kind := data.Get("type"); kind == nil || kind.Text != "llm" {
			continue
		}
		selector := data.At("context", "variable_selector")
		if selector == nil || len(selector.Items) == 0 || isFalse(data.At("context", "enabled")) {
			continue
		}
		id := selector.Items[0].Text
		if found[id] == nil {
			continue
		}
		read[id] = true
		c := &Chain{}
		c.difyKnowledge(found[id])
		if template := data.Get("prompt_template"); template != nil {
			l := (*Layout)(nil)
			if template.Kind == doctree.List {
				l = messagesLayout(template)
				if len(template.Items) == 1 && template.Items[0].Get("text") != nil {
					l = templateLayout("prompt_template", template.Items[0].Get("text"))
				}
			} else if text := template.Get("text"); text != nil {
				l = templateLayout("prompt_template", text)
			}
			if l != nil {
				c.Layouts = append(c.Layouts, l)
			}
		}
		chains = append(chains, c)
	}
	for _, node := range nodes.Items {
		if id := node.Get("id"); id != nil && found[id.Text] != nil && !read[id.Text] {
			c := &Chain{}
			c.difyKnowledge(found[id.Text])
			chains = append(chains, c)
		}
	}
	return chains
}

func (c *Chain) difyKnowledge(data *doctree.Node) {
	if set := data.Get("multiple_retrieval_config"); set != nil {
		c.difyRetrieval(set, "multiple_retrieval_config", data)
		return
	}
	c.Steps = append(c.Steps, &Step{Kind: Retrieve, Name: "knowledge-retrieval", At: data})
}

func (c *Chain) difyRetrieval(set *doctree.Node, name string, at *doctree.Node) {
	keep := whole(set.Get("top_k"), "top_k")
	c.Steps = append(c.Steps, &Step{Kind: Retrieve, Name: name, At: at, Keep: keep})
	if isTrue(set.Get("reranking_enable")) {
		c.Steps = append(c.Steps, &Step{Kind: Rerank, Name: "reranking_enable", At: set.Get("reranking_enable"), Keep: keep})
	}
}
