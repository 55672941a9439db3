package combine_test

import (
	"context"
	"fmt"
	"log"

	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
)

// The prompt has the placed documents, source_documents the ranked ones.
func ExampleWrap() {
	llm := &echo{} // answers with the documents in its prompt
	step, err := combine.Wrap(chains.LoadStuffQA(llm))
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQA(step, list(documents(5)))
	chain.ReturnSourceDocuments = true
	out, err := chains.Call(context.Background(), chain, map[string]any{"query": "why?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the prompt:\n%s\n", out["text"])
	fmt.Println("the sources:", sourceTexts(out))
	// Output:
	// the prompt:
	// first
	// third
	// fifth
	// fourth
	// second
	// the sources: first second third fourth fifth
}

// A wrapped retriever and a wrapped step place twice, which puts the second best
// document into the middle. Neither can see the other.
//
// Write this instead: wrap one of them, the step if you show sources.
//
//	step, err := combine.Wrap(chains.LoadStuffQA(llm))
//	chain := chains.NewRetrievalQA(step, retriever)
func ExampleWrap_incorrectWithWrappedRetriever() {
	llm := &echo{}
	step, err := combine.Wrap(chains.LoadStuffQA(llm))
	if err != nil {
		log.Fatal(err)
	}
	retriever, err := bookend.NewRetriever(list(documents(5)))
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQA(step, retriever)
	answer, err := chains.Run(context.Background(), chain, "why?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// first
	// fifth
	// second
	// fourth
	// third
}
