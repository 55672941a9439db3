package combine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
)

// The second prompt begins as the first one did, with labels that stay, and what the
// provider says of its cache goes back into the memory.
func ExampleNewLayoutChain_reuse() {
	memory, err := reuse.New(reuse.Config{Hold: 1})
	if err != nil {
		log.Fatal(err)
	}
	llm := &telling{info: map[string]any{"PromptTokens": 40, "PromptCachedTokens": 16}}
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{
		Prompt:   prompt.Config{Labels: prompt.ByID},
		Config:   core.Config{Reuse: memory},
		Answered: memory.Answered,
	})
	if err != nil {
		log.Fatal(err)
	}
	found := documents(4)
	for _, question := range []string{"Can I get a refund?", "And after 45 days?"} {
		outputs, err := chains.Call(context.Background(), step, map[string]any{"input_documents": found, "question": question})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(outputs[combine.ArrangementKey].(core.Arrangement).Order())
		found[1], found[3] = found[3], found[1] // the next request finds them in another order
	}
	fmt.Println(memory.Stats())
	// Output:
	// r1 r3 r4 r2
	// r1 r3 r2 r4
	// predicted: 2 requests with 44 bytes of documents, of which 22 (50 %) stood as an earlier prompt began. Confirmed: 2 answers to 80 tokens of prompts, of which the provider says 32 (40 %) came from its cache.
}
