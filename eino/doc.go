// Package eino decides where retrieved documents stand in the prompt, inside graphs of
// github.com/cloudwego/eino. One node more does it:
//
//	reorder, err := bookend.NewTransformer(ctx, nil)
//	err = g.AddDocumentTransformerNode("reorder", reorder, compose.WithOutputKey("documents"))
//
// Import it as bookend. Place once, as the last step: multi-query, the router with its
// fusion, and the parent retriever read a list's order as ranks. Compile a graph in which
// documents and question meet at the prompt node with
// compose.WithNodeTriggerMode(compose.AllPredecessor). Otherwise that node runs before the
// documents are there.
package eino
