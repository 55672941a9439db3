package vet_test

import "testing"

// A loop of components, a model that reads no knowledge.
const (
	haystackLoop = `components:
  r: {type: haystack.r.InMemoryBM25Retriever, init_parameters: {}}
  a: {type: haystack.r.LLMRanker, init_parameters: {}}
  b: {type: haystack.b.PromptBuilder, init_parameters: {template: "{{ documents }}"}}
  c: {type: haystack.j.DocumentJoiner, init_parameters: {}}
connections:
- {sender: r.documents, receiver: c.documents}
- {sender: c.documents, receiver: a.documents}
- {sender: a.documents, receiver: c.documents}
- {sender: a.documents, receiver: b.documents}
`
	difyWithout = `kind: app
app: {name: x}
workflow:
  graph:
    nodes:
    - {id: kb, data: {type: knowledge-retrieval, multiple_retrieval_config: {top_k: 9}}}
    - {id: llm, data: {type: llm, context: {enabled: false, variable_selector: [kb, result]}, prompt_template: [{role: user, text: "{{#sys.query#}} {{#context#}}"}]}}
`
)

// Small files, each about one thing that a reader could take for another.
func TestSmallFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, want string }{
		{"no order", "chunking: {chunk_order: banana}\n", ""},
		{"an order and nothing else", "chunk_order: similarity_desc\n", "1:14 BE101 warning"},
		{"an order of one word", "chunk_order: ranked\n", "1:14 BE101 warning"},
		{"an order of one word, of documents", "document_order: reverse\n", ""},
		{"relevance says it", "document_order: relevance\n", "1:17 BE101 warning"},
		{"another tool's reordering", "reorder_context: similarity_desc\n", ""},
		{"a variable of the environment", "CHUNK_ORDER: similarity_desc\n", ""},
		{"an order by date", "top_k: 20\nchunk_order: newest_first\n", ""},
		{"an order from the environment", "chunk_order: \"${ORDER}\"\n", ""},
		{"a number from the environment", "retriever: {top_k: \"${K}\"}\ncontext: {chunk_order: relevance}\n", "2:24 BE101 warning"},
		{"a number in place of an order", "chunk_order: 3\ntop_k: 90\n", ""},
		{"a sampler's top_k", "chunk_order: sandwich\nllm: {top_k: 100, temperature: 0}\n", ""},
		{"candidates", "chunk_order: sandwich\ncandidate_top_k: 100\n", ""},
		{"few documents", "retriever: {top_k: 30}\nreranker: {top_n: 4}\ncontext: {chunk_order: relevance}\n", "3:24 BE101 note"},
		{"one document", "retriever: {top_k: 1}\ncontext: {chunk_order: relevance}\n", ""},
		{"many", "retriever: {top_k: 200}\nchunk_order: sandwich\n", "1:20 BE104 warning"},
		{"many, and a budget", "retriever: {top_k: 200}\nchunk_order: sandwich\ncontext: {token_budget: 900}\n", ""},
		{"many, and a reranker", "retriever: {top_k: 200}\nchunk_order: sandwich\nreranker: {model: x}\n", ""},
		{"many, and a reranker that is off", "retriever: {top_k: 200}\nchunk_order: sandwich\nreranker: {enabled: false}\n", "1:20 BE104 warning"},
		{"many without an order", "retriever: {top_k: 200}\n", ""},
		{"the question at both ends", "chunk_order: sandwich\ntemplate: \"{query} {context} {query}\"\n", ""},
		{"the question alone above", "chunk_order: sandwich\ntemplate: \"{query} {context}\"\n", "2:11 BE103 warning"},
		{"the question in messages", "chunk_order: sandwich\nmessages:\n- {role: system, content: \"Be brief.\"}\n- {role: user, content: \"{{ query }} {{ context }}\"}\n", "4:25 BE103 warning"},
		{"the rules by position", "chunk_order: sandwich\ninstructions_position: top\n", "2:24 BE103 warning"},
		{"the question by layout", "chunkOrder: sandwich\npromptLayout: questionFirst\n", "2:15 BE103 warning"},
		{"the question by location", "chunkOrder: sandwich\nuser_query_location: beginning\n", "2:22 BE103 warning"},
		{"the question below", "chunkOrder: sandwich\nquestion_position: after_context\nlayout: question_last\n", ""},
		{"a question of a survey", "question_position: first\n", ""},
		{"no template of documents", "chunk_order: sandwich\nprompt: {template: \"Rephrase: {question}\"}\n", ""},
		{"an unknown order", "chunk_order: head_tial_alternating\n", "1:14 BE006 note"},
		{"Bookend takes other names", "order: {placement: lost_in_the_middle}\n", "1:20 BE007 error"},
		{"Bookend's own mapping", "order: {top_k: 9, placement: {name: ranked}}\n", "1:37 BE101 warning"},
		{"Bookend's own reading order", "order: {top_k: 9, placement: document-order}\n", ""},
		{"Bookend's edges", "order: {top_k: 9, placement: edges-first=3}\n", ""},
		{"a misspelled section", "ordr: {top_k: 9}\n", "1:1 BE007 error"},
		{"a section too many", "order: {top_k: 9, placement: ranked}\nretriever: {top_k: 3}\n", "2:1 BE007 error"},
		{"two documents of settings", "order: {top_k: 9}\n---\norder: {top_k: 8}\n", "3:1 BE007 error"},
		{"settings by their schema", "$schema: https://example.org/bookend/schema.json\nfoo: 1\n", "2:1 BE007 error"},
		{"a shop's order", "order: {unit: kg, budget: 3, customer: 4, address: x}\n", ""},
		{"somebody's prompt", "prompt: {task: summarise, format: json, model: m, temperature: 0}\n", ""},
		{"a list of plain steps", "pipeline: [retrieve, reorder, rerank, generate]\n", ""},
		{"AutoRAG without a reranker in its node", "node_lines: [{nodes: [{node_type: retrieval, top_k: 9}, {node_type: prompt_maker, modules: [{module_type: long_context_reorder}]}, {node_type: passage_reranker, modules: [{module_type: pass_reranker}]}]}]\n", ""},
		{"a loop of Haystack's components", haystackLoop, ""},
		{"a Dify model that reads no knowledge", difyWithout, ""},
		{"a Dify app in a list", "apps:\n- kind: app\n  app: {}\n  model_config: {dataset_configs: {top_k: 90}}\n", "4:43 BE104 warning"},
		{"a count beyond any number", "top_k: 9000000000000000000\nchunk_order: sandwich\n", "1:8 BE104 warning"},
		{"a count beyond 64 bits", "top_k: 90000000000000000000000\nchunk_order: score_desc\n", "2:14 BE101 warning"},
		{"three thousand million", "order: {top_k: 3000000000, placement: ranked}\n", "1:16 BE104 warning, 1:39 BE101 warning"},
	} {
		if got := short(check(t, parse(t, "a.yaml", c.file), "")); got != c.want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", c.name, c.want, got)
		}
	}
}
