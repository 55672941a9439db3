package vet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/core"
)

// The kinds of files that are known.
const (
	bookend  = "Bookend"
	haystack = "Haystack"
	autoRAG  = "AutoRAG"
	dify     = "Dify"
	orderKey = "files with a key for the order"
)

// kinds are tried on every mapping. Each reads the chains of a mapping of its kind,
// and says that another one is none.
var kinds = []struct {
	name string
	read func(*checker, *doctree.Node) ([]*Chain, bool)
}{{haystack, (*checker).haystack}, {autoRAG, (*checker).autoRAG}, {dify, (*checker).dify}}

// walk looks for mappings of a known kind, at any depth, and takes down what stands
// outside them. What an alias repeats is walked once.
func (c *checker) walk(n *doctree.Node, a *around) {
	if c.seen[n] || !c.spend(1) {
		return
	}
	c.seen[n] = true
	for _, k := range kinds {
		if chains, ok := k.read(c, n); ok {
			c.known(k.name)
			for _, chain := range chains {
				c.check(chain)
			}
			return
		}
	}
	for _, item := range n.Items {
		c.walk(item, a)
	}
	for _, e := range n.Entries {
		if !c.seen[e.Key] { // a merged key is noted once
			c.seen[e.Key] = true
			a.note(n, e)
		}
		c.walk(e.Value, a)
	}
}

// A Chain is the way of the documents from the retriever to the prompt, as one file
// describes it. Every kind is read into chains, and the rules look at nothing else.
type Chain struct {
	Steps   []*Step // in the order in which the documents pass them
	Layouts []*Layout
	Bound   bool // the numbers are bounds: something else may leave out more
}

// layout adds a fault of the layout, or nothing for nil.
func (c *Chain) layout(l *Layout) {
	if l != nil {
		c.Layouts = append(c.Layouts, l)
	}
}

// Layout says where the rules or the question stand before the documents alone.
type Layout struct {
	What string // "question" or "rules"
	At   *doctree.Node
	Line int
	New  string // a value that Bookend is known to take, or ""
}

// Task says what a step does.
type Task uint8

// The tasks.
const (
	noTask   Task = iota
	Retrieve      // finds documents
	Fuse          // joins several lists, and ranks them anew
	Rerank        // ranks anew
	Trim          // leaves documents out
	Place         // puts documents in an order, and into the prompt
)

// Step is one step. What it keeps is cut before it places.
type Step struct {
	Task  Task
	Name  string
	At    *doctree.Node
	Keep  *Number // the most documents that leave it
	Cuts  bool    // it leaves documents out by score or size
	Order *Word   // how it places the documents, nil for as they come
}

// places says that a step puts the documents into an order that is not their ranks'.
func (s *Step) places() bool {
	return s.Order != nil && s.Order.Placement != nil && s.Order.Placement != core.RankOrder
}

// ranksAnew says that a step throws away what order its input has.
func (s *Step) ranksAnew() bool { return s.Task == Rerank || s.Task == Fuse }

// Number is how many documents there are at most.
type Number struct {
	Value int
	At    *doctree.Node // nil for what the file does not say
}

// maxCount is the greatest number of documents that is reckoned with. More are taken
// for as many.
const maxCount = judge.MaxDocuments

// whole reads a whole number of 1 or more.
func whole(n *doctree.Node) *Number {
	if n == nil || n.Kind != doctree.Int {
		return nil
	}
	digits := strings.ReplaceAll(n.Text, "_", "")
	v, err := strconv.Atoi(digits)
	if err != nil && strings.Trim(digits, "0123456789") == "" {
		v = maxCount // too many digits
	}
	if v < 1 {
		return nil
	}
	return &Number{min(v, maxCount), n}
}

// documents returns how many documents leave each step, nil where nothing says it.
func (c *Chain) documents() []*Number {
	all := make([]*Number, len(c.Steps))
	var last *Number
	for i, s := range c.Steps {
		switch {
		case i > 0 && s.Task == Retrieve && c.Steps[i-1].Task == Retrieve:
			if last == nil || s.Keep == nil {
				last = nil
			} else { // several retrievers add up
				last = &Number{min(last.Value+s.Keep.Value, maxCount), s.Keep.At}
			}
		case s.Keep != nil && (last == nil || s.Keep.Value < last.Value):
			last = s.Keep
		}
		all[i] = last
	}
	return all
}

// reach returns how many documents reach the prompt, or nil.
func (c *Chain) reach() *Number {
	if all := c.documents(); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}

// final returns the step whose order the documents have in the prompt: the last one
// that places, or nil if something ranks them anew behind it.
func (c *Chain) final() *Step {
	for _, s := range slices.Backward(c.Steps) {
		switch {
		case s.Order != nil:
			return s
		case s.ranksAnew():
			return nil
		}
	}
	return nil
}
