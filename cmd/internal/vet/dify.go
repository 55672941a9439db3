package vet

import "github.com/bookend-rag/bookend/cmd/internal/doctree"

// dify reads the export of a Dify app (its DSL): a graph of nodes, or the
// configuration of a simple app. There is a chain for each model that reads what a
// knowledge node found, and for each knowledge node that no model reads.
func (c *checker) dify(n *doctree.Node) (chains []*Chain, known bool) {
	if nonNil(n.Get("kind")).Text != "app" || n.Get("app") == nil {
		return nil, false
	}
	if set := n.At("model_config", "dataset_configs"); set != nil {
		chains = append(chains, &Chain{Steps: difyRetrieval(set)})
	}
	nodes := nonNil(n.At("workflow", "graph", "nodes")).Items
	var ids []string
	found, read := map[string]*doctree.Node{}, map[string]bool{}
	for _, node := range nodes {
		id := nonNil(node.Get("id")).Text
		if nonNil(node.At("data", "type")).Text == "knowledge-retrieval" && found[id] == nil {
			found[id] = node.At("data", "multiple_retrieval_config")
			ids = append(ids, id)
		}
	}
	for _, node := range nodes {
		data := node.Get("data")
		selector := nonNil(data.At("context", "variable_selector")).Items
		if nonNil(data.Get("type")).Text != "llm" || len(selector) == 0 || is(data.At("context", "enabled"), "false") || found[selector[0].Text] == nil {
			continue
		}
		read[selector[0].Text] = true
		chain := &Chain{Steps: difyRetrieval(found[selector[0].Text])}
		template := nonNil(data.Get("prompt_template"))
		if memory := nonNil(data.Get("memory")); memory.Kind == doctree.Null { // else Dify adds the question as the last message
			chain.layout(c.messages(template))
			chain.layout(c.template(template.Get("text")))
		}
		chains = append(chains, chain)
	}
	for _, id := range ids {
		if !read[id] && found[id] != nil {
			chains = append(chains, &Chain{Steps: difyRetrieval(found[id])})
		}
	}
	return chains, true
}

// difyRetrieval reads a knowledge node, which cuts to top_k behind its reranker.
func difyRetrieval(set *doctree.Node) []*Step {
	keep := whole(set.Get("top_k"))
	steps := []*Step{{Task: Retrieve, At: set, Keep: keep}}
	if at := set.Get("reranking_enable"); is(at, "true") {
		steps = append(steps, &Step{Task: Rerank, Name: "reranking_enable", At: at, Keep: keep})
	}
	return steps
}
