package combine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
)

// An LLMChain sends the whole prompt as one message of the user.
func TestAnLLMChainSendsTheTextOfThePrompt(t *testing.T) {
	t.Parallel()
	for name, c := range layoutConfigs() {
		for _, n := range []int{0, 5} {
			t.Run(fmt.Sprintf("%s, %d documents", name, n), func(t *testing.T) {
				c := c // its history differs
				var history []prompt.Message
				c.History, history = kept()
				want := "<human>" + render(t, c, titled(n), "why?", history...).Text + "|"
				llm := &wire{}
				chain := chains.NewRetrievalQA(chains.NewLLMChain(llm, newPrompter(t, c)), list(titled(n)))
				answer, err := chains.Run(context.Background(), chain, "why?")
				if err != nil {
					t.Fatal(err)
				}
				if answer != "yes" {
					t.Errorf("answer %q", answer)
				}
				if got := llm.only(t); got != want {
					t.Errorf("(-want +got)\n-%s\n+%s", want, got)
				}
			})
		}
	}
}

// The value itself keeps the roles, for a caller who asks it.
func TestAPromptValueKeepsTheRoles(t *testing.T) {
	t.Parallel()
	c := combine.LayoutConfig{Prompt: parts()}
	var history []prompt.Message
	c.History, history = kept()
	want := render(t, c, titled(3), "why?", history...)
	value, err := newPrompter(t, c).FormatPrompt(map[string]any{"input_documents": titled(3), "question": "why?"})
	if err != nil {
		t.Fatal(err)
	}
	var sent []llms.MessageContent
	for _, m := range value.Messages() {
		sent = append(sent, llms.TextParts(m.GetType(), m.GetContent()))
	}
	if got, want := chat(sent), wantChat(want.Messages); got != want {
		t.Errorf("messages (-want +got)\n-%s\n+%s", want, got)
	}
	if got := value.String(); got != want.Text {
		t.Errorf("text (-want +got)\n-%s\n+%s", want.Text, got)
	}
}

func TestAPrompterReadsDocumentsAndQuestion(t *testing.T) {
	t.Parallel()
	if got, want := newPrompter(t, combine.LayoutConfig{}).GetInputVariables(), []string{"input_documents", "question"}; !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n-%v\n+%v", want, got)
	}
}

// Memory and callbacks are those of the LLMChain, once each; the Callbacks of the
// configuration have no effect.
func TestAnLLMChainWithAPrompterRunsOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		err   error
		heard []string
		saves int
	}{
		{"success", nil, []string{"start", "end"}, 1},
		{"failure", errDown, []string{"start", "error"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			llm := &wire{answer: func(context.Context, []llms.MessageContent, llms.CallOptions) (*llms.ContentResponse, error) {
				return says("yes"), c.err
			}}
			own, unused, observed := &listener{}, &listener{}, 0
			chain := chains.NewLLMChain(llm, newPrompter(t, combine.LayoutConfig{
				Callbacks: unused,
				Config:    core.Config{Observe: func(context.Context, core.Event) { observed++ }},
			}), chains.WithCallback(own))
			m := &counting{Memory: memory.NewSimple()}
			chain.Memory = m
			_, err := chains.Call(context.Background(), chain, map[string]any{"input_documents": documents(3), "question": "why?"})
			if !errors.Is(err, c.err) {
				t.Errorf("got the error %v, want %v", err, c.err)
			}
			if m.loads != 1 || m.saves != c.saves || len(llm.prompts) != 1 || observed != 1 {
				t.Errorf("%d loads, %d saves, %d prompts and %d observed, want 1, %d, 1 and 1", m.loads, m.saves, len(llm.prompts), observed, c.saves)
			}
			if !slices.Equal(own.heard, c.heard) || unused.heard != nil {
				t.Errorf("events (-want +got)\n-%v\n+%v, and %v by the other handler", c.heard, own.heard, unused.heard)
			}
		})
	}
}

// The memory of an LLMChain can be the history of its prompt.
func TestAnLLMChainWithAPrompterRemembers(t *testing.T) {
	t.Parallel()
	buffer := memory.NewConversationBuffer(memory.WithInputKey("question"))
	llm := &wire{}
	chain := chains.NewLLMChain(llm, newPrompter(t, combine.LayoutConfig{
		Prompt:  prompt.Config{Rules: "Be brief."},
		History: buffer.ChatHistory,
	}))
	chain.Memory = buffer
	for _, question := range []string{"how?", "why?"} {
		_, err := chains.Call(context.Background(), chain, map[string]any{"input_documents": documents(2), "question": question})
		if err != nil {
			t.Fatal(err)
		}
	}
	const docs = "[1] first\n\n[2] second\n\nQuestion: "
	want := []string{
		"<human>Be brief.\n\n" + docs + "how?|",
		"<human>Be brief.\n\nUser: how?\nAssistant: yes\n\n" + docs + "why?|",
	}
	for i, messages := range llm.prompts {
		if got := chat(messages); got != want[i] {
			t.Errorf("turn %d (-want +got)\n-%s\n+%s", i+1, want[i], got)
		}
	}
}
