// Package eino puts retrieved documents where the model reads them inside graphs of
// github.com/cloudwego/eino. One node more does it:
//
//	reorder, err := bookend.NewTransformer(ctx, nil)
//	err = g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents"))
//
// Import it as bookend. Place outermost, once: multi-query, the router with its fusion and
// the parent retriever read a list's order as rank. A graph in which documents and question
// meet at the prompt node has to be compiled with
// compose.WithNodeTriggerMode(compose.AllPredecessor), or it fires without documents.
package eino
