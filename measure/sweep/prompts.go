package sweep

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/layout"
	"github.com/bookend-rag/bookend/measure/model"
)

// alike returns how many slots next to slot, before and after it, give the same
// prompt, because what stands between has the words of the gold document.
func (p *Plan) alike(c dataset.Case, slot int) (before, after int) {
	n := p.settings.Documents
	others := make([]dataset.Document, 0, n)
	for i, d := range c.Documents {
		if i != c.Gold && len(others) < n-1 {
			others = append(others, d)
		}
	}
	gold := c.Documents[c.Gold]
	same := func(d dataset.Document) bool { return d.Title == gold.Title && d.Text == gold.Text }
	for slot-before > 0 && same(others[slot-before-1]) {
		before++
	}
	for slot+after < n-1 && same(others[slot+after]) {
		after++
	}
	return before, after
}

var documentView = &core.View[dataset.Document]{
	Text: func(d dataset.Document) string { return d.Text },
	Meta: func(d dataset.Document) map[string]any { return map[string]any{"title": d.Title} },
}

// with lays out the documents as they come.
func (p *Plan) with(c dataset.Case, documents []dataset.Document) (model.Prompt, error) {
	if p.renderer == nil {
		return layout.KeyValue(p.settings.Instruction, documents, c.Question), nil
	}
	placed, err := core.Arranged(core.RankOrder, len(documents))
	if err != nil {
		return model.Prompt{}, err
	}
	rendered, err := prompt.Render(p.renderer, placed, documents, p.view(), prompt.Input{Question: c.Question})
	return model.Prompt{Text: rendered.Text, Messages: rendered.Messages}, err
}

// alone asks without documents.
func (p *Plan) alone(question string) model.Prompt {
	if p.renderer == nil {
		return layout.KeyAlone(question)
	}
	return layout.QuestionAlone(*p.settings.Prompt, question)
}

// view shows the title under the name that the prompt looks for.
func (p *Plan) view() *core.View[dataset.Document] {
	key := p.settings.Prompt.TitleKey
	if key == "title" {
		return documentView
	}
	return &core.View[dataset.Document]{
		Text: documentView.Text,
		Meta: func(d dataset.Document) map[string]any { return map[string]any{key: d.Title} },
	}
}
