package reuse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/reuse"
)

// doc is a document of the tests.
type doc struct{ id, text string }

var view = &core.View[doc]{
	ID:   func(d doc) string { return d.id },
	Text: func(d doc) string { return d.text },
}

// docs makes documents of letters, each of 100 bytes.
func docs(letters string) []doc {
	var out []doc
	for _, letter := range strings.ReplaceAll(letters, " ", "") {
		out = append(out, doc{string(letter), strings.Repeat(string(letter), 100)})
	}
	return out
}

// letters writes documents as docs reads them.
func letters(docs []doc) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(d.id)
	}
	return b.String()
}

func mustNew(t testing.TB, c reuse.Config) *reuse.Memory {
	t.Helper()
	m, err := reuse.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// by makes an Arranger that places by p, with a memory.
func by(t testing.TB, p core.Placement, m core.Reuse) *core.Arranger {
	t.Helper()
	a, err := core.New(core.Config{Placement: core.Choice{Placement: p}, Reuse: m})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// place sends documents, best first, and returns their order.
func place(t testing.TB, ctx context.Context, a *core.Arranger, ranked string) string {
	t.Helper()
	placed, err := core.Transform(ctx, a, docs(ranked), view, core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return letters(placed)
}

// line is a curve that falls from a first to a last value.
func line(first, last float64) *core.Curve {
	values := []float64{first, last}
	shape := core.ShapePrimacy
	if first < last {
		shape = core.ShapeRecency
	}
	return &core.Curve{Format: core.CurveFormat, Documents: 10, Slots: []int{0, 9}, Accuracy: values, Shape: shape}
}

func flat() *core.Curve {
	c := line(0.7, 0.6)
	c.Shape = core.ShapeFlat
	return c
}

// clock is a clock that the test sets.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

func same[T comparable](t testing.TB, what string, want, got T) {
	t.Helper()
	if want != got {
		t.Errorf("%s (-want +got)\n-%v\n+%v", what, want, got)
	}
}

// refused checks that err names each field of a *core.ConfigError.
func refused(t *testing.T, err error, fields ...string) {
	t.Helper()
	for _, field := range fields {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("bookend: %s ", field)) {
			t.Errorf("error %v does not name %s", err, field)
		}
	}
	var fault *core.ConfigError
	if !errors.As(err, &fault) {
		t.Errorf("%T is no *core.ConfigError", err)
	}
}
