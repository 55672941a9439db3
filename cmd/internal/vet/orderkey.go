package vet

import (
	"regexp"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// around is what stands around the keys of orders in a document: nothing else makes
// the file of an unknown program known, neither names of sections nor lists of words.
type around struct {
	orders []*Step
	keep   *Number // the smallest number of documents
	bound  bool    // something else may leave out more
	texts  []*doctree.Node
	lists  []*doctree.Node // which may be the messages of a chat
	above  []*Layout
}

var (
	orderKeys = regexp.MustCompile(`^(chunks?|documents?|docs?|passages?|contexts?) order(ing)?$`)
	countKeys = regexp.MustCompile(`(^| )top ?[kn]$|^(max|num|n) (chunks|documents|docs|passages|results)$|^(chunks|documents|docs|passages)$|^(chunk|document) (count|limit)$|^keep$`)
	// What goes into a reranker is no number of documents of a prompt, and where
	// something else cuts, a number is a bound.
	candidates   = regexp.MustCompile(`(^| )(candidates?|fetch|prefetch|initial|pool)( |$)`)
	otherCuts    = regexp.MustCompile(`(^| )(rerank|filter|compress|budget|threshold|cutoff)|^max .*tokens$|^min .*score$`)
	positionKeys = regexp.MustCompile(`(^| )(question|query|instructions?|rules)( .*)? (position|placement|location)$`)
	first        = regexp.MustCompile(`^(before|first|top|start|beginning|above)( (the )?(context|documents|chunks))?$`)
	firstLayouts = regexp.MustCompile(`^(question|query|instructions?|rules) first$`)
)

// orderIn returns the order that a key of a mapping names, or nil if the key is none
// of an order. A name that nobody knows counts where it is nearly one that is known.
func orderIn(key string, value *doctree.Node) *Word {
	if value.Kind != doctree.Text || len(key) > 40 || key == strings.ToUpper(key) || !orderKeys.MatchString(strings.Join(words(key), " ")) {
		return nil
	}
	w := parseOrder(value.Text)
	switch many := len(words(w.Name)) > 1; {
	case words(key)[0] != "chunk" && !many && w.Name != "relevance" && w.Name != "similarity":
		return nil // "document_order: reverse" may be about anything
	case w.Placement == nil && (!many || nearest.Of(w.Name, orderNames()) == ""):
		return nil
	}
	return &w
}

// note takes down what one key of a mapping says.
func (a *around) note(n *doctree.Node, e doctree.Entry) {
	name, value := e.Key.Text, e.Value
	key := strings.Join(words(name[:min(len(name), 60)]), " ")
	text := strings.Join(words(value.Text[:min(len(value.Text), 60)]), " ")
	number := whole(value)
	sampler := key == "top k" && n.Get("temperature") != nil // how many words a model draws from
	off := value.Kind == doctree.Null || is(value, "false") || is(value.Get("enabled"), "false")
	a.bound = a.bound || !off && otherCuts.MatchString(key)
	if w := orderIn(name, value); w != nil {
		a.orders = append(a.orders, &Step{Task: Place, Name: name, At: value, Order: w})
		return
	}
	switch {
	case number != nil && countKeys.MatchString(key) && !candidates.MatchString(key) && !sampler:
		if a.keep == nil || number.Value < a.keep.Value {
			a.keep = number
		}
	case positionKeys.MatchString(key) && first.MatchString(text) || strings.HasSuffix(key, "layout") && firstLayouts.MatchString(text):
		what := "rules"
		if strings.Contains(key+text, "que") {
			what = "question"
		}
		a.above = append(a.above, &Layout{What: what, At: value, Line: value.Line})
	case value.Kind == doctree.Text:
		a.texts = append(a.texts, value)
	case value.Kind == doctree.List:
		a.lists = append(a.lists, value)
	}
}

// checkAround checks each order of a document. Which of several the numbers belong to
// is not known.
func (c *checker) checkAround(a *around) {
	if len(a.orders) == 0 {
		return
	}
	c.known(orderKey)
	chain := &Chain{Bound: a.bound, Layouts: a.above}
	for _, text := range a.texts {
		chain.layout(c.template(text))
	}
	for _, list := range a.lists {
		chain.layout(c.messages(list))
	}
	for i, order := range a.orders {
		retrieve := &Step{Task: Retrieve, At: order.At}
		if len(a.orders) == 1 {
			retrieve.Keep = a.keep
		}
		chain.Steps = []*Step{retrieve, order}
		c.check(chain)
		if i == 0 {
			chain.Layouts = nil
		}
	}
}
