package eino_test

import (
	"context"
	"fmt"
	"log"

	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/retriever/multiquery"
	"github.com/cloudwego/eino/flow/retriever/router"
	"github.com/cloudwego/eino/schema"
)

// texted returns documents with the given texts.
func texted(texts ...string) list {
	found := make(list, len(texts))
	for i, text := range texts {
		found[i] = &schema.Document{ID: text, Content: text}
	}
	return found
}

func retrieve(r retriever.Retriever) string {
	found, err := r.Retrieve(context.Background(), "why?")
	if err != nil {
		log.Fatal(err)
	}
	return texts(found)
}

func wrap(inner retriever.Retriever) retriever.Retriever {
	r, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: inner})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// Multi-query joins one list after the other. A Bookend retriever beneath it puts
// a2, the second best, and b1 into the middle of the prompt.
//
// Write this instead: put the multi-query retriever into RetrieverConfig.Retriever.
func ExampleNewRetriever_incorrectBeneathMultiQuery() {
	found := byQuery{"why?": docs(texted("a1", "a2", "a3")), "how?": docs(texted("b1", "b2", "b3"))}
	ask := func(inner retriever.Retriever) retriever.Retriever {
		r, err := multiquery.NewRetriever(context.Background(), &multiquery.Config{
			OrigRetriever:  inner,
			RewriteHandler: func(_ context.Context, q string) ([]string, error) { return []string{q, "how?"}, nil },
		})
		if err != nil {
			log.Fatal(err)
		}
		return r
	}
	fmt.Println("incorrect:", retrieve(ask(wrap(found))))
	fmt.Println("correct:  ", retrieve(wrap(ask(found))))
	// Output:
	// incorrect: a1 a3 a2 b1 b3 b2
	// correct:   a1 a3 b2 b3 b1 a2
}

// A fusion by reciprocal rank reads an order as ranks, and so does a reranker that
// goes by it. With Bookend retrievers beneath the router the wrong document counts
// as the best, and nothing is placed in the end.
//
// Write this instead: put the router into RetrieverConfig.Retriever.
func ExampleNewRetriever_incorrectBeneathFusion() {
	a, b := texted("second", "first", "third", "fourth"), texted("first", "third", "second")
	fuse := func(a, b retriever.Retriever) retriever.Retriever {
		r, err := router.NewRetriever(context.Background(), &router.Config{
			Retrievers: map[string]retriever.Retriever{"a": a, "b": b},
			Router:     func(context.Context, string) ([]string, error) { return []string{"a", "b"}, nil },
		})
		if err != nil {
			log.Fatal(err)
		}
		return r
	}
	fmt.Println("the ranks:", retrieve(fuse(a, b)))
	fmt.Println("incorrect:", retrieve(fuse(wrap(a), wrap(b))))
	fmt.Println("correct:  ", retrieve(wrap(fuse(a, b))))
	// Output:
	// the ranks: first second third fourth
	// incorrect: second first third fourth
	// correct:   first third fourth second
}

// A wrapped retriever and a transformer node after it place twice, which puts the
// second best document into the middle. Neither can see the other.
//
// Write this instead: wrap the retriever or add the node, not both.
func ExampleNewTransformer_incorrectAfterWrappedRetriever() {
	ctx := context.Background()
	reorder, err := bookend.NewTransformer(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	run, err := compose.NewChain[string, docs]().
		AppendRetriever(wrap(list(documents(5)))).
		AppendDocumentTransformer(reorder).
		Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	placed, err := run.Invoke(ctx, "why?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(texts(placed))
	// Output: first fifth second fourth third
}
