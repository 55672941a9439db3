// Package core decides where retrieved documents stand in a prompt. It knows no
// framework: it works on a slice of any type.
//
// Many language models read a long prompt unevenly, some of them its start and its
// end best. A retriever answers best first. A prompt in that order gives its last slot
// to the weakest document, and its middle to good ones. Package core ranks the
// documents, admits those that may enter, and places them, always in this order:
//
//	rank → admit → place
//
// The guarantee is one of positions: the result holds exactly the admitted
// documents, each once, in the order of the placement; the input is never
// written to; equal input gives equal output; values are safe for concurrent
// use. Whether an order helps depends on the model and is measured, not promised.
//
// Reorder is the whole package in one call. Transform and Arrange run a Config
// that New has validated; a Call says what is particular to one call. Package
// core/pipeline owns the request before that: retrievers, fusion, reranking. Every
// fault is an error that names the value and the rule.
//
// The words: a document's rank is its place by relevance, r1 the best (0 in
// code); a slot is a place in the prompt, first to last; a label is the number
// that a model cites, 1 for the best admitted document wherever it stands; a
// placement says which rank goes to which slot; an arrangement is the result.
package core
