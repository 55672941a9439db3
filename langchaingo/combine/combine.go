// Package combine wraps the combine-documents step of a langchaingo chain. The step reads
// the placed documents; the chain around it keeps the ranked ones for source_documents:
//
//	step, err := combine.Wrap(chains.LoadStuffQA(llm))
//	chain := chains.NewRetrievalQA(step, retriever)
//
// It serves stuff and map-reduce chains. Map-rerank sorts by score, so that a placement means
// nothing to it. Refine reads one document a call, in the order of the placement: under
// head-tail the best first and the second best last.
package combine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/nilvalue"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// The keys that langchaingo's own chains use.
const documentsKey, questionKey, outputKey = "input_documents", "question", "text"

var (
	view       = bookend.View()
	errNoModel = &core.ConfigError{Field: "llm", Rule: "pass the model to ask to NewLayoutChain, or the chain to wrap to Wrap"}
	roles      = map[llms.ChatMessageType]prompt.Role{llms.ChatMessageTypeHuman: prompt.User, llms.ChatMessageTypeAI: prompt.Assistant, llms.ChatMessageTypeSystem: prompt.System}
)

// Chain is a combine-documents chain whose documents are placed first. Memory, keys,
// callbacks and the call itself are those of the wrapped chain, which runs once a call.
// It is as safe for concurrent use as that. Set the fields before the first call.
type Chain struct {
	InputKey string // the key of the documents, by default "input_documents"
	// Answered, if set, is told the answer of every call that succeeds, once it has ended,
	// such as the Answered of a core/record.Recorder: the output "text", or else the first.
	Answered func(context.Context, record.Reply)

	inner    chains.Chain
	arranger *core.Arranger
}

// Wrap wraps a combine-documents chain, such as chains.LoadStuffQA returns, or returns every
// fault, joined: also an inner chain that is nil, of Bookend, or has a Prompter as its prompt.
func Wrap(inner chains.Chain, opts ...bookend.Option) (*Chain, error) {
	transformer, err := bookend.NewTransformer(opts...)
	if nilvalue.Is(inner) {
		err = errors.Join(&core.ConfigError{Field: "inner", Rule: "pass the combine-documents chain, such as chains.LoadStuffQA(llm)"}, err)
	} else if places(inner) {
		err = errors.Join(&core.ConfigError{Field: "inner", Value: fmt.Sprintf("%T", inner), Rule: "Bookend places its documents already: place once, and use it as it is"}, err)
	}
	if err != nil {
		return nil, err
	}
	return &Chain{InputKey: documentsKey, inner: inner, arranger: transformer.Arranger()}, nil
}

// Call places the documents in values[InputKey], which is not written to, and calls the wrapped
// chain. A key that holds no documents is a chains.ErrInputValuesWrongType.
func (c *Chain) Call(ctx context.Context, values map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	docs, err := valueOf[[]schema.Document](values, c.InputKey)
	if err != nil {
		return nil, err
	}
	question, _ := values[questionKey].(string)
	placed, err := core.Transform(ctx, c.arranger, docs, view, core.Call{Query: question})
	if err != nil {
		return nil, err
	}
	values = maps.Clone(values)
	values[c.InputKey] = placed // and not chains.Call, which would save the memory and fire the callbacks twice
	outputs, err := c.wrapped().Call(ctx, values, options...)
	if err == nil && c.Answered != nil {
		text, found := outputs[outputKey].(string)
		for _, key := range c.GetOutputKeys() {
			if !found {
				text, found = outputs[key].(string)
			}
		}
		c.Answered(ctx, record.Reply{Text: text})
	}
	return outputs, err
}

// Arranger returns what arranges the documents.
func (c *Chain) Arranger() *core.Arranger { return c.arranger }

// wrapped returns the wrapped chain. That of a zero Chain says that it has no model.
func (c *Chain) wrapped() chains.Chain {
	if c.inner == nil {
		return new(LayoutChain)
	}
	return c.inner
}

// GetMemory returns the memory of the wrapped chain.
func (c *Chain) GetMemory() schema.Memory { return c.wrapped().GetMemory() }

// GetInputKeys returns those of the wrapped chain.
func (c *Chain) GetInputKeys() []string { return c.wrapped().GetInputKeys() }

// GetOutputKeys returns those of the wrapped chain.
func (c *Chain) GetOutputKeys() []string { return c.wrapped().GetOutputKeys() }

// GetCallbackHandler returns the handler of the wrapped chain, or nil.
func (c *Chain) GetCallbackHandler() callbacks.Handler {
	if haver, ok := c.wrapped().(callbacks.HandlerHaver); ok {
		return haver.GetCallbackHandler()
	}
	return nil
}

// places says whether a chain or a prompt is Bookend's, or holds one that is.
func places(inner any) bool {
	if _, ours := inner.(interface{ Arranger() *core.Arranger }); ours {
		return true
	}
	v, fields := reflect.Indirect(reflect.ValueOf(inner)), []string{"Chain", "Prompt", "LLMChain", "RefineLLMChain", "ReduceChain"}
	return v.Kind() == reflect.Struct && slices.ContainsFunc(fields, func(name string) bool {
		field, has := v.Type().FieldByName(name)
		held, err := v.FieldByIndexErr(field.Index)
		return has && err == nil && held.CanInterface() && places(held.Interface())
	})
}

// valueOf returns the value of key, which has to be a T.
func valueOf[T any](values map[string]any, key string) (T, error) {
	value, ok := values[key].(T)
	if !ok {
		return value, fmt.Errorf("%w: %w: %q holds %T, not %T: give the right key, or its value", chains.ErrInvalidInputValues, chains.ErrInputValuesWrongType, key, values[key], value)
	}
	return value, nil
}
