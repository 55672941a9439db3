package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// turns are what a chat asks if nothing else is given. The first one is also the
// question of the comparison.
var turns = []string{
	"Can I get a refund after 45 days?",
	"How long is store credit valid?",
	"And can it be used for gift cards?",
}

// newConversation keeps the earlier turns in one memory, which serves twice: for
// the search the chain makes a question of them that stands by itself, and in the
// prompt they stand as they were said, in their roles.
func newConversation(llm llms.Model, condense chains.Chain, retriever schema.Retriever, layout prompt.Layout, config core.Config) (chains.Chain, error) {
	buffer := memory.NewConversationBuffer()
	step, err := combine.NewLayoutChain(llm, combine.LayoutConfig{
		Prompt:  parts(layout),
		Config:  config,
		History: buffer.ChatHistory,
	})
	if err != nil {
		return nil, err
	}
	chain := chains.NewConversationalRetrievalQA(step, condense, retriever, buffer)
	chain.RephraseQuestion = false // the prompt asks what was asked: it has the turns before
	return chain, nil
}

// chat asks questions in a row, and shows what was sent with the last one.
func (p program) chat(ctx context.Context, questions []string) error {
	condense := chains.Chain(joinQuestions)
	if p.modelName != reader.Name {
		// The plain model: what the recorder keeps is the prompts of the answers.
		condense = chains.LoadCondenseQuestionGenerator(p.llm.Model)
	}
	var query, order string
	chain, err := newConversation(p.llm, condense, searched{p.store, &query}, p.layout, core.Config{
		Placement: p.placement,
		Observe:   func(_ context.Context, e core.Event) { order = e.Arrangement.Order() },
	})
	if err != nil {
		return err
	}
	show := page.New(p.out, columnWidth)
	show.Fields(page.Field{Name: "a chat with", Text: p.modelName})
	show.Printf("\n")
	for _, question := range questions {
		answer, err := chains.Run(ctx, chain, question)
		if err != nil {
			return err
		}
		show.Fields(page.Field{Name: "question", Text: question}, page.Field{Name: "search", Text: query},
			page.Field{Name: "slots", Text: order}, page.Field{Name: "answer", Text: answer})
		show.Printf("\n")
	}
	show.Lines("A number in an answer means a document of its own turn. A service that shows sources keeps the labels of each turn.")
	if p.prompts {
		show.Heading("The messages as sent in the last turn", "")
		show.Messages(shown(p.llm.sent[len(p.llm.sent)-1]))
	} else {
		show.Printf("\nWith -prompt the messages of the last turn are shown as they were sent.\n")
	}
	return show.Err()
}

// joinQuestions makes a question that stands by itself where there is no model to
// do it: it searches by the last two questions together.
var joinQuestions = chains.NewTransform(func(_ context.Context, values map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
	history, question := values["chat_history"], values["question"]
	for line := range strings.Lines(fmt.Sprint(history)) {
		if earlier, asked := strings.CutPrefix(line, "Human: "); asked {
			question = strings.TrimSpace(earlier) + " " + fmt.Sprint(values["question"])
		}
	}
	return map[string]any{"text": question}, nil
}, []string{"chat_history", "question"}, []string{"text"})

// searched keeps the query that reached a retriever.
type searched struct {
	schema.Retriever
	query *string
}

func (s searched) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	*s.query = query
	return s.Retriever.GetRelevantDocuments(ctx, query)
}
