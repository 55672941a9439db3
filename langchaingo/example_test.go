package langchaingo_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

func ExampleNewTransformer() {
	found := []schema.Document{
		{PageContent: "best"}, {PageContent: "second"}, {PageContent: "third"}, {PageContent: "fourth"}, {PageContent: "fifth"},
	}
	reorder, err := bookend.NewTransformer()
	if err != nil {
		log.Fatal(err)
	}
	placed, err := reorder.TransformDocuments(context.Background(), found)
	if err != nil {
		log.Fatal(err)
	}
	for _, doc := range placed {
		fmt.Println(doc.PageContent)
	}
	// Output:
	// best
	// third
	// fifth
	// fourth
	// second
}

// handbook stands for a vector store's retriever.
type handbook struct{}

func (handbook) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) {
	return []schema.Document{
		{PageContent: "Refunds take 14 days."},
		{PageContent: "Gift cards are not refunded."},
		{PageContent: "Parcels to islands take 9 days."},
	}, nil
}

// printer stands for a model: it prints the prompt.
type printer struct{}

func (printer) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	fmt.Println(messages[0].Parts[0])
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "14 days."}}}, nil
}

func (p printer) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, p, prompt, options...)
}

// One line more than without Bookend: the retriever is wrapped. The second best
// document now stands next to the question.
func ExampleNewRetriever() {
	r, err := bookend.NewRetriever(handbook{})
	if err != nil {
		log.Fatal(err)
	}
	chain := chains.NewRetrievalQAFromLLM(printer{}, r)
	answer, err := chains.Run(context.Background(), chain, "How long does a refund take?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	// Output:
	// Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know, don't try to make up an answer.
	//
	// Refunds take 14 days.
	//
	// Parcels to islands take 9 days.
	//
	// Gift cards are not refunded.
	//
	// Question: How long does a refund take?
	// Helpful Answer:
	// 14 days.
}

// core.Arrange tells what a transformer does with documents, and why.
func ExampleView() {
	found := []schema.Document{
		{PageContent: "best", Score: 0.1},
		{PageContent: "second", Score: 0.2},
		{PageContent: "far off", Score: 0.9},
		{PageContent: "third", Score: 0.3},
	}
	limit := 0.5
	a, err := core.New(core.Config{Direction: core.LowerIsBetter, Threshold: &limit})
	if err != nil {
		log.Fatal(err)
	}
	arrangement, err := core.Arrange(context.Background(), a, found, bookend.View(), core.Call{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(arrangement.Order())
	for _, out := range arrangement.Dropped {
		fmt.Printf("%q is left out: %s\n", found[out.Index].PageContent, out.Reason)
	}
	// Output:
	// r1 r4 r2
	// "far off" is left out: worse than the threshold
}
