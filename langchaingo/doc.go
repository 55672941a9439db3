// Package langchaingo decides where retrieved documents stand in the prompt, inside
// programs built on github.com/tmc/langchaingo. One line more wraps the retriever:
//
//	r, err := bookend.NewRetriever(vectorstores.ToRetriever(store, 10))
//	chain := chains.NewRetrievalQAFromLLM(llm, r)
//
// Import it as bookend. Transformer places documents that are at hand. Package combine
// wraps the combine-documents step, which leaves source_documents ranked. The settings are
// those of package core, and the stages of a request those of core/pipeline. Place once, as
// the last step: a fusion or a reranker expects ranks, not positions.
package langchaingo
