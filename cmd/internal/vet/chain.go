package vet

import (
	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// A Chain is the way of the documents from the retriever to the prompt, as one file
// describes it. Every dialect is read into chains, and the rules look at nothing
// else.
type Chain struct {
	Dialect *Dialect
	Steps   []*Step // in the order in which the documents pass them
	Listed  bool    // the file lists the steps one after another
	// Window, Budget and Answer are sizes in tokens: what the model takes, what the
	// prompt or its documents may have, and what is kept for the answer.
	Window, Budget, Answer *Number
	Thresholds             []*Threshold
	Layouts                []*Layout
}

// Kind says what a step does.
type Kind uint8

// The kinds.
const (
	noKind   Kind = iota
	Retrieve      // finds documents
	Fuse          // joins several lists, and ranks them anew
	Rerank        // ranks anew
	Trim          // leaves documents out
	Place         // puts documents in an order, and into the prompt
	generate      // asks the model
	ignored       // has nothing to do with the documents of a prompt
)

// Step is one step. What it keeps is cut before it places.
type Step struct {
	Kind Kind
	Name string // for people
	At   *doctree.Node
	Keep *Number // the most documents that leave it
	Cuts bool    // it leaves documents out by score or size
	// Order is how it places the documents, nil for as they come.
	Order *Word
}

// Number is a number of the file, or one that holds because the file says none.
type Number struct {
	Value int
	Key   string
	At    *doctree.Node // nil for what holds by default
}

// Word is the name of an order.
type Word struct {
	Order
	Key string
	At  *doctree.Node
	// Head and Measured are the words for head-tail and measured that the file's own
	// program is known to take here, or "".
	Head, Measured string
	Bookend        bool // it is a placement of Bookend, which knows no other names
}

// Threshold is a cut by score, with the direction that is declared beside it.
type Threshold struct {
	*Number
	Fraction  string // the number as it is written
	Keeps     string // "above" or "below", as its key says
	Direction *Number
	Better    string // "higher" or "lower", as Direction says
}

// Layout says where rules and question stand.
type Layout struct {
	At       *doctree.Node
	Line     int    // where what is wrong stands
	What     string // "question" or "rules": what stands before the documents alone
	Key      string
	Old, New string // the value, and one that the program is known to take, or ""
}

// Documents returns how many documents a step hands on, and false if nothing says
// it. The number that decides is returned as well.
func (c *Chain) Documents(upTo int) (*Number, bool) {
	var last *Number
	retrieved := 0
	for i, s := range c.Steps {
		if i > upTo {
			break
		}
		if s.Kind == Retrieve && i > 0 && c.Steps[i-1].Kind == Retrieve {
			if last == nil || s.Keep == nil {
				last = nil
				continue
			}
			retrieved += s.Keep.Value // several retrievers add up
			last = &Number{Value: retrieved, Key: s.Keep.Key, At: s.Keep.At}
			continue
		}
		if s.Keep != nil && (last == nil || s.Keep.Value < last.Value) {
			last = s.Keep
		}
		if s.Kind == Retrieve && s.Keep != nil {
			retrieved = s.Keep.Value
		}
	}
	return last, last != nil
}

// final returns the order in which the documents reach the prompt, and its step: the
// last one that places, unless something ranks them anew behind it.
func (c *Chain) final() (*Word, int) {
	for i := len(c.Steps) - 1; i >= 0; i-- {
		switch s := c.Steps[i]; {
		case s.Order != nil:
			return s.Order, i
		case s.Kind == Rerank, s.Kind == Fuse:
			return nil, i
		}
	}
	return nil, -1
}

// retrieves says that the file tells how many documents are retrieved, or lists a
// step that does: a section called "reranker" may be anything.
func (c *Chain) retrieves() bool {
	for _, s := range c.Steps {
		if s.Kind == Retrieve && (s.Keep != nil || c.Listed) {
			return true
		}
	}
	return false
}
