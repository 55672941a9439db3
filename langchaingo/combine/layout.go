package combine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// LayoutConfig says how a prompt is laid out and, unless the documents come placed
// already, how they are arranged.
type LayoutConfig struct {
	// Prompt says what stands in the prompt and how.
	Prompt prompt.Config
	// Config says how the documents are ranked, admitted and placed. Its Observe
	// gets the labels of the prompt; it does not hear of inputs that are refused
	// before the documents are looked at, such as an empty question.
	Config core.Config
	// Placed says that the documents come placed already, by that placement, such
	// as from a wrapped retriever: they are laid out as they come. Config may then
	// hold an Observe and nothing else.
	Placed core.Placement
	// History is where a conversation is kept, such as the ChatHistory of a
	// memory.ConversationBuffer: its messages become the history of the prompt, in
	// their roles. Nil: none. A "[4]" in an earlier answer cited the documents of
	// that turn, and would be read as a document of this one: keep answers without
	// their citations where that matters.
	History schema.ChatMessageHistory
	// Answered, if set, is told the answer of every call of a LayoutChain that
	// succeeds, streamed ones once they have ended, such as the Answered of a
	// core/record.Recorder.
	Answered func(context.Context, core.Answer)
	// Callbacks hears of a LayoutChain's start, end and error.
	Callbacks callbacks.Handler
}

// layout is a validated LayoutConfig.
type layout struct {
	renderer *prompt.Renderer
	arranger *core.Arranger
	placed   core.Placement
	history  schema.ChatMessageHistory
}

func newLayout(c LayoutConfig) (layout, error) {
	renderer, arranger, err := prompt.Compile(c.Prompt, c.Config, c.Placed)
	if parts, layoutErr := c.Prompt.Layout.Parts(); layoutErr == nil && c.History != nil && !slices.Contains(parts, prompt.PartHistory) {
		err = errors.Join(err, &core.ConfigError{Field: "History", Value: "set", Rule: "has no place in the layout " + string(c.Prompt.Layout) + ": list the part history, or leave it out"})
	}
	return layout{renderer, arranger, c.Placed, c.History}, err
}

// build lays out the prompt for the values of a chain.
func (l layout) build(ctx context.Context, values map[string]any) (prompt.Prompt, error) {
	docs, ok := values[documentsKey].([]schema.Document)
	if !ok {
		return prompt.Prompt{}, wrongType(documentsKey, values[documentsKey], "[]schema.Document")
	}
	question, ok := values[questionKey].(string)
	if !ok {
		return prompt.Prompt{}, wrongType(questionKey, values[questionKey], "a string")
	}
	history, err := l.messages(ctx)
	if err != nil {
		return prompt.Prompt{}, err
	}
	return prompt.Build(ctx, l.renderer, l.arranger, docs, bookend.View(),
		prompt.Input{Question: question, History: history, Placed: l.placed})
}

func wrongType(key string, value any, want string) error {
	return fmt.Errorf("%w: %w: %q holds %T, not %s", chains.ErrInvalidInputValues, chains.ErrInputValuesWrongType, key, value, want)
}

// roles of a conversation, both ways.
var (
	roles = map[llms.ChatMessageType]prompt.Role{
		llms.ChatMessageTypeHuman:  prompt.User,
		llms.ChatMessageTypeAI:     prompt.Assistant,
		llms.ChatMessageTypeSystem: prompt.System,
	}
	messageTypes = map[prompt.Role]llms.ChatMessageType{
		prompt.User:      llms.ChatMessageTypeHuman,
		prompt.Assistant: llms.ChatMessageTypeAI,
		prompt.System:    llms.ChatMessageTypeSystem,
	}
)

func (l layout) messages(ctx context.Context) ([]prompt.Message, error) {
	if l.history == nil {
		return nil, nil
	}
	kept, err := l.history.Messages(ctx)
	if err != nil {
		return nil, err
	}
	history := make([]prompt.Message, len(kept))
	for i, m := range kept {
		role, known := roles[m.GetType()]
		if ai, ok := m.(llms.AIChatMessage); !known || ok && len(ai.ToolCalls) > 0 {
			return nil, &core.ConfigError{Field: fmt.Sprintf("History[%d]", i), Value: string(m.GetType()), Rule: "must be a text of human, AI or system: langchaingo cannot send tool calls and other kinds again"}
		}
		history[i] = prompt.Message{Role: role, Text: m.GetContent()}
	}
	return history, nil
}

// LayoutChain is a combine-documents chain that lays out the whole prompt and
// calls the model with the roles kept: system, history, user. It stands in for the
// stuff chain of NewRetrievalQA and NewConversationalRetrievalQA. Its inputs are
// "input_documents" and "question", its one output "text". Call options, streaming
// among them, reach the model. It is as safe for concurrent use as the model and
// the history.
type LayoutChain struct {
	layout
	llm       llms.Model
	callbacks callbacks.Handler
	answered  func(context.Context, core.Answer)
}

var (
	_ chains.Chain           = (*LayoutChain)(nil)
	_ callbacks.HandlerHaver = (*LayoutChain)(nil)
)

// NewLayoutChain returns a LayoutChain, or every fault joined: those of
// config.Prompt and config.Config, and a *core.ConfigError for a nil model or for
// settings that Placed rules out.
func NewLayoutChain(llm llms.Model, config LayoutConfig) (*LayoutChain, error) {
	l, err := newLayout(config)
	var noModel error
	if llm == nil {
		noModel = &core.ConfigError{Field: "llm", Value: "nil", Rule: "pass the model to ask"}
	}
	if err := errors.Join(noModel, err); err != nil {
		return nil, err
	}
	return &LayoutChain{l, llm, config.Callbacks, config.Answered}, nil
}

// Call lays out the prompt and asks the model. Errors: those of prompt.Build and
// of the model, and chains.ErrInputValuesWrongType for a value of another type.
func (c *LayoutChain) Call(ctx context.Context, values map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	p, err := c.build(ctx, values)
	if err != nil {
		return nil, err
	}
	messages := make([]llms.MessageContent, len(p.Messages))
	for i, m := range p.Messages {
		messages[i] = llms.TextParts(messageTypes[m.Role], m.Text)
	}
	response, err := c.llm.GenerateContent(ctx, messages, chains.GetLLMCallOptions(options...)...)
	if err != nil {
		return nil, err
	}
	if response == nil || len(response.Choices) == 0 || response.Choices[0] == nil {
		return nil, errNoChoice
	}
	choice := response.Choices[0]
	if c.answered != nil {
		tokens, _ := core.Number(choice.GenerationInfo["PromptTokens"])
		c.answered(ctx, core.Answer{Text: choice.Content, PromptTokens: int(tokens)})
	}
	return map[string]any{outputKey: choice.Content}, nil
}

const outputKey = "text"

var errNoChoice = errors.New("bookend: the model answered without any choice")

// GetMemory returns an empty memory: the conversation is kept by the chain around.
func (c *LayoutChain) GetMemory() schema.Memory { return memory.NewSimple() }

// GetInputKeys returns "input_documents" and "question".
func (c *LayoutChain) GetInputKeys() []string { return []string{documentsKey, questionKey} }

// GetOutputKeys returns "text".
func (c *LayoutChain) GetOutputKeys() []string { return []string{outputKey} }

// GetCallbackHandler returns the configured handler, or nil.
func (c *LayoutChain) GetCallbackHandler() callbacks.Handler { return c.callbacks }
