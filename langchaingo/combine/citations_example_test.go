package combine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// What an answer cites is resolved by the arrangement that stands beside it. The ranks
// are those of the documents that the chain found.
func ExampleLayoutChain_citations() {
	llm := citing{} // answers "So it is [2]."
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{})
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQA(step, list(documents(5)))
	chain.ReturnSourceDocuments = true
	out, err := chains.Call(context.Background(), chain, map[string]any{"query": "why?"})
	if err != nil {
		log.Fatal(err)
	}
	sources := out["source_documents"].([]schema.Document)
	for _, c := range prompt.Citations(out["text"].(string), out[combine.ArrangementKey].(core.Arrangement)) {
		fmt.Printf("[%d] is there: %t, its text: %s\n", c.Label, c.Exists, sources[c.Rank].PageContent)
	}
	// Output:
	// [2] is there: true, its text: second
}

// A conversation passes on the text of the answer alone, and here it is streamed: a
// trace of the request remembers how its documents were arranged.
func ExampleLayoutChain_conversation() {
	llm, buffer := citing{}, memory.NewConversationBuffer()
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{History: buffer.ChatHistory})
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewConversationalRetrievalQA(step, chains.LoadCondenseQuestionGenerator(llm), list(documents(5)), buffer)
	stream := chains.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		_, err := fmt.Printf("%s|", piece)
		return err
	})
	for _, question := range []string{"why?", "and how?"} {
		ctx, trace := core.WithTrace(context.Background()) // one for each request
		answer, err := chains.Run(ctx, chain, question, stream)
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range prompt.Citations(answer, trace.Arrangement()) {
			fmt.Printf(" [%d] is the document of rank %d\n", c.Label, c.Rank+1)
		}
	}
	// Output:
	// So it |is [2].| [2] is the document of rank 2
	// So it |is [2].| [2] is the document of rank 2
}
