// Package langchaingo puts retrieved documents where the model reads them inside
// programs built on github.com/tmc/langchaingo. One line more wraps the
// retriever; nothing else in the chain changes:
//
//	r, err := bookend.NewRetriever(vectorstores.ToRetriever(store, 10))
//	chain := chains.NewRetrievalQAFromLLM(llm, r)
//
// Import it as bookend. Retriever wraps a retriever, Transformer is a step of
// one's own between any retriever and any chain, and the package combine below
// wraps the combine-documents step, which leaves source_documents ranked. The
// algorithms and the settings are those of package core.
//
// Place outermost, once: a Bookend retriever beneath a fusion or a reranker
// feeds it positions where it expects ranks. Refine reads one document a call and
// map-rerank sorts by score, so that an order means nothing to them.
package langchaingo
