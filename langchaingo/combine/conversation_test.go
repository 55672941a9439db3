package combine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/memory"
)

func conversation(t *testing.T, llm *echo, options ...memory.ConversationBufferOption) chains.ConversationalRetrievalQA {
	t.Helper()
	return chains.NewConversationalRetrievalQA(
		wrap(t, chains.LoadStuffQA(llm), core.Config{TopK: 3}),
		chains.LoadCondenseQuestionGenerator(llm),
		list(documents(4)),
		memory.NewConversationBuffer(options...),
	)
}

func TestConversationRemembersEachTurnOnce(t *testing.T) {
	t.Parallel()
	llm := &echo{}
	chain := conversation(t, llm)
	for turn := 1; turn <= 2; turn++ {
		answer, err := chains.Run(context.Background(), chain, "why?")
		if err != nil {
			t.Fatal(err)
		}
		if want := "first\nthird\nsecond"; answer != want {
			t.Errorf("turn %d (-want +got)\n-%s\n+%s", turn, want, answer)
		}
		history := chain.Memory.(*memory.ConversationBuffer).ChatHistory
		messages, err := history.Messages(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(messages) != 2*turn {
			t.Errorf("%d messages after turn %d, want one question and one answer each", len(messages), turn)
		}
	}
}

// With sources the chain has two outputs, of which langchaingo's memory has to be
// told which one to save.
func TestConversationWithSourcesNeedsTheOutputKey(t *testing.T) {
	t.Parallel()
	values := map[string]any{"question": "why?"}

	chain := conversation(t, &echo{}, memory.WithOutputKey("text"))
	chain.ReturnSourceDocuments = true
	out, err := chains.Call(context.Background(), chain, values)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sourceTexts(out), "first second third fourth"; got != want {
		t.Errorf("source_documents (-want +got)\n-%s\n+%s", want, got)
	}
	if got, want := out["text"], "first\nthird\nsecond"; got != want {
		t.Errorf("answer (-want +got)\n-%s\n+%s", want, got)
	}

	without := conversation(t, &echo{})
	without.ReturnSourceDocuments = true
	if _, err := chains.Call(context.Background(), without, values); !errors.Is(err, memory.ErrInvalidInputValues) {
		t.Errorf("without the output key: got the error %v, want %v", err, memory.ErrInvalidInputValues)
	}
}
