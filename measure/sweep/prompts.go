package sweep

import (
	"context"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/layout"
	"github.com/bookend-rag/bookend/measure/model"
)

// prompts writes what is asked.
type prompts struct {
	settings *Settings
	renderer *prompt.Renderer // nil: the key-value layout of Liu et al.
}

// newPrompts fills in what the settings leave open of prompt and instruction.
func newPrompts(s *Settings, task dataset.Task) (prompts, error) {
	p := prompts{settings: s}
	if s.Prompt == nil && task == dataset.KeyValue {
		if s.Instruction == "" {
			s.Instruction = layout.KeyValueInstruction
		}
		return p, nil
	}
	config := layout.Paper()
	if s.Prompt != nil {
		config = *s.Prompt
	}
	if s.Instruction != "" {
		config.Instruction = s.Instruction
	}
	if config.Budget > 0 {
		return p, &core.ConfigError{Field: "Prompt.Budget", Value: config.Budget, Rule: "must be 0: a sweep keeps every document"}
	}
	config.Labels = prompt.BySlot
	var err error
	if p.renderer, err = prompt.New(config); err != nil {
		return p, err
	}
	config = p.renderer.Config()
	s.Prompt, s.Instruction = &config, config.Instruction
	return p, nil
}

var documentView = &core.View[dataset.Document]{
	Text: func(d dataset.Document) string { return d.Text },
	Meta: func(d dataset.Document) map[string]any { return map[string]any{"title": d.Title} },
}

// with lays out the documents as they come.
func (p prompts) with(c dataset.Case, documents []dataset.Document) (model.Prompt, error) {
	if p.renderer == nil {
		return layout.KeyValue(p.settings.Instruction, documents, c.Question), nil
	}
	rendered, err := prompt.Build(context.Background(), p.renderer, core.Off, documents, p.view(), prompt.Input{Question: c.Question})
	return model.Prompt{Text: rendered.Text, Messages: rendered.Messages}, err
}

// alone asks without documents.
func (p prompts) alone(question string) model.Prompt {
	if p.renderer == nil {
		return layout.KeyAlone(question)
	}
	return layout.QuestionAlone(*p.settings.Prompt, question)
}

// view shows the title under the name that the prompt looks for.
func (p prompts) view() *core.View[dataset.Document] {
	key := p.settings.Prompt.TitleKey
	if key == "title" {
		return documentView
	}
	return &core.View[dataset.Document]{
		Text: documentView.Text,
		Meta: func(d dataset.Document) map[string]any { return map[string]any{key: d.Title} },
	}
}
