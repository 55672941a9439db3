// The eino example asks one question of the handbook of an invented company
// twice: by a plain graph, and by the same graph with one node more, which
// reorders the documents. It shows which rank stands in which slot, both
// messages as sent, and the answers, of a graph and of a chain, in one piece and
// streamed. Both programs lay out their prompt by Bookend's chat template.
//
//	go run ./examples/eino
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
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/cloudwego/eino/schema"
)

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("eino", flag.ContinueOnError)
	question := flags.String("q", "Can I get a refund after 45 days?", "`question` to ask")
	k := flags.Int("k", 10, "number of chunks to retrieve")
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
	var answers [5]string
	for i, ask := range []func() (string, error){
		func() (string, error) { return invoke(ctx, plain, *question) },
		func() (string, error) { return invoke(ctx, graph, *question) },
		func() (string, error) { return stream(ctx, graph, *question) },
		func() (string, error) { return invoke(ctx, chain, *question) },
		func() (string, error) { return stream(ctx, chain, *question) },
	} {
		if answers[i], err = ask(); err != nil {
			return err
		}
	}

	ranked, err := store.Retrieve(ctx, *question)
	if err != nil {
		return err
	}
	lines, texts := make([]string, len(ranked)), make([]string, len(ranked))
	for i, d := range ranked {
		_, text, _ := strings.Cut(d.Content, "\n") // without the heading
		lines[i] = fmt.Sprintf("%-29s%s", d.ID, text)
		texts[i] = d.Content
	}
	placed, err := core.Apply(arrangement, texts)
	if err != nil {
		return err
	}
	p := page.New(out, 56)
	p.Heading("Question", *question)
	p.Printf("%d chunks found by BM25 in %d. r1 is the best match.\n", len(ranked), len(store.chunks))
	p.Heading("Which rank stands in which slot", "")
	p.Slots(lines, arrangement)
	p.Heading("The messages as sent", "plain on the left, "+arrangement.Placement+" on the right")
	p.Printf("The template numbers the documents from top to bottom.\n\n")
	p.Prompts(page.Prompt{Messages: shown(recorded.sent[0]), Documents: texts},
		page.Prompt{Messages: shown(recorded.sent[1]), Documents: placed})
	p.Heading("Answers", chatName)
	p.Printf("%-15s %-15s %s\n", "program", "order", "answer")
	for i, program := range []string{"graph, invoked", "graph, invoked", "graph, streamed", "chain, invoked", "chain, streamed"} {
		placement := arrangement.Placement
		if i == 0 {
			placement = "plain"
		}
		p.Printf("%-15s %-15s %s\n", program, placement, page.Printable(answers[i]))
	}
	if chatName == reader.Name {
		p.Printf("\n%s\n", reader.Hint)
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
