// Package eino puts retrieved documents where the model reads them inside graphs
// of github.com/cloudwego/eino. One node more does it:
//
//	reorder, err := bookend.NewTransformer(ctx, nil)
//	err = g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents"))
//
// Import it as bookend. Transformer is a node of a Chain, a Graph or a Workflow;
// Retriever wraps a retriever. The algorithms and the settings are those of
// package core.
//
// Place outermost, once. Multi-query, the router with its fusion and the parent
// retriever read a list's order as rank: put Bookend around them, never beneath.
//
// A graph in which documents and question meet at the prompt node has to be
// compiled with compose.WithNodeTriggerMode(compose.AllPredecessor); by default
// the prompt node fires as soon as the question arrives, without documents.
package eino
