package conformance

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// query is what every call asks.
const query = "where do I send it back?"

// nameKey is the metadata field by which the suite tells documents apart: IDs and
// texts are sometimes equal or empty on purpose.
const nameKey = "name"

// kit is what a case works with.
type kit[E any] struct {
	Adapter[E]
	path Path[E]
}

// named returns documents d1 … dn, best first, with IDs and texts of their own.
func named(n int) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		name := fmt.Sprint("d", i+1)
		docs[i] = Doc{ID: name, Text: "text of " + name, Meta: map[string]any{nameKey: name}}
	}
	return docs
}

// with changes each of docs and returns them; i counts from 0.
func with(docs []Doc, change func(i int, d *Doc)) []Doc {
	for i := range docs {
		change(i, &docs[i])
	}
	return docs
}

// scored returns documents d1, d2 … with the given scores.
func scored(scores ...float64) []Doc {
	return with(named(len(scores)), func(i int, d *Doc) { d.Score = &scores[i] })
}

func (k kit[E]) make(docs []Doc) []E {
	out := make([]E, len(docs))
	for i, d := range docs {
		d.Meta = maps.Clone(d.Meta)
		out[i] = k.Make(d)
	}
	return out
}

// build returns the path for a configuration that has to be accepted.
func (k kit[E]) build(t *testing.T, c core.Config) Place[E] {
	t.Helper()
	place, err := k.path.New(c)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return place
}

// call runs a path that has to succeed and checks that it wrote to none of docs.
func (k kit[E]) call(t *testing.T, place Place[E], docs []E) []E {
	t.Helper()
	before := k.snapshot(docs)
	placed, err := place(context.Background(), query, docs)
	if err != nil {
		t.Fatalf("the call failed: %v", err)
	}
	k.checkUnchanged(t, before, docs)
	return placed
}

// snapshot writes down what docs hold now: as text, in which NaN equals NaN.
func (k kit[E]) snapshot(docs []E) string {
	var b strings.Builder
	for _, d := range docs {
		r := k.Read(d)
		score := "none"
		if r.Score != nil {
			score = fmt.Sprint(*r.Score)
		}
		fmt.Fprintf(&b, "%q %q score %s %#v\n", r.ID, r.Text, score, r.Meta)
	}
	return b.String()
}

func (k kit[E]) checkUnchanged(t *testing.T, before string, docs []E) {
	t.Helper()
	if after := k.snapshot(docs); before != after {
		t.Errorf("the input was written to (-before +after)\n-%s\n+%s", before, after)
	}
}

// names returns the names of docs in their order, as in "d1 d3 d2".
func (k kit[E]) names(docs []E) string {
	names := make([]string, len(docs))
	for i, d := range docs {
		names[i] = fmt.Sprint(k.Read(d).Meta[nameKey])
	}
	return strings.Join(names, " ")
}

func checkNames(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("order (-want +got)\n-%s\n+%s", want, got)
	}
}

// by makes a configuration's placement.
func by(p core.Placement) core.Choice { return core.Choice{Placement: p} }

func number(x float64) *float64 { return &x }
