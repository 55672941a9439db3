package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
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
	after := arrangement.Placement
	if p.layout != "" {
		after += " + " + string(p.layout)
	}
	lines, texts := make([]string, len(ranked)), make([]string, len(ranked))
	for i, d := range ranked {
		lines[i] = fmt.Sprintf("%-26v%s", d.Metadata["source"], strings.Join(strings.Fields(d.PageContent), " "))
		texts[i] = d.PageContent
	}
	placed, err := core.Apply(arrangement, texts)
	if err != nil {
		return err
	}
	show := page.New(p.out, columnWidth)
	show.Heading("Question", question)
	show.Printf("%d chunks found by BM25 in %d. r1 is the best match.\n", len(ranked), p.store.Len())
	show.Heading("Which rank stands in which slot", "")
	show.Slots(lines, arrangement)
	if where := gold(question, texts, arrangement); where != "" {
		show.Printf("\n%s\n", where)
	}
	show.Heading("The prompt as sent", "plain on the left, "+after+" on the right")
	if p.layout != "" && len(ranked) > 0 {
		show.Printf("[1] is the best match, wherever it stands.\n\n")
	}
	show.Prompts(page.Prompt{Messages: shown(p.llm.sent[0]), Documents: texts},
		page.Prompt{Messages: shown(p.llm.sent[1]), Documents: placed})
	show.Heading("Answers", p.modelName)
	show.Printf("%-*s  %s\n", len(after), "plain", page.Printable(answerBefore))
	show.Printf("%s  %s\n", after, page.Printable(answerAfter))
	if p.modelName == reader.Name {
		show.Printf("\n%s\n", reader.Hint)
	}
	return show.Err()
}

// columnWidth is the width of each of two columns, in characters.
const columnWidth = 56

// gold says where the answer of a handbook question stands; "" for any other
// question.
func gold(question string, ranked []string, a core.Arrangement) string {
	questions, err := handbook.Questions()
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	for _, q := range questions {
		if q.Question != question {
			continue
		}
		for rank, text := range ranked {
			if slot, placed := a.SlotOf(rank); placed && strings.Contains(text, q.Answers[0]) {
				return fmt.Sprintf("The handbook's answer, %q, is in r%d: slot %d of %d plain, slot %d with %s.",
					q.Answers[0], rank+1, rank+1, len(ranked), slot+1, a.Placement)
			}
		}
		return fmt.Sprintf("The handbook's answer, %q, was not retrieved: no order of the documents helps.", q.Answers[0])
	}
	return ""
}
