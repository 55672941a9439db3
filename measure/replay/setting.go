package replay

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
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
	// Reuse gives the setting a memory of the orders that it sent. Its clock, its TTL and
	// its Scope are those of the replay. nil: none.
	Reuse *reuse.Config
}

// compiled is a setting, ready to build prompts.
type compiled struct {
	Setting
	arranger *core.Arranger
	renderer *prompt.Renderer
	history  bool // the layout has a place for it
	view     *core.View[dataset.Document]
	memory   *reuse.Memory
	now      time.Time // of the request at hand
	sent     []int     // the recorded order of the request at hand
}

// forever is a TTL that no replay outlives.
const forever = 200 * 365 * 24 * time.Hour

func (s Setting) compile(lifetime time.Duration) (*compiled, error) {
	c := &compiled{Setting: s}
	// Observing and selecting belong to running chains.
	s.Order.Observe, s.Order.Select, s.Order.Reuse = nil, nil, nil
	if s.AsSent {
		s.Order.Placement = core.Choice{Placement: asSent{c, s.Order.Placement}}
	}
	if s.Reuse != nil {
		config := *s.Reuse
		config.Scope, config.TTL = nil, cmp.Or(lifetime, forever)
		config.Now = func() time.Time { return c.now }
		var err error
		if c.memory, err = reuse.New(config); err != nil {
			return nil, fmt.Errorf("bookend: setting %q: %w", s.Name, err)
		}
		s.Order.Reuse = c.memory
	}
	var err error
	if c.renderer, c.arranger, err = prompt.Compile(s.Prompt, s.Order, false, false); err != nil {
		return nil, fmt.Errorf("bookend: setting %q: %w", s.Name, err)
	}
	c.view = view(c.renderer.Config())
	parts, err := c.renderer.Config().Layout.Parts()
	for _, part := range parts {
		c.history = c.history || part == prompt.PartHistory
	}
	return c, err
}

// asSent places by the recorded order of the request at hand, and by another placement
// where there is none.
type asSent struct {
	*compiled
	otherwise core.Placement
}

// Place implements core.Placement. The worst documents may be left out.
func (p asSent) Place(slots []int, origin func(int) core.Origin) error {
	if p.sent == nil {
		return p.otherwise.Place(slots, origin)
	}
	slot := 0
	for _, rank := range p.sent {
		if rank < len(slots) {
			slots[slot] = rank
			slot++
		}
	}
	return nil
}

// prompt builds the prompt of a request. The requests come in their order of time.
func (c *compiled) prompt(ctx context.Context, r Request, history []prompt.Message, at time.Time) (prompt.Prompt, error) {
	c.now, c.sent = at, r.Sent
	in := prompt.Input{Question: r.Question}
	if c.history {
		in.History = history
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
