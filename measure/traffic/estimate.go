package traffic

import (
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// The first look: what a curve needs before anything is said about it. The bounds hold
// from there on.
const (
	minUnits = 30 // with citations
	// firstSE is the largest standard error of a slot: a fifth of an average slot, which
	// about 20 citations a slot give.
	firstSE = 0.2
)

// Slot is how much the documents in one slot are used.
type Slot struct {
	Slot int `json:"slot"`
	// Cited counts citations of the documents that stood there, each unit of requests
	// once: of a question that was asked m times each citation counts 1/m. Expected is what
	// the ranks that stood there let expect.
	Cited    float64 `json:"cited"`
	Expected float64 `json:"expected"`
	// Used is Cited/Expected: 1 for a slot that is used like the average. Interval is a
	// confidence sequence at 95 %: it holds Used at every look at once, in each slot by
	// itself.
	Used float64 `json:"used"`
	stats.Interval
}

// estimate is what the requests of one curve say.
type estimate struct {
	slots    []Slot
	verdict  Verdict
	requests int
	units    int
	mean, se [3]float64 // of the contrasts, in the order of shape.Zones.Of
	middle   bool
	worst    float64 // the largest standard error of a slot, +Inf for one that expects nothing
}

// newEstimate estimates the curve of requests that were sorted by unit. The standard errors
// are those of ratios in sums of independent units (the sandwich of Huber and White, with
// one unit as one observation): each unit's influence on a slot holds what it cited there,
// and what it changes in the rates of the ranks. It costs a few steps a document, and n² a
// unit.
func newEstimate(r *requests, byUnit []int32, s *sums) *estimate {
	n, used := r.n, s.used()
	zones := zonesOf(n)
	e := &estimate{
		slots: make([]Slot, n), requests: len(byUnit), units: s.units,
		mean: zones.Of(used), middle: len(zones.Middle) > 0,
	}
	// leans is by slot and rank how much a rank's rate weighs in what the slot expects.
	leans := make([]float64, n*n)
	for rank := range n {
		shown := s.shown[rank*n : rank*n+n]
		all := sum(shown)
		for slot, v := range shown {
			if all > 0 {
				leans[slot*n+rank] = v / all
			}
		}
	}
	influence, ofRank := make([]float64, n), make([]float64, n)
	squares := make([]float64, n)
	var contrasts [3]float64
	r.eachUnit(byUnit, func(unit []int32) {
		clear(influence)
		clear(ofRank)
		weight := 1 / float64(len(unit))
		for _, i := range unit {
			for slot, c := range r.at(i) {
				if !c.counts() {
					continue
				}
				rank, cited := c.rank(), c.cited()
				influence[slot] += weight * (cited - used[slot]*s.rate[rank])
				ofRank[rank] += weight * (cited - s.rate[rank])
			}
		}
		for slot := range n {
			if s.expected[slot] <= 0 {
				continue
			}
			through := 0.0
			for rank, lean := range leans[slot*n : slot*n+n] {
				through += lean * ofRank[rank]
			}
			influence[slot] = (influence[slot] - used[slot]*through) / s.expected[slot]
			squares[slot] += square(influence[slot])
		}
		for j, v := range zones.Of(influence) {
			contrasts[j] += square(v)
		}
	})
	// As if one more unit had lain off by an average slot, so that what has not varied yet
	// is not taken for certain.
	units := float64(s.units)
	se := func(squares float64) float64 {
		return math.Sqrt(squares*units/math.Max(units-1, 1) + square(1/units))
	}
	for slot := range n {
		at := Slot{Slot: slot, Cited: s.cited[slot], Expected: s.expected[slot], Used: used[slot]}
		known := se(squares[slot])
		if at.Expected == 0 {
			known = math.Inf(1)
		}
		at.Interval = sequence(at.Used, known, nameAt)
		at.Low = max(at.Low, 0)
		e.slots[slot] = at
		e.worst = max(e.worst, known)
	}
	for j, v := range contrasts {
		e.se[j] = se(v)
	}
	e.verdict = judge(e.mean, e.se, e.middle)
	return e
}

// needed returns about how many more requests settle the shape if the estimates stay as
// they are: of the same kind, so that standard errors fall with their root. 0 for a shape
// that is settled, or where that cannot be told.
func (e *estimate) needed() int {
	if e.verdict.Shape != core.ShapeUndecided {
		return 0
	}
	for factor := 1.05; factor < 1e4; factor *= 1.05 {
		se := e.se
		for j := range se {
			se[j] /= math.Sqrt(factor)
		}
		if judge(e.mean, se, e.middle).Shape != core.ShapeUndecided {
			return moreBy(e.requests, factor)
		}
	}
	return 0
}

// curve is what core.Measured places by.
func (e *estimate) curve() *core.Curve {
	c := &core.Curve{
		Format: core.CurveFormat, Kind: core.CurveOfUse,
		Documents: len(e.slots), Questions: e.requests,
		Shape: e.verdict.Shape, EndsDiffer: e.verdict.EndsDiffer,
	}
	best := 0.0
	for _, s := range e.slots {
		best = max(best, s.Used)
	}
	for _, s := range e.slots {
		c.Slots = append(c.Slots, s.Slot)
		c.Accuracy = append(c.Accuracy, s.Used/best)
	}
	c.Fitted = shape.Fitted(c.Shape, c.Accuracy)
	return c
}
