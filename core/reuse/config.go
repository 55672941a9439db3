package reuse

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/bookend-rag/bookend/core"
)

// What Config takes for zero.
const (
	DefaultMaxDocuments = 10_000
	DefaultTTL          = 5 * time.Minute
	DefaultDecay        = 0.5
)

// Config says what an order may give way for, and what is remembered. The zero value
// never changes an order, and counts what the orders of a program have in common.
type Config struct {
	// Worth is what it is worth to have all documents of a prompt read from the cache, in
	// points of accuracy (percentage points): 2 gives up as much as two answers in a
	// hundred for it, and half as much where half of the documents' bytes are saved. What
	// an order is expected to lose by Curve is never more than that. 0: no order is
	// changed for what it saves, unless Hold says so.
	Worth float64
	// Curve prices the slots; Worth needs it. It holds accuracies (no core.CurveOfUse): the
	// fitted ones where it has them. On a flat curve every slot is alike and every order
	// free. A curve whose shape is undecided is refused.
	Curve *core.Curve
	// Decay says how probable it is that a rank holds the answer: so many times as probable
	// as the rank before it, above 0 and at most 1. 0: DefaultDecay, by which the best
	// document has the answer in about half of the cases, and in more where there are few.
	Decay float64
	// Hold keeps the best Hold ranks in the slots that the placement gives them. Without
	// Worth the others move freely, at no known price, and no Curve is needed. 1 holds the
	// best document alone.
	Hold int

	// MaxDocuments bounds the memory: the documents of all remembered orders, where a
	// beginning that several have in common counts once. Beyond it what was not used for
	// longest goes. A document takes about 130 bytes. 0: DefaultMaxDocuments.
	MaxDocuments int
	// TTL is how long an order is remembered that is not sent again: as long as the
	// server keeps it. 0: DefaultTTL.
	TTL time.Duration
	// Scope says which orders may be reused in a call: those of the same scope alone, such
	// as its tenant and its model. It must be safe for concurrent use. Nil: all calls
	// have one scope, which is right for one tenant and one model.
	Scope func(context.Context) string
	// Now is the clock. Nil: time.Now.
	Now func() time.Time
}

// withDefaults returns c with its defaults, or every fault, joined.
func (c Config) withDefaults() (Config, error) {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if !(c.Worth >= 0) || math.IsInf(c.Worth, 1) {
		fault("Worth", c.Worth, "must be 0 (nothing) or more points of accuracy, such as 2")
	}
	if c.Worth > 0 && c.Curve == nil {
		fault("Worth", c.Worth, "needs a {Curve} to price the slots by; without one set {Hold}")
	}
	if c.Curve != nil {
		faults = append(faults, checkCurve(c.Curve))
	}
	if c.Decay == 0 {
		c.Decay = DefaultDecay
	}
	if !(c.Decay > 0 && c.Decay <= 1) {
		fault("Decay", c.Decay, "must be above 0 and at most 1, such as 0.5")
	}
	if c.Hold < 0 {
		fault("Hold", c.Hold, "must be 0 (none) or more ranks")
	}
	if c.MaxDocuments < 0 || c.MaxDocuments > maxDocuments {
		fault("MaxDocuments", c.MaxDocuments, "must be from 0 (the default) to 100,000,000")
	}
	if c.TTL < 0 {
		fault("TTL", c.TTL, "must be 0 (the default) or more")
	}
	if c.MaxDocuments == 0 {
		c.MaxDocuments = DefaultMaxDocuments
	}
	if c.TTL == 0 {
		c.TTL = DefaultTTL
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c, errors.Join(faults...)
}

// maxDocuments keeps the nodes of a tree within 32 bits.
const maxDocuments = 100_000_000

func checkCurve(c *core.Curve) error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Kind == core.CurveOfUse:
		return &core.ConfigError{Field: "Curve", Value: "of use", Rule: "holds how often documents are cited, which has no points of accuracy: measure one with a sweep, or set {Hold}"}
	case c.Shape == core.ShapeUndecided:
		return &core.ConfigError{Field: "Curve", Value: "undecided", Rule: "does not say what a slot is worth: ask more questions, or set {Hold}"}
	}
	return nil
}
