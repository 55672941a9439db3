package vet

import (
	"slices"
	"strings"
	"sync"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/settings"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

// bookendDialect is a file of settings that cmd/settings reads.
var bookendDialect = &Dialect{
	Name:    "Bookend",
	Sources: []string{"docs/settings.md"},
	read:    readBookend,
}

var bookendKeys = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, s := range settings.All() {
		known[s.Key] = true
	}
	return known
})

// readBookend takes a mapping that has the sections order and prompt, or one of
// them, with at least one key that is known, and no other sections.
func readBookend(n *doctree.Node) ([]*Chain, bool) {
	known := bookendKeys()
	sections := 0
	for _, e := range n.Entries {
		key := e.Key.Text
		switch {
		case key == "$schema" || key == "tokenizer":
		case key != "order" && key != "prompt":
			return nil, false
		default:
			for _, inner := range e.Value.Entries {
				if known[key+"."+inner.Key.Text] {
					sections++
				}
			}
		}
	}
	if sections == 0 {
		return nil, false
	}
	c := &Chain{}
	order, layout := n.Get("order"), n.Get("prompt")
	step := &Step{Kind: Place, Name: "order", At: n, Keep: whole(order.Get("top_k"), "top_k")}
	if order != nil {
		step.At = order
	}
	word, plain := order.Get("placement"), true
	if word != nil && word.Kind == doctree.Map {
		plain = len(word.Entries) == 1 // another placement takes other keys
		word = word.Get("name")
	}
	if word != nil && word.Kind == doctree.Text {
		step.Order = &Word{Order: bookendOrder(word.Text), Key: "placement", At: word, Bookend: true}
		if plain {
			step.Order.Head, step.Order.Measured = "head-tail", "measured="
		}
	}
	c.Steps = []*Step{step}
	if t := order.Get("threshold"); t != nil && (t.Kind == doctree.Int || t.Kind == doctree.Float) {
		cut := &Threshold{Number: &Number{Key: "threshold", At: t}, Fraction: t.Text}
		cut.Better, cut.Direction = directionIn(order)
		if key := order.Get("score_key"); key != nil {
			switch {
			case hasWord(key.Text, "distance"):
				cut.Keeps = "below"
			case hasWord(key.Text, "similarity", "relevance"):
				cut.Keeps = "above"
			}
		}
		c.Thresholds = append(c.Thresholds, cut)
	}
	c.Window = whole(layout.Get("budget"), "budget")
	c.Answer = whole(layout.Get("reserve"), "reserve")
	if l := bookendLayout(layout.Get("layout")); l != nil {
		c.Layouts = append(c.Layouts, l)
	}
	return []*Chain{c}, true
}

// bookendOrder knows the names that core reads, and no others.
func bookendOrder(name string) Order {
	word, _, _ := strings.Cut(plainWord(name), "=")
	if _, err := core.ParsePlacement(name); err != nil && word != "measured" && word != "curve" {
		return Order{Name: name}
	}
	return ParseOrder(name)
}

// bookendLayout finds a layout that has the rules or the question above the
// documents alone.
func bookendLayout(n *doctree.Node) *Layout {
	if n == nil || n.Kind != doctree.Text {
		return nil
	}
	parts, err := prompt.Layout(n.Text).Parts()
	if err != nil {
		return nil // settings reports it
	}
	documents := slices.Index(parts, prompt.PartDocuments)
	after := parts[documents:]
	l := &Layout{At: n, Line: n.Line, Key: "layout", Old: n.Text, New: string(prompt.QuestionLast)}
	switch {
	case !slices.Contains(after, prompt.PartQuestion):
		l.What = "question"
	case slices.Contains(parts, prompt.PartInstruction) && !slices.Contains(after, prompt.PartInstruction) && !slices.Contains(after, prompt.PartReminder):
		l.What = "rules"
	default:
		return nil
	}
	return l
}
