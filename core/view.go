package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
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
		faults = append(faults, &ConfigError{Field: "View." + field, Value: "nil", Rule: setting + " needs it: set the accessor"})
	}
	meta := v.Meta != nil
	if c.Rank == ByScore || c.Threshold != nil && c.ThresholdBy != RankingScore {
		if c.ScoreKey == "" && v.Score == nil {
			lacks("Score", "ranking by score or a threshold")
		}
		if c.ScoreKey != "" && !meta {
			lacks("Meta", "ScoreKey")
		}
	}
	if c.PinKey != "" && !meta {
		lacks("Meta", "PinKey")
	}
	if (len(c.Pins) > 0 || c.DropSameID) && v.ID == nil && !meta {
		lacks("ID", "a setting about IDs")
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
	case c.ScoreKey != "" && v.Meta != nil:
		if s, ok := Number(v.Meta(doc)[c.ScoreKey]); ok {
			return s
		}
	case c.ScoreKey == "" && v.Score != nil:
		if s, ok := v.Score(doc); ok {
			return s
		}
	}
	return math.NaN()
}

func (v *View[E]) id(c *Config, doc E) string { return v.Identity(doc, c.IDKey) }

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
	switch id := v.Meta(doc)[idKey].(type) {
	case nil:
		return ""
	case string:
		return id
	case json.Number:
		return id.String()
	case float64:
		if id == math.Trunc(id) && math.Abs(id) < 1<<53 {
			return strconv.FormatFloat(id, 'f', -1, 64)
		}
		return ""
	default:
		if v := reflect.ValueOf(id); v.Kind() == reflect.String || v.CanInt() || v.CanUint() {
			return fmt.Sprint(id)
		}
		return ""
	}
}

func (v *View[E]) pinned(c *Config, doc E) bool {
	if c.PinKey == "" || v.Meta == nil {
		return false
	}
	pinned, _ := v.Meta(doc)[c.PinKey].(bool)
	return pinned
}

func (v *View[E]) origin(c *Config, doc E) Origin {
	if v.Meta == nil {
		return Origin{}
	}
	return OriginOf(v.Meta(doc), c.SourceKey, c.PositionKey)
}

// Number reads a metadata value of any numeric type: the integers and floats of
// Go, named types of them, json.Number, and pointers to any of these. NaN, text
// and everything else are no number.
func Number(value any) (float64, bool) {
	switch n := value.(type) {
	case nil:
		return 0, false
	case float64:
		return n, !math.IsNaN(n)
	case float32:
		return float64(n), n == n
	case int:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil && !math.IsNaN(f)
	}
	v := reflect.ValueOf(value)
	for range 4 { // pointers to pointers, without following a cycle
		if v.Kind() != reflect.Pointer || v.IsNil() {
			break
		}
		v = v.Elem()
	}
	if n, ok := v.Interface().(json.Number); ok {
		return Number(n)
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), !math.IsNaN(v.Float())
	}
	return 0, false
}
