package prompt

import (
	"cmp"
	"context"

	"github.com/bookend-rag/bookend/core"
)

// source is where the documents of one call come from.
type source[S ~[]E, E any] struct {
	arranger *core.Arranger // places what is left after trimming
	docs     S
	view     *core.View[E]
}

// check returns a *core.ConfigError for a view that reads no text: every prompt shows
// texts.
func (s source[S, E]) check() error {
	if s.view == nil || s.view.Text == nil {
		return &core.ConfigError{Field: "View.Text", Value: "nil", Rule: "a prompt shows the documents' texts: set the accessor"}
	}
	return nil
}

func (s source[S, E]) text(p core.Placed) string { return s.view.Text(s.docs[p.Index]) }

// maxBytes is the byte cap on a text that is counted.
func (s source[S, E]) maxBytes(r *Renderer) int {
	return cmp.Or(r.config.MaxBytes, s.arranger.Config().MaxBytes, core.DefaultMaxBytes)
}

// without leaves documents out of an arrangement; see core.Without.
type without func(core.Arrangement, func(core.Placed) core.Reason) (core.Arrangement, error)

func (s source[S, E]) without(a core.Arrangement, reason func(core.Placed) core.Reason) (core.Arrangement, error) {
	return core.Without(s.arranger, a, s.docs, s.view, reason)
}

// placed are the documents of an arrangement, as c shows them.
func (s source[S, E]) placed(c *Config, a core.Arrangement) placedDocuments[S, E] {
	return placedDocuments[S, E]{source: s, config: c, slots: a.Slots}
}

type placedDocuments[S ~[]E, E any] struct {
	source[S, E]
	config *Config
	slots  []core.Placed
	among  *candidates // whose documents they are; nil: the caller's
}

func (p placedDocuments[S, E]) len() int { return len(p.slots) }

func (p placedDocuments[S, E]) textBytes() int {
	size := 0
	for i := range p.slots {
		size = plus(size, len(p.view.Text(p.docs[p.slots[i].Index])))
	}
	return size
}

func (p placedDocuments[S, E]) write(ctx context.Context, c *composer) error {
	_, separator, _ := c.config.Format.around()
	for slot := range p.slots {
		if slot > 0 {
			c.str(separator)
		}
		d := p.document(slot)
		if err := c.document(ctx, &d); err != nil {
			return err
		}
	}
	return nil
}

func (p placedDocuments[S, E]) document(slot int) Document {
	placed := &p.slots[slot]
	doc := p.docs[placed.Index]
	d := Document{Rank: placed.Rank, Slot: slot, Index: placed.Index, Label: placed.Label, Text: p.view.Text(doc)}
	if p.among != nil {
		d.Rank, d.Index = p.among.rank[d.Rank], p.among.index[d.Index]
	}
	if p.view.Meta == nil || !p.config.looksIntoMeta() {
		return d
	}
	meta := p.view.Meta(doc)
	d.readHead(p.config, meta)
	for _, key := range p.config.Show {
		if value := shown(meta[key], p.config.MaxShown); value != "" {
			d.Shown = append(d.Shown, [2]string{key, value})
		}
	}
	return d
}

// looksIntoMeta says whether a document shows anything beside its text.
func (c *Config) looksIntoMeta() bool {
	return len(c.Show) > 0 || c.FormatFunc != nil || c.Format != Numbered
}
