// The eino example asks one question of the handbook of an invented company
// twice: by a plain graph, and by the same graph with one node more, which
// reorders the documents. It shows which rank stands in which slot, both
// messages as sent, and the answers, of a graph and of a chain, in one piece and
// streamed.
//
//	go run ./examples/eino
//	go run ./examples/eino -q "How long is store credit valid?" -k 6 -placement edges-first
//
// It works offline. With OPENAI_API_KEY or OPENAI_BASE_URL set (and OPENAI_MODEL)
// it asks that model.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/examples/internal/reader"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("eino", flag.ContinueOnError)
	question := flags.String("q", "Can I get a refund after 45 days?", "question to ask")
	k := flags.Int("k", 10, "number of chunks to retrieve")
	var placement core.Choice
	flags.Var(&placement, "placement", "one of "+strings.Join(core.PlacementNames(), ", ")+" (default head-tail)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: a question goes after -q, in quotes", flags.Arg(0))
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

	plain, err := newGraph(ctx, store, recorded, nil)
	if err != nil {
		return err
	}
	graph, err := newGraph(ctx, store, recorded, reorder)
	if err != nil {
		return err
	}
	chain, err := newChain(ctx, store, recorded, reorder)
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
	p := page{out: out}
	p.heading("Question", *question)
	p.printf("%d chunks found by BM25 in %d. r1 is the best match.\n", len(ranked), len(store.chunks))
	p.heading("Which rank stands in which slot", "")
	p.slots(ranked, arrangement)
	p.heading("The messages as sent", "plain on the left, "+arrangement.Placement+" on the right")
	p.messages(recorded.sent[0], recorded.sent[1])
	p.heading("Answers", chatName)
	p.printf("%-15s %-15s %s\n", "program", "order", "answer")
	for i, program := range []string{"graph, invoked", "graph, invoked", "graph, streamed", "chain, invoked", "chain, streamed"} {
		order := arrangement.Placement
		if i == 0 {
			order = "plain"
		}
		p.printf("%-15s %-15s %s\n", program, order, printable(answers[i]))
	}
	if chatName == reader.Name {
		p.printf("\nThis reader reads every slot alike. A model does not: set OPENAI_API_KEY, or OPENAI_BASE_URL\nfor a server of your own, and OPENAI_MODEL to ask one.\n")
	}
	return p.err
}
