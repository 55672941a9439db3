// Package pipeline owns a request for documents from the sources to the slots. It
// knows no framework: its documents are of any type.
//
//	sources → fuse → rerank → admit → place
//
// The stages always run in this order: a fusion and a reranker read an order as ranks, and
// must never get documents that are placed already. The guarantee is that of package core: the result holds
// exactly the admitted documents, each once, in a fresh slice, and nothing that was
// found is written to.
//
// New validates a Config. Run asks the sources, and Place takes documents that are at
// hand. The adapters of langchaingo and eino are built on both, and add only the fields,
// callbacks and options of their framework.
package pipeline
