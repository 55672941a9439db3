package combine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/meta"
	"github.com/bookend-rag/bookend/internal/nilvalue"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// LayoutConfig says how a prompt is laid out, and how the documents are arranged.
type LayoutConfig struct {
	Prompt prompt.Config // what stands in the prompt, and how
	Config core.Config   // how documents are ranked, admitted and placed; its Observe gets the labels of the prompt
	// Placed says that the documents come placed already, such as from a wrapped retriever,
	// and are laid out as they come; see core.Call. Config may then hold an Observe alone.
	Placed bool
	// History is where a conversation is kept, such as the ChatHistory of a memory.ConversationBuffer;
	// its messages keep their roles. A "[4]" in an earlier answer cited the documents of that turn.
	History   schema.ChatMessageHistory
	Answered  func(context.Context, record.Reply) // told every answer of a LayoutChain, as Chain.Answered is
	Callbacks callbacks.Handler                   // hears of a LayoutChain's start, end and error
	// Cache marks, in the messages of the user that a LayoutChain sends, the end of each part that
	// the provider's prompt cache can serve (prompt.Breakpoint), as anthropic.EphemeralCache() does.
	// Other providers of langchaingo refuse or drop what is marked. Nil: nothing is marked.
	Cache *llms.CacheControl
}

// layout is a validated LayoutConfig.
type layout struct {
	LayoutConfig
	renderer *prompt.Renderer
	arranger *core.Arranger
}

func newLayout(c LayoutConfig) (layout, error) {
	renderer, arranger, err := prompt.Compile(c.Prompt, c.Config, c.Placed, c.History != nil)
	for _, held := range []any{c.History, c.Callbacks} {
		if held != nil && nilvalue.Is(held) {
			err = errors.Join(&core.ConfigError{Field: "LayoutConfig", Value: fmt.Sprintf("%T(nil)", held), Rule: "leave out a History or Callbacks that is nil"}, err)
		}
	}
	return layout{c, renderer, arranger}, err
}

// Arranger returns what arranges the documents.
func (l layout) Arranger() *core.Arranger { return l.arranger }

// build lays out the prompt for the values of a chain.
func (l layout) build(ctx context.Context, values map[string]any) (prompt.Prompt, error) {
	docs, err := valueOf[[]schema.Document](values, documentsKey)
	question, notText := valueOf[string](values, questionKey)
	if err := cmp.Or(err, notText); err != nil {
		return prompt.Prompt{}, err
	}
	in := prompt.Input{Question: question, Call: core.Call{Placed: l.Placed}}
	if l.History != nil {
		kept, err := l.History.Messages(ctx)
		if err != nil {
			return prompt.Prompt{}, err
		}
		for i, m := range kept {
			role, known := roles[m.GetType()]
			if ai, ok := m.(llms.AIChatMessage); !known || ok && len(ai.ToolCalls) > 0 {
				return prompt.Prompt{}, &core.ConfigError{Field: fmt.Sprintf("History[%d]", i), Value: m.GetType(), Rule: "must be a text of human, AI or system: langchaingo cannot send tool calls and other kinds again"}
			}
			in.History = append(in.History, prompt.Message{Role: role, Text: m.GetContent()})
		}
	}
	return prompt.Build(ctx, l.renderer, l.arranger, docs, view, in)
}

// ArrangementKey is where a LayoutChain's outputs hold the core.Arrangement of the prompt. It
// is not among GetOutputKeys, since some chains of langchaingo allow one output.
const ArrangementKey = "bookend"

// LayoutChain lays out the whole prompt and calls the model with the roles kept: system,
// history, user. It stands in for the stuff chain. Its inputs are "input_documents" and "question",
// its output is "text"; beside that stands the arrangement, by which prompt.Citations resolves the
// answer. A ConversationalRetrievalQA passes the text on alone: use a core.Trace there. Call options,
// also for streaming, reach the model. It is as safe for concurrent use as model and history.
type LayoutChain struct {
	layout
	llm llms.Model
}

// NewLayoutChain returns a LayoutChain, or every fault joined, a nil model among them.
func NewLayoutChain(llm llms.Model, config LayoutConfig) (*LayoutChain, error) {
	l, err := newLayout(config)
	if nilvalue.Is(llm) {
		err = errors.Join(errNoModel, err)
	}
	if err != nil {
		return nil, err
	}
	return &LayoutChain{l, llm}, nil
}

