package eino_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// The second prompt begins as the first one did, with labels that stay, and what the
// provider says of its cache goes back into the memory.
func ExampleNewChatTemplate_reuse() {
	ctx := context.Background()
	memory, err := reuse.New(reuse.Config{Hold: 1})
	if err != nil {
		log.Fatal(err)
	}
	template, err := bookend.NewChatTemplate(ctx, &bookend.ChatTemplateConfig{
		Prompt: prompt.Config{Labels: prompt.ByID},
		Config: core.Config{Reuse: memory},
	})
	if err != nil {
		log.Fatal(err)
	}
	answered, err := bookend.AnswerHandler(memory.Answered)
	if err != nil {
		log.Fatal(err)
	}
	run, err := compose.NewChain[map[string]any, *schema.Message]().
		AppendChatTemplate(template).
		AppendChatModel(says("No, within 30 days.")).
		Compile(ctx)
	if err != nil {
		log.Fatal(err)
	}
	found := documents(4)
	for _, question := range []string{"Can I get a refund?", "And after 45 days?"} {
		ctx, trace := core.WithTrace(ctx)
		if _, err := run.Invoke(ctx, map[string]any{"documents": found, "question": question}, compose.WithCallbacks(answered)); err != nil {
			log.Fatal(err)
		}
		fmt.Println(trace.Arrangement().Order())
		found[1], found[3] = found[3], found[1] // the next request finds them in another order
	}
	fmt.Println(memory.Stats())
	// Output:
	// r1 r3 r4 r2
	// r1 r3 r2 r4
	// predicted: 2 requests with 44 bytes of documents, of which 22 (50 %) stood as an earlier prompt began. Confirmed: no answer told how long its prompt was.
}
