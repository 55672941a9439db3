package integration_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
)

// document is one generated document. Bookend reads it through documentView; the
// reference reads known alone, so that it depends on no accessor.
type document struct {
	serial int // tells equal documents apart
	id     string
	text   string
	score  *float64
	meta   map[string]any
	known  facts
}

// facts are what was written into the document, in one plain form. NaN: nothing.
type facts struct {
	id       string
	score    float64 // the document's own
	field    float64 // the metadata field scoreKey
	pinned   bool
	source   string
	position float64
}

// The metadata fields of a document.
const (
	idKey       = "doc"
	scoreKey    = "relevance"
	pinKey      = "always"
	sourceKey   = "source"
	positionKey = "chunk_index"
)

var documentView = &core.View[document]{
	Text: func(d document) string { return d.text },
	ID:   func(d document) string { return d.id },
	Score: func(d document) (float64, bool) {
		if d.score == nil {
			return 0, false
		}
		return *d.score, true
	},
	Meta: func(d document) map[string]any { return d.meta },
}

// clone shares nothing with d that could be written to.
func (d document) clone() document {
	if d.score != nil {
		score := *d.score
		d.score = &score
	}
	d.meta = maps.Clone(d.meta)
	for key, value := range d.meta {
		if p, ok := value.(*float64); ok {
			number := *p
			d.meta[key] = &number
		}
	}
	return d
}

// equal compares what Bookend could write to.
func (d document) equal(other document) bool {
	sameScore := d.score == nil && other.score == nil ||
		d.score != nil && other.score != nil && sameValue(*d.score, *other.score)
	return d.serial == other.serial && d.id == other.id && d.text == other.text && sameScore &&
		maps.EqualFunc(d.meta, other.meta, sameValue)
}

// sameValue compares two values of a metadata field.
func sameValue[V any](x, y V) bool {
	switch x := any(x).(type) {
	case float64:
		y, ok := any(y).(float64)
		return ok && (x == y || math.IsNaN(x) && math.IsNaN(y))
	case *float64:
		y, ok := any(y).(*float64)
		return ok && *x == *y
	}
	return any(x) == any(y)
}

// GoString keeps a failure readable.
func (d document) GoString() string {
	score := "-"
	if d.score != nil {
		score = fmt.Sprint(*d.score)
	}
	return fmt.Sprintf("{#%d id:%q text:%.12q(%d bytes) score:%s meta:%v}", d.serial, d.id, d.text, len(d.text), score, d.meta)
}

func clones(docs []document) []document {
	copied := make([]document, len(docs))
	for i, d := range docs {
		copied[i] = d.clone()
	}
	return copied
}

func serials(docs []document) []int {
	numbers := make([]int, len(docs))
	for i, d := range docs {
		numbers[i] = d.serial
	}
	return numbers
}

// diff compares documents deeply; NaN equals NaN. cmp explains a difference but
// is slow to find none.
func diff(want, got []document) string {
	if slices.EqualFunc(want, got, document.equal) {
		return ""
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(document{}, facts{}), cmpopts.EquateNaNs())
}

// tooLong is over the byte cap that a budget brings along.
var tooLong = strings.Repeat("x", core.DefaultMaxBytes+1)

// The pools are small, so that ties and duplicates are common.
var (
	someIDs     = []string{"", "", "", "a", "b", "c", "d", "e", "f", "7"}
	someTexts   = []string{"", "alpha", "beta gamma", "δδδ", "one two three four", "alpha ", "a longer text that few budgets hold", tooLong}
	someScores  = []float64{-3, -1, 0, 0.5, 0.5, 1, 2, math.Inf(1), math.Inf(-1), math.NaN()}
	someSources = []string{"", "", "s1", "s2", "s3"}
)

func drawDocument(t *rapid.T) document {
	d := document{meta: map[string]any{"other": "untouched"}}
	d.known = facts{score: math.NaN(), field: math.NaN(), position: math.NaN()}

	// Text: from the pool, or one that no other document is likely to have.
	if rapid.Bool().Draw(t, "own text") {
		d.text = "text " + rapid.StringMatching(`[a-z]{4,12}( [a-z]{1,9}){0,3}`).Draw(t, "text")
	} else {
		d.text = rapid.SampledFrom(someTexts).Draw(t, "text")
	}

	// ID: the document's own, or a metadata field, as text or a whole number.
	id := rapid.SampledFrom(someIDs).Draw(t, "id")
	d.known.id = id
	switch rapid.IntRange(0, 2).Draw(t, "place of the id") {
	case 0:
		d.id = id
		d.meta[idKey] = "shadowed by the own ID"
		if id == "" {
			delete(d.meta, idKey)
		}
	case 1:
		d.meta[idKey] = id
	case 2:
		d.known.id = "7"
		d.meta[idKey] = rapid.SampledFrom([]any{7, int64(7), uint8(7), "7"}).Draw(t, "numeric id")
	}

	// Scores: missing ones, and every type of number that metadata may hold.
	if score := rapid.SampledFrom(someScores).Draw(t, "score"); rapid.IntRange(0, 4).Draw(t, "has score") > 0 {
		d.score, d.known.score = &score, score
	}
	if field, value, ok := drawNumber(t); ok {
		d.meta[scoreKey], d.known.field = value, field
	}

	d.meta[pinKey] = rapid.SampledFrom([]any{false, false, false, false, false, false, "true", 1, nil, true}).Draw(t, "pin")
	d.known.pinned = d.meta[pinKey] == true

	if d.known.source = rapid.SampledFrom(someSources).Draw(t, "source"); d.known.source != "" {
		d.meta[sourceKey] = d.known.source
	}
	if position := rapid.IntRange(-1, 4).Draw(t, "position"); position >= 0 {
		d.meta[positionKey], d.known.position = position, float64(position)
	}
	return d
}

// drawNumber returns a number and a metadata value that holds it; NaN for a value
// that holds none; and false for no value at all.
func drawNumber(t *rapid.T) (number float64, value any, ok bool) {
	whole := rapid.IntRange(-2, 3).Draw(t, "number")
	number = float64(whole)
	switch rapid.IntRange(0, 9).Draw(t, "type of the number") {
	case 0:
		return 0, nil, false
	case 1:
		return math.NaN(), "no number", true
	case 2:
		return math.NaN(), math.NaN(), true
	case 3:
		return number, whole, true
	case 4:
		return number, int16(whole), true
	case 5:
		return number, float32(whole), true
	case 6:
		return number, json.Number(fmt.Sprint(whole)), true
	case 7:
		return number, &number, true
	case 8:
		return math.Inf(1), math.Inf(1), true
	}
	return number + 0.25, number + 0.25, true
}

// drawDocuments returns documents with spare capacity behind them, so that an
// append to them would be seen in the array.
func drawDocuments(t *rapid.T) []document {
	docs := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 16).Draw(t, "documents")
	docs = slices.Grow(docs, 2)
	for i := range docs {
		docs[i].serial = i
	}
	return docs
}