// Call lays out the prompt and asks the model. The errors are those of both, and
// chains.ErrInputValuesWrongType for a value of another type.
func (c *LayoutChain) Call(ctx context.Context, values map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	if c.llm == nil {
		return nil, errNoModel
	}
	p, err := c.build(ctx, values)
	if err != nil {
		return nil, err
	}
	response, err := c.llm.GenerateContent(ctx, contents(p, c.Cache), chains.GetLLMCallOptions(options...)...)
	if err != nil {
		return nil, err
	}
	if response == nil || len(response.Choices) == 0 || response.Choices[0] == nil {
		return nil, errors.New("bookend: the model answered without any choice")
	}
	choice := response.Choices[0]
	if c.Answered != nil {
		reply := record.Reply{Text: choice.Content}
		reply.PromptTokens, reply.CachedTokens = tokens(choice.GenerationInfo)
		c.Answered(ctx, reply)
	}
	return map[string]any{outputKey: choice.Content, ArrangementKey: p.Arrangement}, nil
}

// contents are the messages of a prompt, with its breakpoints marked by cache. One that stands in
// a message of another role is marked at the end of the user's message before it.
func contents(p prompt.Prompt, cache *llms.CacheControl) []llms.MessageContent {
	cuts := make([][]int, len(p.Messages)) // where each message is marked, in bytes
	for _, at := range p.Breakpoints() {
		i, bytes := at.Message, at.Bytes
		for i >= 0 && p.Messages[i].Role != prompt.User {
			if i--; i >= 0 {
				bytes = len(p.Messages[i].Text)
			}
		}
		if cache != nil && i >= 0 {
			cuts[i] = append(cuts[i], bytes)
		}
	}
	var sent []llms.MessageContent
	for i, m := range (promptValue{p}).Messages() {
		content, rest := llms.MessageContent{Role: m.GetType()}, m.GetContent()
		done := 0
		for _, cut := range cuts[i] {
			if cut > done {
				content.Parts = append(content.Parts, llms.WithCacheControl(llms.TextPart(rest[:cut-done]), cache))
				rest, done = rest[cut-done:], cut
			}
		}
		if rest != "" || done == 0 {
			content.Parts = append(content.Parts, llms.TextPart(rest))
		}
		sent = append(sent, content)
	}
	return sent
}

// tokens reads what a provider tells of a prompt: its length, and how much of that came from the
// provider's cache.
func tokens(info map[string]any) (length, cached int) {
	number := func(key string) int {
		n, _ := meta.Number(info[key])
		return int(n)
	}
	if length = number("PromptTokens"); length > 0 { // OpenAI; Google AI and Ollama
		return length, cmp.Or(number("PromptCachedTokens"), number("CachedTokens"))
	}
	cached = number("CacheReadInputTokens") // Anthropic counts three parts of a prompt
	return number("InputTokens") + number("CacheCreationInputTokens") + cached, cached
}

// GetMemory returns an empty memory: the conversation is kept by the chain around.
func (c *LayoutChain) GetMemory() schema.Memory { return memory.NewSimple() }

// GetInputKeys returns "input_documents" and "question".
func (c *LayoutChain) GetInputKeys() []string { return []string{documentsKey, questionKey} }

// GetOutputKeys returns "text".
func (c *LayoutChain) GetOutputKeys() []string { return []string{outputKey} }

// GetCallbackHandler returns the configured handler, or nil.
func (c *LayoutChain) GetCallbackHandler() callbacks.Handler { return c.Callbacks }

// Prompter lays out the prompt for a chains.LLMChain of one's own, with the inputs of a
// LayoutChain. It returns finished text: a document that holds a template is never run. An LLMChain
// sends it as one message of the user, without a context: Observe and Select get an empty one.
type Prompter struct{ layout }

// NewPrompter returns a Prompter, or every fault joined. Callbacks and Answered have no effect.
func NewPrompter(config LayoutConfig) (*Prompter, error) {
	l, err := newLayout(config)
	if err != nil {
		return nil, err
	}
	return &Prompter{l}, nil
}

// FormatPrompt lays out the prompt. The errors are those of LayoutChain.Call.
func (p *Prompter) FormatPrompt(values map[string]any) (llms.PromptValue, error) {
	built, err := p.build(context.Background(), values)
	return promptValue{built}, err
}

// GetInputVariables returns "input_documents" and "question".
func (p *Prompter) GetInputVariables() []string { return []string{documentsKey, questionKey} }

type promptValue struct{ prompt prompt.Prompt }

func (v promptValue) String() string { return v.prompt.Text }

func (v promptValue) Messages() []llms.ChatMessage {
	out := make([]llms.ChatMessage, len(v.prompt.Messages))
	for i, m := range v.prompt.Messages {
		switch out[i] = (llms.HumanChatMessage{Content: m.Text}); m.Role {
		case prompt.System:
			out[i] = llms.SystemChatMessage{Content: m.Text}
		case prompt.Assistant:
			out[i] = llms.AIChatMessage{Content: m.Text}
		}
	}
	return out
}
