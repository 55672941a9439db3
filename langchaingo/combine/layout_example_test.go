package combine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
)

// printer is a model that prints what it is sent.
type printer struct{}

func (printer) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	for _, m := range messages {
		fmt.Printf("--- %s\n%v\n", m.Role, m.Parts[0])
	}
	return says("No, within 30 days [1]."), nil
}

func (p printer) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, p, prompt, options...)
}

// The rules are the system message. In the user's message the documents stand
// first, the best ones at the ends, and the instruction is the last thing read.
func ExampleNewLayoutChain() {
	llm := printer{} // prints what it is sent
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{
		Prompt: prompt.Config{
			Rules:       "Use the documents alone, and cite the number.",
			Instruction: "Answer in under 80 words.",
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQA(step, list(documents(5)))
	answer, err := chains.Run(context.Background(), chain, "Can I get a refund after 45 days?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("--- answer\n%s\n", answer)
	// Output:
	// --- system
	// Use the documents alone, and cite the number.
	// --- human
	// [1] first
	//
	// [3] third
	//
	// [5] fifth
	//
	// [4] fourth
	//
	// [2] second
	//
	// Question: Can I get a refund after 45 days?
	//
	// Answer in under 80 words.
	// --- answer
	// No, within 30 days [1].
}

// An LLMChain of one's own gets the same parts as one text.
func ExampleNewPrompter() {
	llm := printer{} // prints what it is sent
	prompter, err := combine.NewPrompter(combine.LayoutConfig{
		Prompt: prompt.Config{
			Rules:  "Use the documents alone, and cite the number.",
			Format: prompt.XML,
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQA(chains.NewLLMChain(llm, prompter), list(documents(2)))
	answer, err := chains.Run(context.Background(), chain, "Can I get a refund after 45 days?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("--- answer\n%s\n", answer)
	// Output:
	// --- human
	// Use the documents alone, and cite the number.
	//
	// <documents>
	// <document index="1">
	// <document_content>
	// first
	// </document_content>
	// </document>
	// <document index="2">
	// <document_content>
	// second
	// </document_content>
	// </document>
	// </documents>
	//
	// Question: Can I get a refund after 45 days?
	// --- answer
	// No, within 30 days [1].
}
