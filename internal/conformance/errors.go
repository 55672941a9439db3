package conformance

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// errorCase is a call that has to fail with an error of a type, and to return no
// document.
type errorCase struct {
	rule   int
	name   string
	config core.Config
	docs   []Doc
	is     func(error) bool
}

func pinError(limit string, limited, got int) func(error) bool {
	return func(err error) bool {
		var e *core.PinError
		return errors.As(err, &e) && e.Limit == limit && e.Max == limited && e.Got == got
	}
}

var errorCases = []errorCase{
	{
		5, "pins alone go over top-k",
		core.Config{Pins: []string{"d1", "d2"}, TopK: 1},
		named(3), pinError("TopK", 1, 2),
	},
	{
		5, "pins alone go over the budget",
		core.Config{Pins: []string{"d1", "d2"}, Budget: 5, Unit: core.Words},
		words(3, 3, 1), pinError("Budget", 5, 6),
	},
	{
		5, "a pin goes over the byte cap",
		core.Config{Pins: []string{"d2"}, MaxBytes: 2},
		texts("a", "abc"), pinError("MaxBytes", 2, 3),
	},
	{
		8, "a counter that gives a negative size",
		core.Config{Budget: 5, Count: func(string) int { return -7 }},
		named(1),
		func(err error) bool {
			var e *core.ConfigError
			return errors.As(err, &e) && e.Field == "Count" && e.Value == -7
		},
	},
}

func (k kit[E]) checkError(t *testing.T, c errorCase) {
	docs := k.make(c.docs)
	before := k.snapshot(docs)
	placed, err := k.build(t, c.config)(context.Background(), query, docs)
	if !c.is(err) {
		t.Errorf("got the error %v (%T)", err, err)
	}
	if placed != nil {
		t.Errorf("got the documents %s beside the error", k.names(placed))
	}
	k.checkUnchanged(t, before, docs)
}

func badPlacements[E any](t *testing.T, k kit[E]) {
	for _, c := range []struct {
		name  string
		slots []int
		says  string
	}{
		{"repeats a rank", []int{0, 1, 0}, "rank 0 into slot 2, which already stands in slot 0"},
		{"leaves the range", []int{0, 3, 1}, "rank 3 into slot 1, which does not exist: ranks go from 0 to 2"},
		{"is negative", []int{-1, 0, 1}, "rank -1 into slot 0, which does not exist"},
	} {
		place := k.build(t, core.Config{Placement: by(core.PlacementFunc(func(slots []int, _ func(rank int) core.Origin) error {
			copy(slots, c.slots)
			return nil
		}))})
		placed, err := place(context.Background(), query, k.make(named(3)))
		var e *core.PlacementError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got the error %v, want one that says %q", c.name, err, c.says)
		}
		if placed != nil {
			t.Errorf("%s: got the documents %s beside the error", c.name, k.names(placed))
		}
	}
}

var errOut = errors.New("out of order")

func failingPlacement[E any](t *testing.T, k kit[E]) {
	place := k.build(t, core.Config{Placement: by(core.PlacementFunc(func([]int, func(int) core.Origin) error { return errOut }))})
	placed, err := place(context.Background(), query, k.make(named(3)))
	var e *core.PlacementError
	if !errors.As(err, &e) || !errors.Is(err, errOut) {
		t.Errorf("got the error %v", err)
	}
	if placed != nil {
		t.Errorf("got the documents %s beside the error", k.names(placed))
	}
}

func joinedFaults[E any](t *testing.T, k kit[E]) {
	place, err := k.path.New(core.Config{
		Rank: core.ByScore, TopK: -1, Budget: 3, Threshold: number(math.NaN()), Placement: by(core.EdgesFirst{Edge: -1}),
	})
	if place != nil {
		t.Error("got a value beside the error")
	}
	got := faultyFields(err)
	for _, want := range []string{"Direction", "TopK", "Budget", "Threshold", "Placement"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among the faults %v", want, got)
		}
	}
}

// faultyFields returns the field of every *core.ConfigError in err.
func faultyFields(err error) []string {
	if e, ok := err.(*core.ConfigError); ok {
		return []string{e.Field}
	}
	var fields []string
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, fault := range e.Unwrap() {
			fields = append(fields, faultyFields(fault)...)
		}
	case interface{ Unwrap() error }:
		return faultyFields(e.Unwrap())
	}
	return fields
}

func cancelled[E any](t *testing.T, k kit[E]) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errOut)
	for name, c := range configs() {
		placed, err := k.build(t, c)(ctx, query, k.make(named(3)))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got the error %v, want context.Canceled", name, err)
		}
		if placed != nil {
			t.Errorf("%s: got the documents %s beside the error", name, k.names(placed))
		}
	}
}

func innerFails(t *testing.T, w Wrapper) {
	if err := w.Failing(errOut); !errors.Is(err, errOut) {
		t.Errorf("got the error %v, want one that wraps %v", err, errOut)
	}
}

func innerNil(t *testing.T, w Wrapper) {
	if err := w.Nil(); len(faultyFields(err)) != 1 {
		t.Errorf("got the error %v, want one *core.ConfigError", err)
	}
}

func nested(t *testing.T, w Wrapper) {
	if err := w.Nested(); len(faultyFields(err)) != 1 {
		t.Errorf("got the error %v, want one *core.ConfigError", err)
	}
}
