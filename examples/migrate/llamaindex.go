package main

import (
	"context"

	"github.com/bookend-rag/bookend/core"
)

// node is a document of a program's own type.
type node struct {
	Text  string
	Score float64
}

// LlamaIndex, in Python:
//
//	nodes = LongContextReorder().postprocess_nodes(nodes)
//
// That sorts by score first, the higher the better, so that it has to be asked for
// here. Among equal scores LlamaIndex takes the later document for the better one;
// Bookend takes the earlier.
func fromLlamaIndex(ctx context.Context, nodes []node) ([]node, error) {
	reorder, err := core.New(core.Config{
		Rank:      core.ByScore,
		Direction: core.HigherIsBetter,
		Placement: core.Choice{Placement: core.LongContext},
	})
	if err != nil {
		return nil, err
	}
	return core.Transform(ctx, reorder, nodes, &core.View[node]{
		Score: func(n node) (float64, bool) { return n.Score, true },
	}, core.Call{})
}
