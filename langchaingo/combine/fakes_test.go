package combine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// list is a retriever that finds the same documents for every question.
type list []schema.Document

func (l list) GetRelevantDocuments(context.Context, string) ([]schema.Document, error) { return l, nil }

// documents returns documents with the texts "first", "second" and so on.
func documents(n int) []schema.Document {
	docs := make([]schema.Document, n)
	for i := range docs {
		docs[i].PageContent = []string{"first", "second", "third", "fourth", "fifth"}[i]
	}
	return docs
}

func texts(docs []schema.Document) string {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.PageContent
	}
	return strings.Join(texts, " ")
}

// sourceTexts returns the texts of a chain's source_documents.
func sourceTexts(out map[string]any) string {
	docs, _ := out["source_documents"].([]schema.Document)
	return texts(docs)
}

// echo is a model that records its prompts and answers with the words of the
// prompt that are texts of documents, and always with the same standalone
// question.
type echo struct {
	mu      sync.Mutex
	prompts []string
}

func (e *echo) GenerateContent(_ context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	prompt := fmt.Sprint(messages[0].Parts[0])
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompts = append(e.prompts, prompt)
	answer := textsIn(prompt)
	if strings.HasSuffix(prompt, "Standalone question:") {
		answer = "and why?"
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (e *echo) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}

// last returns the texts in the last prompt.
func (e *echo) last() string { return textsIn(e.prompts[len(e.prompts)-1]) }

// textsIn returns the words of a prompt that are texts of documents, in its order.
// Each stands on a line of its own.
func textsIn(prompt string) string {
	var found []string
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(line)
		if strings.Contains(" first second third fourth fifth ", " "+line+" ") && line != "" {
			found = append(found, line)
		}
	}
	return strings.Join(found, "\n")
}

// step is a combine-documents chain that returns its documents, or fails.
type step struct {
	err     error
	key     string
	memory  schema.Memory
	handler callbacks.Handler
	calls   *int
}

func (s step) Call(_ context.Context, values map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
	if s.calls != nil {
		*s.calls++
	}
	key := s.key
	if key == "" {
		key = "input_documents"
	}
	values["written"] = true // a chain may write to the values that it is given
	return map[string]any{"text": "yes", "documents": values[key]}, s.err
}

func (s step) GetMemory() schema.Memory {
	if s.memory != nil {
		return s.memory
	}
	return memory.NewSimple()
}

func (s step) GetInputKeys() []string                { return []string{"question"} }
func (s step) GetOutputKeys() []string               { return []string{"text"} }
func (s step) GetCallbackHandler() callbacks.Handler { return s.handler }

// listener counts the chain events that it hears.
type listener struct {
	callbacks.SimpleHandler
	heard []string
}

func (l *listener) HandleChainStart(context.Context, map[string]any) {
	l.heard = append(l.heard, "start")
}

func (l *listener) HandleChainEnd(context.Context, map[string]any) { l.heard = append(l.heard, "end") }

func (l *listener) HandleChainError(context.Context, error) { l.heard = append(l.heard, "error") }

// numbered makes a map of ranks, by labels from 1 on.
func numbered(ranks []int) map[int]int {
	labels := map[int]int{}
	for i, rank := range ranks {
		labels[i+1] = rank
	}
	return labels
}
