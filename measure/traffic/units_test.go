package traffic_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// Requests that come twice change nothing but their number: a file that was copied, an
// answer that was fetched again.
func TestDoubledRequests(t *testing.T) {
	t.Parallel()
	once, twice := collector(t, traffic.Options{}), collector(t, traffic.Options{})
	feed(t, once, simulation("U", 10, 1), 1000, noon, nil)
	for range 2 {
		feed(t, twice, simulation("U", 10, 1), 1000, noon, nil)
	}
	want, got := once.Result().Curves[0], twice.Result().Curves[0]
	if !reflect.DeepEqual(want.Slots, got.Slots) || !reflect.DeepEqual(want.Verdict, got.Verdict) || got.Units != 1000 || got.Requests != 2000 {
		t.Errorf("(-once +twice)\n-%+v\n+%+v", want, got)
	}
}

// What makes requests one unit: the ID, the question in whatever spelling, its hash, and
// what hangs together over several of them. Without either nothing says that requests are
// independent.
func TestUnits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(i int, e *record.Entry)
		units  int
	}{
		"all different":     {func(int, *record.Entry) {}, 400},
		"IDs alone":         {func(_ int, e *record.Entry) { e.QuestionHash = "" }, 400},
		"ten of an ID":      {func(i int, e *record.Entry) { e.RequestID, e.QuestionHash = fmt.Sprint(i/10), "" }, 40},
		"ten of a question": {func(i int, e *record.Entry) { e.QuestionHash = fmt.Sprint(i / 10) }, 40},
		"ten, apart":        {func(i int, e *record.Entry) { e.QuestionHash = fmt.Sprint(i % 40) }, 40},
		"ten, spelt in two ways": {func(i int, e *record.Entry) {
			e.QuestionHash, e.Question = "", fmt.Sprintf([]string{"Who is %d?", " who  IS %d?\n"}[i%2], i/10)
		}, 40},
		"IDs of two questions": {func(i int, e *record.Entry) { // a chain: 0-1, 2-1, 2-3, …
			e.RequestID, e.QuestionHash = fmt.Sprint(i/100, " ", (i+1)/2), fmt.Sprint(i/100, " ", i/2)
		}, 4},
		"an ID that is a question": {func(i int, e *record.Entry) { e.RequestID, e.QuestionHash = fmt.Sprint(i), fmt.Sprint(i+1) }, 400},
		"neither":                  {func(_ int, e *record.Entry) { e.RequestID, e.QuestionHash = "", "" }, 1},
	} {
		c := collector(t, traffic.Options{})
		feed(t, c, simulation("U", 10, 1), 400, noon, test.change)
		if got := c.Result().Curves[0]; got.Units != test.units || got.Requests != 400 {
			t.Errorf("%s: %d units of %d requests, want %d", name, got.Units, got.Requests, test.units)
		}
	}
}

// A program that asks one question under one ID, in any share of the requests, is one of
// many.
func TestBotCountsOnce(t *testing.T) {
	t.Parallel()
	c := collector(t, traffic.Options{})
	var first record.Entry
	feed(t, c, simulation("flat", 10, 4), 15_000, noon, func(i int, e *record.Entry) {
		if i == 0 {
			first = *e
		}
		if i%10 < 3 {
			*e = first
		}
	})
	got := c.Result().Curves[0]
	if got.Requests != 15_000 || got.Units != 10_501 || got.Verdict.Shape != core.ShapeFlat {
		t.Errorf("%d units: %s", got.Units, got.Finding)
	}
}
