package main

import (
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/twice"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// newChain is all that both programs share: it knows nothing of Bookend.
func newChain(llm llms.Model, retriever schema.Retriever) chains.Chain {
	return chains.NewRetrievalQAFromLLM(llm, retriever)
}

// newLaidOut is for a layout: the step that combines the documents places them and
// lays out the whole prompt.
func newLaidOut(llm llms.Model, retriever schema.Retriever, layout prompt.Layout, config core.Config) (chains.Chain, error) {
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{Prompt: parts(layout), Config: config})
	if err != nil {
		return nil, err
	}
	return chains.NewRetrievalQA(step, retriever), nil
}

// parts are what the prompt is made of. The layout says where each one stands, and
// leaves out what it has no place for.
func parts(layout prompt.Layout) prompt.Config {
	return prompt.Config{
		Layout:      layout,
		Rules:       "You answer customers. Use the documents alone; if they do not say, say so.",
		Task:        "Answer the question below.",
		Instruction: "Answer in under 80 words, and cite the number of each document that you use.",
		Reminder:    "Remember: the documents alone, with their numbers.",
	}
}

// compare asks one question twice, and shows the difference.
func (p program) compare(ctx context.Context, question string) error {
	// The plain program.
	chain := newChain(p.llm, p.store)
	answerBefore, err := chains.Run(ctx, chain, question)
	if err != nil {
		return err
	}

	// The same program with Bookend: one line more.
	var arrangement core.Arrangement
	config := core.Config{
		Placement: p.placement,
		Observe:   func(_ context.Context, e core.Event) { arrangement = e.Arrangement },
	}
	if p.layout == "" {
		r, err := bookend.NewRetriever(p.store, bookend.WithConfig(config))
		if err != nil {
			return err
		}
		chain = newChain(p.llm, r)
	} else if chain, err = newLaidOut(p.llm, p.store, p.layout, config); err != nil {
		return err
	}
	answerAfter, err := chains.Run(ctx, chain, question)
	if err != nil {
		return err
	}

	ranked, err := p.store.GetRelevantDocuments(ctx, question)
	if err != nil {
		return err
	}
	program, after := arrangement.Placement, arrangement.Placement
	if p.layout != "" {
		program, after = "laid out", after+" + "+string(p.layout)
	}
	documents, texts := make([]twice.Document, len(ranked)), make([]string, len(ranked))
	for i, d := range ranked {
		documents[i] = twice.Document{Name: fmt.Sprint(d.Metadata["source"]), Text: d.PageContent}
		texts[i] = d.PageContent
	}
	placed, err := core.Apply(arrangement, texts)
	if err != nil {
		return err
	}
	show := page.New(p.out, columnWidth)
	twice.Asked{
		Question: question, Chunks: p.store.Len(), Ranked: documents, Arrangement: arrangement, Model: p.modelName,
		Answers: []page.Field{{Name: "plain", Text: answerBefore}, {Name: program, Text: answerAfter}},
	}.Show(show)
	if p.prompts {
		show.Heading("The prompt as sent", "plain on the left, "+after+" on the right")
		show.Prompts(page.Prompt{Messages: shown(p.llm.sent[0]), Documents: texts},
			page.Prompt{Messages: shown(p.llm.sent[1]), Documents: placed})
	} else {
		show.Printf("\nWith -prompt the two prompts are shown as they were sent.\n")
	}
	return show.Err()
}

// columnWidth is the width of each of two columns, in characters.
const columnWidth = 38
