package core

import (
	"errors"

	"github.com/bookend-rag/bookend/internal/meta"
)

// View tells Bookend how to read a document of any type E. Every accessor may be
// nil; a setting that needs a missing one is a *ConfigError at the call. They
// are read-only, must be safe for concurrent use, and may be called several
// times for one document.
type View[E any] struct {
	// Text returns what the model reads. Budget, DropSameText and MaxBytes need
	// it.
	Text func(E) string
	// ID returns the document's own identifier, or "".
	ID func(E) string
	// Score returns the document's own score, and whether it has one. A missing
	// score is not zero.
	Score func(E) (float64, bool)
	// Meta returns the document's metadata. Nothing is ever written to it.
	Meta func(E) map[string]any
}

// orEmpty stands in for a nil View one without accessors.
func (v *View[E]) orEmpty() *View[E] {
	if v == nil {
		return &View[E]{}
	}
	return v
}

// need returns a *ConfigError for each accessor that c needs and v lacks,
// joined.
func (v *View[E]) need(c *Config) error {
	var faults []error
	lacks := func(field, setting string) {
		faults = append(faults, &ConfigError{Field: "View." + field, Value: nil, Rule: setting + " needs it: set the accessor"})
	}
	meta := v.Meta != nil
	if c.Rank == ByScore || c.Threshold != nil && c.ThresholdBy != RankingScore {
		if c.Keys.Score == "" && v.Score == nil {
			lacks("Score", "ranking by score or a threshold")
		}
		if c.Keys.Score != "" && !meta {
			lacks("Meta", "{Keys.Score}")
		}
	}
	if c.Keys.Pin != "" && !meta {
		lacks("Meta", "{Keys.Pin}")
	}
	if (len(c.Pins) > 0 || c.DropSameID) && v.ID == nil && !meta {
		lacks("ID", "a setting about IDs")
	}
	if c.Reuse != nil && v.Text == nil {
		lacks("Text", "{Reuse}")
	}
	if (c.Budget > 0 || c.MaxBytes > 0 || c.DropSameText) && v.Text == nil {
		lacks("Text", "a setting about texts")
	}
	if (c.Groups || c.Placement.Placement == DocumentOrder) && !meta {
		lacks("Meta", "Groups or document-order")
	}
	return errors.Join(faults...)
}

func (v *View[E]) text(doc E) string {
	if v.Text == nil {
		return ""
	}
	return v.Text(doc)
}

func (v *View[E]) meta(doc E) map[string]any {
	if v.Meta == nil {
		return nil
	}
	return v.Meta(doc)
}

// score returns the score of doc; NaN when it is missing.
func (v *View[E]) score(c *Config, doc E) float64 {
	switch {
	case c.Keys.Score != "" && v.Meta != nil:
		if s, ok := meta.Number(v.Meta(doc)[c.Keys.Score]); ok {
			return s
		}
	case c.Keys.Score == "" && v.Score != nil:
		if s, ok := v.Score(doc); ok {
			return s
		}
	}
	return nan
}

func (v *View[E]) id(c *Config, doc E) string { return v.Identity(doc, c.Keys.ID) }

// identity returns what a memory tells doc by.
func (v *View[E]) identity(c *Config, doc E) (id, text string) { return v.id(c, doc), v.text(doc) }

// Identity returns the ID of doc as every setting about IDs reads it: its own, or
// else what the metadata field idKey holds ("" means "id"), text or a whole number;
// "" where there is none. v may be nil.
func (v *View[E]) Identity(doc E, idKey string) string {
	v = v.orEmpty()
	if v.ID != nil {
		if id := v.ID(doc); id != "" {
			return id
		}
	}
	if v.Meta == nil {
		return ""
	}
	if idKey == "" {
		idKey = "id"
	}
	id, _ := meta.ID(v.Meta(doc)[idKey])
	return id
}

func (v *View[E]) pinned(c *Config, doc E) bool {
	if c.Keys.Pin == "" || v.Meta == nil {
		return false
	}
	pinned, _ := v.Meta(doc)[c.Keys.Pin].(bool)
	return pinned
}

func (v *View[E]) origin(c *Config, doc E) Origin {
	if v.Meta == nil {
		return Origin{}
	}
	return originOf(v.Meta(doc), c.Keys)
}

// reader reads a document by its rank.
type reader struct {
	text, id func(rank int) string
	meta     func(rank int) map[string]any
	origin   func(rank int) Origin
	score    func(rank int) float64 // NaN: missing
	pinned   func(rank int) bool    // by Keys.Pin
}

// originOf reads an Origin from a document's metadata by keys.
func originOf(metadata map[string]any, keys Keys) Origin {
	position, known := meta.First(metadata, keys.Position, meta.PositionKeys, meta.Position)
	return Origin{Source: meta.Source(metadata, keys.Source), Position: position, HasPosition: known}
}
