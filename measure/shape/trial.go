package shape

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
)

// Trial is a running sweep: what the answers so far say about the shape of the curve.
// It may be looked at after every question. Over all looks, a reader that reads all
// slots alike is given another word than flat or undecided with a probability of at
// most 5 %, and so is one called flat of which two of start, middle and end lie 5
// points or more apart: for independent questions, and a model that does not change.
//
// A Trial is for one goroutine at a time.
type Trial struct {
	slots int // measured
	zones Zones
	// start minus middle, end minus middle, start minus end
	h, t, e difference
}

// Row holds the scores of one question, one a measured slot, in the order of the slots.
// Low and High are alike where a score is known, and 0 and 1 where it is not because
// the call failed: what is missing then speaks for nothing. NaN in both is a slot that
// was not asked, which is fine as long as chance decides which slots are, or the
// questions before.
type Row struct{ Low, High []float64 }

// NewTrial returns a sweep over prompts of that many documents without a question.
// slots are the measured slots, ascending, each from 0 to documents-1. The error is a
// *core.ConfigError.
func NewTrial(documents int, slots []int) (*Trial, error) {
	if err := slot.Check(documents, slots); err != nil {
		return nil, err
	}
	return &Trial{slots: len(slots), zones: ZonesOf(documents, slots)}, nil
}

// Add counts one question, or a cluster of questions that hang together: one row each,
// whose mean counts as one value. The error is a *core.ConfigError for a row of another
// length or a score outside 0 to 1; then nothing is counted. It costs some microseconds.
func (t *Trial) Add(rows ...Row) error {
	var h, e, end span
	for _, r := range rows {
		if err := t.check(r); err != nil {
			return err
		}
		start, middle, last := r.over(t.zones.Start), r.over(t.zones.Middle), r.over(t.zones.End)
		h.add(start.minus(middle))
		end.add(last.minus(middle))
		e.add(start.minus(last))
	}
	for _, c := range []struct {
		to   *difference
		span span
	}{{&t.h, h}, {&t.t, end}, {&t.e, e}} {
		if c.span.n == 0 {
			continue
		}
		n := float64(c.span.n)
		if err := c.to.Add(c.span.low/n, c.span.high/n); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trial) check(r Row) error {
	if len(r.Low) != t.slots || len(r.High) != t.slots {
		return &core.ConfigError{
			Field: "rows", Value: fmt.Sprintf("%d and %d scores", len(r.Low), len(r.High)),
			Rule: fmt.Sprintf("each of the %d measured slots needs one", t.slots),
		}
	}
	for i, low := range r.Low {
		high := r.High[i]
		if math.IsNaN(low) && math.IsNaN(high) || 0 <= low && low <= high && high <= 1 {
			continue
		}
		return &core.ConfigError{
			Field: "rows", Value: fmt.Sprintf("%v to %v", low, high),
			Rule: "a score lies from 0 to 1, the lower end first, or is NaN in both for a slot that was not asked",
		}
	}
	return nil
}

// span adds up ranges; n of them.
type span struct {
	low, high float64
	n         int
}

func (s *span) add(o span) {
	if o.n > 0 {
		s.low, s.high, s.n = s.low+o.low, s.high+o.high, s.n+1
	}
}

// over is the mean score of the slots of a zone that were asked; n is 0 or 1.
func (r Row) over(zone []int) span {
	var sum span
	for _, i := range zone {
		if !math.IsNaN(r.Low[i]) {
			sum.add(span{r.Low[i], r.High[i], 1})
		}
	}
	if sum.n == 0 {
		return span{}
	}
	n := float64(sum.n)
	return span{sum.low / n, sum.high / n, 1}
}

// minus is the difference of two means; there is none where one of them is missing.
func (s span) minus(o span) span {
	if s.n == 0 || o.n == 0 {
		return span{}
	}
	return span{s.low - o.high, s.high - o.low, 1}
}

// Look returns the shape of what was added, and whether it is settled: flat, or a shape
// whose three contrasts are each known. A run may stop there; a shape that is named
// but not settled may turn into another one, as a U is primacy at first. It allocates
// nothing, and costs less than a microsecond.
func (t *Trial) Look() (shape core.Shape, settled bool) {
	h, e, end := &t.h, &t.e, &t.t
	switch {
	case !t.some():
		if t.hasMiddle() && h.small() && end.small() && e.small() {
			return core.ShapeFlat, true
		}
		return core.ShapeUndecided, false
	case !t.hasMiddle(): // then one of them is known
		return name(e.up(), e.down(), false, false, e.up(), e.down()), true
	}
	shape = name(h.up(), h.down(), end.up(), end.down(), e.up(), e.down())
	return shape, shape != core.ShapeUndecided && h.known() && end.known() && e.known()
}

// hasMiddle says whether a slot of the middle is measured.
func (t *Trial) hasMiddle() bool { return len(t.zones.Middle) > 0 }
