package replay

import (
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// Setting is one way to order the documents and to lay out the prompt around them.
type Setting struct {
	Name   string
	Order  core.Config
	Prompt prompt.Config
	// AsSent lets the documents of a recorded request stand where they stood, in place
	// of Order's placement.
	AsSent bool
}

// compiled is a setting, ready to build prompts.
type compiled struct {
	Setting
	arranger *core.Arranger
	renderer *prompt.Renderer
	history  bool // the layout has a place for it
	view     *core.View[dataset.Document]
}

func (s Setting) compile() (*compiled, error) {
	// Observing and selecting belong to running chains.
	s.Order.Observe, s.Order.Select = nil, nil
	renderer, order, err := prompt.Compile(s.Prompt, s.Order, false, false)
	if err != nil {
		return nil, fmt.Errorf("bookend: setting %q: %w", s.Name, err)
	}
	c := &compiled{Setting: s, arranger: order, renderer: renderer, view: view(renderer.Config())}
	parts, err := renderer.Config().Layout.Parts()
	for _, part := range parts {
		c.history = c.history || part == prompt.PartHistory
	}
	return c, err
}

// prompt builds the prompt of a request.
func (c *compiled) prompt(ctx context.Context, r Request, history []prompt.Message) (prompt.Prompt, error) {
	in := prompt.Input{Question: r.Question}
	if c.history {
		in.History = history
	}
	if c.AsSent && r.Sent != nil {
		sent, err := c.arranger.With(core.PlacementFunc(func(slots []int, _ func(int) core.Origin) error {
			slot := 0
			for _, rank := range r.Sent {
				if rank < len(slots) { // the worst may be left out
					slots[slot] = rank
					slot++
				}
			}
			return nil
		}))
		if err != nil {
			return prompt.Prompt{}, err
		}
		in.Call.Arranger = sent
	}
	return prompt.Build(ctx, c.renderer, c.arranger, r.Documents, c.view, in)
}

// view reads a document under the names that the prompt looks for.
func view(c prompt.Config) *core.View[dataset.Document] {
	return &core.View[dataset.Document]{
		Text: func(d dataset.Document) string { return d.Text },
		ID:   func(d dataset.Document) string { return d.ID },
		Meta: func(d dataset.Document) map[string]any {
			meta := map[string]any{}
			if d.Title != "" {
				meta[c.TitleKey] = d.Title
			}
			if d.Source != "" {
				meta["source"] = d.Source
			}
			if d.Position != nil {
				meta["position"] = *d.Position
			}
			return meta
		},
	}
}
