package eino_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// printer is a chat model that prints what it is sent.
type printer struct{ model.BaseChatModel }

func (printer) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	for _, m := range messages {
		fmt.Printf("--- %s\n%s\n", m.Role, m.Content)
	}
	return schema.AssistantMessage("No, within 30 days [1].", nil), nil
}

// The rules are the system message. In the user's message the documents stand
// first, the best ones at the ends, and the instruction is the last thing read.
func ExampleNewChatTemplate() {
	ctx := context.Background()
	template, err := bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{
		Prompt: prompt.Config{
			Rules:       "Use the documents alone, and cite the number.",
			Instruction: "Answer in under 80 words.",
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	run, err := compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().
			AddRetriever("documents", list(documents(5))).
			AddPassthrough("question")).
		AppendChatTemplate(template).
		AppendChatModel(printer{}). // prints what it is sent
		Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := run.Invoke(ctx, "Can I get a refund after 45 days?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("--- answer\n%s\n", answer.Content)
	// Output:
	// --- system
	// Use the documents alone, and cite the number.
	// --- user
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
