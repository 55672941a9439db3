// Package rank finds ranks where a retriever's own order is not enough: it fuses
// the lists of several retrievers, has a model score each document for the question,
// and measures how good the ranks are. What follows, admission and placement, is
// that of package core.
//
//	fused, err := rank.Fuse(rank.Fusion{}, view, lists...)
//	reranked, err := rank.Rerank(ctx, reranker, view, question, fused.Docs)
//	placed, err := core.Transform(ctx, arranger, fused.Docs, view, core.Call{Stages: append(fused.Stages, reranked)})
//
// Package pipeline asks the retrievers and does these three steps in one call. The order
// of the stages never changes: fuse, rerank, admit, place. Nothing is written to a
// document; the arrangement shows its rank and score in each stage.
package rank
