package prompt

import (
	"cmp"
	"context"
	"strings"

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
		return &core.ConfigError{Field: "View.Text", Rule: "a prompt shows the documents' texts: set the accessor"}
	}
	return nil
}

func (s source[S, E]) text(p core.Placed) string { return s.view.Text(s.docs[p.Index]) }

// maxBytes is the byte cap on a text that is counted.
func (s source[S, E]) maxBytes(r *Renderer) int {
	return cmp.Or(r.config.MaxBytes, s.arranger.MaxBytes(), core.DefaultMaxBytes)
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

// join writes the documents. Each text is copied once.
func (p placedDocuments[S, E]) join(ctx context.Context, before, after string) (string, hidden, error) {
	c := p.config
	if c.FormatFunc != nil {
		return p.joinFormatted(ctx, before, after)
	}
	text, tagged := p.joinTexts(before, after, false)
	if tagged {
		text, _ = p.joinTexts(before, after, true)
	}
	return text, nil, nil
}

// joinTexts writes the documents in a format of ours, each piece straight to its place.
// What changes from one to the next stays on the stack, where the garbage collector does
// not ask for it. Few texts need to be escaped: tagged says that one does, which is looked
// for after its copy, when it is in the processor's cache.
func (p placedDocuments[S, E]) joinTexts(before, after string, escape bool) (joined string, tagged bool) {
	c := p.config
	f := c.Format.frame()
	size := len(before) + len(after) + len(p.slots)*f.size
	for i := range p.slots {
		size += len(p.view.Text(p.docs[p.slots[i].Index]))
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(before)
	opening, next := f.opening, f.closing+f.between+f.opening
	readsMeta := p.view.Meta != nil && (c.Format != Numbered || len(c.Show) > 0)
	contains := c.Format == XML && !escape
	for slot := range p.slots {
		placed := &p.slots[slot]
		doc := p.docs[placed.Index]
		title, toTitle, toText := "", f.untitled, ""
		if readsMeta {
			meta := p.view.Meta(doc)
			if title = c.title(meta); title != "" {
				toTitle, toText = f.toTitle, f.toText
			}
			if len(c.Show) > 0 {
				if fields := c.fields(meta); len(fields) > 0 {
					toTitle, toText = c.Format.withFields(title != "", fields)
				}
			}
		}
		text := p.view.Text(doc)
		if escape {
			text = Escape(text)
		}
		b.WriteString(opening)
		opening = next
		writeNumber(&b, placed.Label)
		b.WriteString(toTitle)
		b.WriteString(title)
		b.WriteString(toText)
		b.WriteString(text)
		tagged = tagged || contains && hasTag(text)
	}
	b.WriteString(f.closing)
	b.WriteString(after)
	return b.String(), tagged
}

// joinFormatted writes the documents by FormatFunc.
func (p placedDocuments[S, E]) joinFormatted(ctx context.Context, before, after string) (string, hidden, error) {
	var hide hidden
	texts := make([]string, len(p.slots))
	for slot := range p.slots {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		d := p.document(slot)
		text, err := p.config.FormatFunc(d)
		if err != nil {
			return "", nil, &FormatError{Label: d.Label, Err: err}
		}
		if texts[slot] = text; !showsLabel(text, &d) {
			hide = append(hide, d.Label)
		}
	}
	return before + strings.Join(texts, p.config.Format.frame().between) + after, hide, nil
}

// document is what FormatFunc sees.
func (p placedDocuments[S, E]) document(slot int) Document {
	placed := &p.slots[slot]
	doc := p.docs[placed.Index]
	d := Document{Rank: p.rank(placed), Slot: slot, Index: placed.Index, Label: placed.Label, Text: p.view.Text(doc)}
	if p.among != nil {
		d.Index = p.among.index[d.Index]
	}
	if p.view.Meta != nil {
		meta := p.view.Meta(doc)
		d.Title, d.Source = shown(meta[p.config.TitleKey], p.config.MaxShown), p.config.source(meta)
		d.Shown = p.config.fields(meta)
	}
	return d
}

// rank is the rank among all documents.
func (p placedDocuments[S, E]) rank(placed *core.Placed) int {
	if p.among != nil {
		return p.among.rank[placed.Rank]
	}
	return placed.Rank
}
