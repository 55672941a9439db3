// The eino example asks one question of the handbook of an invented company
// twice: by a plain graph, and by the same graph with one node more, which
// reorders the documents. It shows which rank stands in which slot and the answers, of
// a graph and of a chain, in one piece and streamed; with -prompt also the messages as
// they were sent. All lay out their prompt by Bookend's chat template, which numbers
// the documents by rank: "[1]" is the best match, wherever it stands.
//
//	go run ./examples/eino
//	go run ./examples/eino -prompt
//	go run ./examples/eino -q "How long is store credit valid?" -k 6 -placement edges-first
//	go run ./examples/eino -layout bookend
//
// It works offline. With OPENAI_API_KEY or OPENAI_BASE_URL set (and OPENAI_MODEL)
// it asks that model.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/bookend-rag/bookend/core"
	layout "github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/twice"
	"github.com/cloudwego/eino/schema"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("eino", flag.ContinueOnError)
	question := flags.String("q", "Can I get a refund after 45 days?", "`question` to ask")
	k := flags.Int("k", 10, "number of chunks to retrieve")
	prompts := flags.Bool("prompt", false, "also show the messages as they were sent, side by side")
	var placement core.Choice
	flags.Var(&placement, "placement", "`name`, one of "+strings.Join(core.PlacementNames(), ", ")+" (default head-tail)")
	order := layout.QuestionLast
	flags.Func("layout", "`name`, one of question-last, bookend, query-aware, instruction-first (default question-last)", func(name string) error {
		order = layout.Layout(name)
		_, err := order.Parts()
		return err
	})
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	if *k < 1 {
		return fmt.Errorf("-k is %d: it must be 1 or more", *k)
	}

	store, err := newStore(*k)
	if err != nil {
		return err
	}
	chat, chatName, err := newModel(ctx)
	if err != nil {
		return err
	}
	recorded := &recorder{BaseChatModel: chat}

	// The node that Bookend adds. bookend.NewTransformer(ctx, nil) is enough; this
	// one takes the placement from a flag and keeps what was decided, to show it.
	var arrangement core.Arrangement
	reorder, err := bookend.NewTransformer(ctx, &bookend.Config{
		Placement: placement,
		Observe:   func(_ context.Context, e core.Event) { arrangement = e.Arrangement },
	})
	if err != nil {
		return err
	}

	template, err := newTemplate(ctx, order)
	if err != nil {
		return err
	}
	plain, err := newGraph(ctx, store, template, recorded, nil)
	if err != nil {
		return err
	}
	graph, err := newGraph(ctx, store, template, recorded, reorder)
	if err != nil {
		return err
	}
	chain, err := newChain(ctx, store, template, recorded, reorder)
	if err != nil {
		return err
	}
	var answers []page.Field
	for _, form := range []struct {
		name string
		ask  func(context.Context, program, string) (string, error)
		of   program
	}{
		{"plain", invoke, plain},
		{"graph", invoke, graph},
		{"graph, streamed", stream, graph},
		{"chain", invoke, chain},
		{"chain, streamed", stream, chain},
	} {
		answer, err := form.ask(ctx, form.of, *question)
		if err != nil {
			return err
		}
		answers = append(answers, page.Field{Name: form.name, Text: answer})
	}

	ranked, err := store.Retrieve(ctx, *question)
	if err != nil {
		return err
	}
	documents, texts := make([]twice.Document, len(ranked)), make([]string, len(ranked))
	for i, d := range ranked {
		_, text, _ := strings.Cut(d.Content, "\n") // without the heading
		documents[i] = twice.Document{Name: d.ID, Text: text}
		texts[i] = d.Content
	}
	placed, err := core.Apply(arrangement, texts)
	if err != nil {
		return err
	}
	p := page.New(out, 38)
	twice.Asked{
		Question: *question, Chunks: len(store.chunks), Ranked: documents, Arrangement: arrangement, Answers: answers, Model: chatName,
		Ways: "plain, and placed in a graph and in a chain, each whole and streamed",
	}.Show(p)
	if *prompts {
		p.Heading("The messages as sent", "plain on the left, "+arrangement.Placement+" on the right")
		p.Prompts(page.Prompt{Messages: shown(recorded.sent[0]), Documents: texts},
			page.Prompt{Messages: shown(recorded.sent[1]), Documents: placed})
	} else {
		p.Printf("\nWith -prompt the messages are shown as they were sent.\n")
	}
	return p.Err()
}

// shown are messages for a page.
func shown(messages []*schema.Message) []page.Message {
	list := make([]page.Message, len(messages))
	for i, m := range messages {
		list[i] = page.Message{Role: string(m.Role), Text: m.Content}
	}
	return list
}
