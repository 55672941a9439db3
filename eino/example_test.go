package eino_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
)

// One node more than without Bookend: it takes what the retriever found, best
// first, and hands on what the prompt shows.
func ExampleNewTransformer() {
	ctx := context.Background()
	reorder, err := bookend.NewTransformer(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	g := compose.NewGraph[string, docs]()
	if err := errors.Join(
		g.AddRetrieverNode("retrieve", list(documents(5))),
		g.AddDocumentTransformerNode("reorder", reorder),
		g.AddEdge(compose.START, "retrieve"),
		g.AddEdge("retrieve", "reorder"),
		g.AddEdge("reorder", compose.END),
	); err != nil {
		log.Fatal(err)
	}
	run, err := g.Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	placed, err := run.Invoke(ctx, "How long does a refund take?")
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range placed {
		fmt.Println(doc.Content)
	}
	// Output:
	// first
	// third
	// fifth
	// fourth
	// second
}

// With an over-fetch the inner retriever is asked for more than may be admitted,
// so that what is left out can be made up for.
func ExampleNewRetriever() {
	ctx := context.Background()
	found := documents(6)
	found[1].Content = "first" // a duplicate
	r, err := bookend.NewRetriever(ctx, &bookend.RetrieverConfig{
		Retriever: list(found),
		Config:    core.Config{DropSameText: true},
		OverFetch: 2,
	})
	if err != nil {
		log.Fatal(err)
	}
	placed, err := r.Retrieve(ctx, "How long does a refund take?", retriever.WithTopK(3))
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range placed {
		fmt.Println(doc.Content)
	}
	// Output:
	// first
	// fourth
	// third
}

// A call can have settings of its own, here those that change nothing. In a graph,
// name the node that they are for.
func ExampleTransformWith() {
	ctx := context.Background()
	reorder, err := bookend.NewTransformer(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	run, err := compose.NewChain[docs, docs]().
		AppendDocumentTransformer(reorder, compose.WithNodeKey("reorder")).
		Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	off := compose.WithDocumentTransformerOption(bookend.TransformWith(core.Off)).DesignateNode("reorder")
	for _, options := range [][]compose.Option{nil, {off}} {
		placed, err := run.Invoke(ctx, documents(4), options...)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(texts(placed))
	}
	// Output:
	// first third fourth second
	// first second third fourth
}
