// The langchaingo example asks one question of a folder of documents twice: by a
// plain RetrievalQA chain, and by the same chain over a Bookend retriever. It
// shows which rank stands in which slot, both prompts as sent, and both answers.
//
//	go run ./examples/langchaingo
//	go run ./examples/langchaingo -docs ~/notes -q "When is the rent due?" -k 8
//
// It works offline over the handbook of an invented company. With OPENAI_API_KEY
// or OPENAI_BASE_URL set (and OPENAI_MODEL) it asks that model.
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
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newChain is all that both programs share: it knows nothing of Bookend.
func newChain(llm llms.Model, retriever schema.Retriever) chains.Chain {
	return chains.NewRetrievalQAFromLLM(llm, retriever)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("langchaingo", flag.ContinueOnError)
	folder := flags.String("docs", "", "folder of .md and .txt files (default: the handbook that comes with the example)")
	question := flags.String("q", "Can I get a refund after 45 days?", "question to ask")
	k := flags.Int("k", 10, "number of chunks to retrieve")
	var placement core.Choice
	flags.Var(&placement, "placement", "one of "+strings.Join(core.PlacementNames(), ", ")+" (default head-tail)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *k < 1 {
		return fmt.Errorf("-k is %d: it must be 1 or more", *k)
	}

	documents := handbook.Docs()
	if *folder != "" {
		documents = os.DirFS(*folder)
	}
	store, err := newStore(ctx, documents, *k)
	if err != nil {
		return err
	}
	model, modelName, err := newModel()
	if err != nil {
		return err
	}
	llm := &recorder{Model: model}

	// The plain program.
	chain := newChain(llm, store)
	answerBefore, err := chains.Run(ctx, chain, *question)
	if err != nil {
		return err
	}

	// The same program with Bookend: one line more.
	var arrangement core.Arrangement
	r, err := bookend.NewRetriever(store, bookend.WithConfig(core.Config{
		Placement: placement,
		Observe:   func(_ context.Context, e core.Event) { arrangement = e.Arrangement },
	}))
	if err != nil {
		return err
	}
	chain = newChain(llm, r)
	answerAfter, err := chains.Run(ctx, chain, *question)
	if err != nil {
		return err
	}

	ranked, err := store.GetRelevantDocuments(ctx, *question)
	if err != nil {
		return err
	}
	p := page{out: out}
	p.heading("Question", *question)
	p.printf("%d chunks found by BM25 in %d. r1 is the best match.\n", len(ranked), len(store.chunks))
	p.heading("Which rank stands in which slot", "")
	p.slots(ranked, arrangement)
	if *folder == "" {
		p.gold(*question, ranked, arrangement)
	}
	p.heading("The prompt as sent", "plain on the left, "+arrangement.Placement+" on the right")
	p.prompts(llm.prompts[0], llm.prompts[1], ranked, arrangement)
	p.heading("Answers", modelName)
	p.printf("plain      %s\n", printable(answerBefore))
	p.printf("%-9s  %s\n", arrangement.Placement, printable(answerAfter))
	if modelName == reader.Name {
		p.printf("\nThis reader reads every slot alike. A model does not: set OPENAI_API_KEY, or OPENAI_BASE_URL\nfor a server of your own, and OPENAI_MODEL to ask one.\n")
	}
	return p.err
}
