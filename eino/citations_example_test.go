package eino_test

import (
	"context"
	"fmt"
	"log"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// However deep in a graph the prompt is laid out, a trace in the context knows which
// document a number cites: here that of rank r2, which stands last, and none.
func ExampleNewChatTemplate_citations() {
	template, err := bookend.NewChatTemplate(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	run, err := compose.NewChain[string, *schema.Message]().
		AppendParallel(compose.NewParallel().
			AddRetriever("documents", list(documents(5))).
			AddPassthrough("question")).
		AppendChatTemplate(template).
		AppendChatModel(says("Within 30 days [2], says the law [9].")).
		Compile(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	ctx, trace := core.WithTrace(context.Background())
	answer, err := run.Invoke(ctx, "Can I get a refund?")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range prompt.Citations(answer.Content, trace.Arrangement()) {
		fmt.Printf("[%d] exists: %t, rank r%d\n", c.Label, c.Exists, c.Rank+1)
	}
	// Output:
	// [2] exists: true, rank r2
	// [9] exists: false, rank r0
}

// The user's message tells how its documents were arranged. It goes where the message
// goes, such as into a checkpoint, and no model sees it.
func ExampleArrangementOf() {
	ctx := context.Background()
	template, err := bookend.NewChatTemplate(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	found := documents(5)
	messages, err := template.Format(ctx, map[string]any{"documents": found, "question": "Can I get a refund?"})
	if err != nil {
		log.Fatal(err)
	}
	arrangement := bookend.ArrangementOf(messages[len(messages)-1].Extra)
	for _, c := range prompt.Citations("Within 30 days [2].", arrangement) {
		i, exists := arrangement.IndexOf(c.Rank)
		fmt.Println(c.Label, exists, found[i].Content)
	}
	// Output: 2 true second
}
