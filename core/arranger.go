package core

import (
	"context"

	"github.com/bookend-rag/bookend/internal/recall"
)

// Arranger is a validated Config: what arranges documents. It is immutable and
// safe for concurrent use. A nil *Arranger and a zero one mean the default Config.
type Arranger struct {
	*settings
	observe func(context.Context, Event)
	choose  func(context.Context) *Arranger // Select
}

// settings are what an Arranger shares with those that For makes of it.
type settings struct {
	config    Config // without its Observe and Select
	pins      map[string]bool
	off       bool // changes nothing
	admitsAll bool // no setting can leave a document out
	folds     bool // the placement is HeadTail, for any number of documents
	count     func(string) int
	recalled  recall.Call // what Config.Reuse remembers for the one call that this is made for
}

// Off is the value that changes nothing: the documents keep their input order,
// none is dropped, and a prompt is byte for byte that of a chain without
// Bookend. Return it from Select to switch Bookend off for a call.
var Off = &Arranger{settings: &settings{off: true, admitsAll: true}}

var defaultArranger = &Arranger{settings: &settings{admitsAll: true, folds: true}}

// New validates a Config and returns the value that runs it, or every fault of
// the Config, joined by errors.Join: *ConfigError, and *CurveError for a curve.
// The Config is copied, pins, threshold and curve included: later changes to it
// have no effect.
func New(c Config) (*Arranger, error) {
	for nested, ok := c.Placement.Placement.(Choice); ok; nested, ok = c.Placement.Placement.(Choice) {
		c.Placement = nested
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	s := &settings{config: c.clone(), count: c.Count}
	s.config.Observe, s.config.Select = nil, nil
	if c.Unit != "" {
		s.count = c.Unit.Count
	}
	if len(c.Pins) > 0 {
		s.pins = make(map[string]bool, len(c.Pins))
		for _, id := range c.Pins {
			s.pins[id] = true
		}
	}
	s.admitsAll = len(c.Pins) == 0 && c.Keys.Pin == "" && !c.DropSameID && !c.DropSameText &&
		c.Threshold == nil && c.MaxBytes == 0 && c.TopK == 0 && c.Budget == 0
	s.folds = c.Placement.placement() == HeadTail && c.MinDocuments == 0 && !c.Groups && c.Reuse == nil
	return &Arranger{s, c.Observe, c.Select}, nil
}

// Config returns a copy of the configuration. For Off it is the zero Config.
func (a *Arranger) Config() Config {
	a = a.orDefault()
	c := a.config.clone()
	c.Observe, c.Select = a.observe, a.choose
	return c
}

// TopK returns Config.TopK without a copy of the rest: how many documents are
// admitted at most, 0 for no limit.
func (a *Arranger) TopK() int { return a.orDefault().config.TopK }

// MaxBytes returns Config.MaxBytes without a copy of the rest, 0 where it is not set.
func (a *Arranger) MaxBytes() int { return a.orDefault().config.MaxBytes }

// IsOff says whether a changes nothing: Off, or what For made of it.
func (a *Arranger) IsOff() bool { return a.orDefault().off }

// With returns an Arranger that differs in its placement, as an arm of an experiment
// does: it places by p and goes past Config.Reuse. a is unchanged. The error is that of
// New. A nil Placement means HeadTail. Off.With(p) is an Arranger that does no more than
// place by p.
func (a *Arranger) With(p Placement) (*Arranger, error) {
	c := a.Config()
	c.Placement, c.Reuse = Choice{p}, nil
	return New(c)
}

// For returns the Arranger to use for one call: what Select returns for ctx, or
// a itself. The result has no Select, so that a caller who needs it twice in one
// call gets one answer; a pipeline calls it before it asks a retriever. It copies
// no configuration.
func (a *Arranger) For(ctx context.Context) *Arranger {
	a = a.orDefault()
	if a.choose == nil {
		return a
	}
	chosen := a.choose(ctx)
	if chosen == nil {
		chosen = a
	}
	chosen = chosen.orDefault()
	if chosen.choose == nil && (chosen.observe != nil || a.observe == nil) {
		return chosen
	}
	one := &Arranger{chosen.settings, chosen.observe, nil}
	if one.observe == nil {
		one.observe = a.observe
	}
	return one
}

// shuffled returns an Arranger that differs from a in its placement alone. The
// curve and the pins of a are shared, since neither is written to.
func (a *Arranger) shuffled(seed uint64) *Arranger {
	s := *a.settings
	s.config.Placement = Choice{Shuffled{Seed: seed}}
	s.folds = false
	return &Arranger{&s, a.observe, a.choose}
}

// intended names the placement of a before it has seen any document.
func (a *Arranger) intended() string {
	if a.off {
		return "off"
	}
	return a.config.Placement.String()
}

func (a *Arranger) orDefault() *Arranger {
	if a == nil || a.settings == nil {
		return defaultArranger
	}
	return a
}
