package combine

import (
	"context"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
)

// Prompter lays out the prompt for a chains.LLMChain of one's own: its inputs are
// "input_documents" and "question", and what it returns is finished text. Nothing
// is built into a template, so that a document which holds one is copied and never
// run. An LLMChain sends that text as one message of the user; LayoutChain keeps
// the roles.
//
// langchaingo passes no context to a prompt, so that Observe and Select get an
// empty one.
type Prompter struct{ layout }

var _ prompts.FormatPrompter = (*Prompter)(nil)

// NewPrompter returns a Prompter, or every fault of the configuration joined.
// Callbacks and Answered have no effect here: the LLMChain has callbacks of its own.
func NewPrompter(config LayoutConfig) (*Prompter, error) {
	l, err := newLayout(config)
	if err != nil {
		return nil, err
	}
	return &Prompter{l}, nil
}

// FormatPrompt lays out the prompt. Errors: those of prompt.Build, and
// chains.ErrInputValuesWrongType for a value of another type.
func (p *Prompter) FormatPrompt(values map[string]any) (llms.PromptValue, error) {
	built, err := p.build(context.Background(), values)
	if err != nil {
		return nil, err
	}
	return promptValue{built}, nil
}

// GetInputVariables returns "input_documents" and "question".
func (p *Prompter) GetInputVariables() []string { return []string{documentsKey, questionKey} }

// promptValue is a rendered prompt as langchaingo passes it on.
type promptValue struct{ prompt prompt.Prompt }

func (v promptValue) String() string { return v.prompt.Text }

func (v promptValue) Messages() []llms.ChatMessage {
	messages := make([]llms.ChatMessage, len(v.prompt.Messages))
	for i, m := range v.prompt.Messages {
		switch m.Role {
		case prompt.System:
			messages[i] = llms.SystemChatMessage{Content: m.Text}
		case prompt.Assistant:
			messages[i] = llms.AIChatMessage{Content: m.Text}
		default:
			messages[i] = llms.HumanChatMessage{Content: m.Text}
		}
	}
	return messages
}
