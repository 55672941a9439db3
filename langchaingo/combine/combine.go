// Package combine wraps the combine-documents step of a langchaingo chain. The
// step reads the placed documents, while the chain around it keeps the ranked
// ones, so that source_documents holds all that was retrieved, best first:
//
//	step, err := combine.Wrap(chains.LoadStuffQA(llm))
//	chain := chains.NewRetrievalQA(step, retriever)
//
// It serves stuff and map-reduce chains. Refine reads one document a call and
// map-rerank sorts by score: a placement means nothing there.
package combine

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
)

// The keys that langchaingo's own chains use.
const (
	documentsKey = "input_documents"
	questionKey  = "question"
)

var (
	_ chains.Chain           = (*Chain)(nil)
	_ callbacks.HandlerHaver = (*Chain)(nil)
)

// Chain is a combine-documents chain whose documents are placed first. Memory,
// keys, callbacks and the call itself are those of the wrapped chain, which runs
// once a call and keeps its events and its memory single. It is as safe for
// concurrent use as the wrapped chain.
type Chain struct {
	// InputKey is the key of the documents, by default "input_documents". Set it
	// before the first call where the wrapped chain has another.
	InputKey string
	// Answered, if set, is told the answer of every call that succeeds, streamed ones
	// once they have ended, such as the Answered of a core/record.Recorder. Set it
	// before the first call. The answer is the output "text", or else the first one of
	// the wrapped chain.
	Answered func(context.Context, core.Answer)

	inner    chains.Chain
	arranger *core.Arranger
}

// Wrap wraps a combine-documents chain, such as chains.LoadStuffQA returns. Every
// fault comes at once, joined: those of the options, and a *core.ConfigError for
// an inner chain that is nil or wrapped already.
func Wrap(inner chains.Chain, opts ...bookend.Option) (*Chain, error) {
	transformer, err := bookend.NewTransformer(opts...)
	if err := errors.Join(checkInner(inner), err); err != nil {
		return nil, err
	}
	return &Chain{InputKey: documentsKey, inner: inner, arranger: transformer.Arranger()}, nil
}

func checkInner(inner chains.Chain) error {
	switch inner.(type) {
	case nil:
		return &core.ConfigError{Field: "inner", Value: "nil", Rule: "pass the combine-documents chain, such as chains.LoadStuffQA(llm)"}
	case *Chain:
		return &core.ConfigError{Field: "inner", Value: "a Bookend combine chain", Rule: "place once: pass the chain that it wraps"}
	}
	return nil
}

// Call places the documents in values[InputKey] and calls the wrapped chain with
// them. values is not written to. Errors: those of core.Transform and of the
// wrapped chain, and chains.ErrInputValuesWrongType when the key does not hold
// documents.
func (c *Chain) Call(ctx context.Context, values map[string]any, options ...chains.ChainCallOption) (map[string]any, error) {
	docs, ok := values[c.InputKey].([]schema.Document)
	if !ok {
		return nil, fmt.Errorf("%w: %w: %q holds %T, not []schema.Document: set InputKey to the key of the documents",
			chains.ErrInvalidInputValues, chains.ErrInputValuesWrongType, c.InputKey, values[c.InputKey])
	}
	question, _ := values[questionKey].(string)
	placed, err := core.Transform(ctx, c.arranger, docs, bookend.View(), core.ForQuery(question))
	if err != nil {
		return nil, err
	}
	values = maps.Clone(values)
	values[c.InputKey] = placed
	// Not chains.Call, which would load and save the memory and fire the
	// callbacks a second time.
	outputs, err := c.inner.Call(ctx, values, options...)
	if err == nil && c.Answered != nil {
		c.Answered(ctx, core.Answer{Text: c.answer(outputs)})
	}
	return outputs, err
}

// answer finds the answer among the outputs of the wrapped chain.
func (c *Chain) answer(outputs map[string]any) string {
	if text, ok := outputs[outputKey].(string); ok {
		return text
	}
	for _, key := range c.inner.GetOutputKeys() {
		if text, ok := outputs[key].(string); ok {
			return text
		}
	}
	return ""
}

// GetMemory returns the memory of the wrapped chain.
func (c *Chain) GetMemory() schema.Memory { return c.inner.GetMemory() }

// GetInputKeys returns the input keys of the wrapped chain.
func (c *Chain) GetInputKeys() []string { return c.inner.GetInputKeys() }

// GetOutputKeys returns the output keys of the wrapped chain.
func (c *Chain) GetOutputKeys() []string { return c.inner.GetOutputKeys() }

// GetCallbackHandler returns the handler of the wrapped chain, or nil.
func (c *Chain) GetCallbackHandler() callbacks.Handler {
	if haver, ok := c.inner.(callbacks.HandlerHaver); ok {
		return haver.GetCallbackHandler()
	}
	return nil
}
