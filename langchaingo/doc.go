// Package langchaingo puts retrieved documents where the model reads them inside programs
// built on github.com/tmc/langchaingo. One line more wraps the retriever:
//
//	r, err := bookend.NewRetriever(vectorstores.ToRetriever(store, 10))
//	chain := chains.NewRetrievalQAFromLLM(llm, r)
//
// Import it as bookend. Transformer is a step of one's own; package combine wraps the combine-documents
// step, which leaves source_documents ranked. Settings are those of package core, the stages of a request
// those of core/pipeline. Place outermost, once: a fusion or a reranker expects ranks, not positions.
package langchaingo
