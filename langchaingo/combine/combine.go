// Package combine wraps the combine-documents step of a langchaingo chain. The step reads
// the placed documents; the chain around it keeps the ranked ones for source_documents:
//
//	step, err := combine.Wrap(chains.LoadStuffQA(llm))
//	chain := chains.NewRetrievalQA(step, retriever)
//
// It serves stuff and map-reduce chains. Map-rerank sorts by score: a placement means nothing
// there. Refine reads one document a call and builds each answer on the one before: under
// head-tail the best is read first and the second best last.
package combine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/internal/nilvalue"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
)

// The keys that langchaingo's own chains use.
const documentsKey, questionKey, outputKey = "input_documents", "question", "text"

var (
	view                        = bookend.View()
	_    callbacks.HandlerHaver = (*Chain)(nil)
)

// Chain is a combine-documents chain whose documents are placed first. Memory, keys,
// callbacks and the call itself are those of the wrapped chain, which runs once a call.
// It is as safe for concurrent use as that. Set the fields before the first call.
type Chain struct {
	chains.Chain        // the wrapped one
	InputKey     string // the key of the documents, by default "input_documents"
	// Answered, if set, is told the answer of every call that succeeds, once it has ended,
	// such as the Answered of a core/record.Recorder: the output "text", or else the first.
	Answered func(context.Context, record.Reply)

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
	return &Chain{Chain: inner, InputKey: documentsKey, arranger: transformer.Arranger()}, nil
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
	values[c.InputKey] = placed
	// Not chains.Call, which would save the memory and fire the callbacks a second time.
	outputs, err := c.Chain.Call(ctx, values, options...)
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

// GetCallbackHandler returns the handler of the wrapped chain, or nil.
func (c *Chain) GetCallbackHandler() callbacks.Handler {
	if haver, ok := c.Chain.(callbacks.HandlerHaver); ok {
		return haver.GetCallbackHandler()
	}
	return nil
}

// places says whether a chain is Bookend's, or holds a chain or a prompt that is.
func places(inner any) bool {
	if _, ours := inner.(interface{ Arranger() *core.Arranger }); ours {
		return true
	}
	v := reflect.Indirect(reflect.ValueOf(inner))
	for _, name := range []string{"Prompt", "LLMChain", "RefineLLMChain", "ReduceChain"} {
		if v.Kind() == reflect.Struct && v.FieldByName(name).IsValid() && places(v.FieldByName(name).Interface()) {
			return true
		}
	}
	return false
}

// valueOf returns the value of key, which has to be a T.
func valueOf[T any](values map[string]any, key string) (T, error) {
	value, ok := values[key].(T)
	if !ok {
		return value, fmt.Errorf("%w: %w: %q holds %T, not %T: give the right key, or its value", chains.ErrInvalidInputValues, chains.ErrInputValuesWrongType, key, values[key], value)
	}
	return value, nil
}
