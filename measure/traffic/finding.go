package traffic

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/internal/text"
)

var meaning = map[core.Shape]string{
	core.ShapeU:         "documents at both ends are used more than those in the middle",
	core.ShapeInverted:  "documents in the middle are used more than those at both ends",
	core.ShapePrimacy:   "documents at the start are used more than those at the end",
	core.ShapeRecency:   "documents at the end are used more than those at the start",
	core.ShapeFlat:      "start, middle and end are used alike, to within a tenth",
	core.ShapeUndecided: "no shape is sure yet",
}

// conclude estimates the curve, or says why there is none.
func (c *Curve) conclude(r *requests, byUnit []int32) {
	citing := 0 // units
	r.eachUnit(byUnit, func(unit []int32) {
		c.Units++
		if slices.ContainsFunc(unit, func(i int32) bool { return citations(r.at(i)) > 0 }) {
			citing++
		}
	})
	if why, sure := unfitOrders(c.OutOfOrder, c.Requests+c.OutOfOrder); why != nil {
		c.refuse(why, sure)
		return
	}
	too := fmt.Sprintf("too few citations for a curve: %d in %d requests", c.Citations, c.Requests)
	switch {
	case c.Citations == 0:
		c.Finding = fmt.Sprintf("too few citations for a curve: none in %d requests", c.Requests)
		return
	case citing < minUnits:
		c.Finding = fmt.Sprintf("%s; their answers cite documents for %s, and a curve needs %d", too, text.Count(citing, "independent question"), minUnits)
		c.Needed = moreBy(c.Requests, minUnits/float64(citing))
		return
	}
	s := r.sums(byUnit)
	if why, sure := s.unfit(); why != nil {
		c.refuse(why, sure)
		return
	}
	e := newEstimate(r, byUnit, s)
	if math.IsInf(e.worst, 1) {
		c.Finding = too + "; no document that is ever cited has stood in some of the slots"
		return
	}
	if e.worst > firstSE {
		c.Finding = fmt.Sprintf("%s; a slot is known to ±%.0f %% (one standard error), and a curve needs ±%.0f %% or better", too, 100*e.worst, 100*firstSE)
		c.Needed = moreBy(c.Requests, square(e.worst/firstSE))
		return
	}
	c.Slots, c.Verdict, c.Needed, c.Curve = e.slots, &e.verdict, e.needed(), e.curve()
}

// moreBy is how many more requests make so many times as many, from 1 to 1e9.
func moreBy(requests int, times float64) int {
	return int(math.Min(math.Max(math.Ceil(float64(requests)*(times-1)), 1), 1e9))
}

// refuse says no shape: the curve is unfit, or it is too early to say whether it is.
func (c *Curve) refuse(why *fitness.Unfit, sure bool) {
	if !sure {
		c.Finding = "too early for a curve, and it may be unfit: so far " + why.Reason
		return
	}
	c.Unfit, c.Finding = why, fmt.Sprintf("unfit, so that no shape is said: %s. %s", why.Reason, why.Remedy)
}

// finding says in one line what the curve is. People count slots from 1.
func (c Curve) finding() string {
	best, worst := c.Slots[0], c.Slots[0]
	for _, s := range c.Slots {
		if s.Used > best.Used {
			best = s
		}
		if s.Used < worst.Used {
			worst = s
		}
	}
	line := fmt.Sprintf("%s: %s. Estimates run from %.2f times the average in slot %d to %.2f times in slot %d (%d shuffled requests",
		c.Verdict.Shape, meaning[c.Verdict.Shape], worst.Used, worst.Slot+1, best.Used, best.Slot+1, c.Requests)
	if c.Units < c.Requests {
		line += fmt.Sprintf(" of %d independent questions", c.Units)
	}
	line += ")."
	if c.Needed > 0 {
		line += fmt.Sprintf(" About %s more such requests would settle it, if the figures stay as they are.", about(c.Needed))
	}
	if c.Drift.Changed() {
		line += fmt.Sprintf(" The curve changed between windows (evidence %s, where 20 are enough): look at them one by one.", about(int(c.Drift.Evidence)))
	}
	return line
}

// about rounds to two digits.
func about(n int) string {
	unit := math.Pow(10, math.Max(math.Floor(math.Log10(float64(n)))-1, 0))
	return fmt.Sprintf("%.0f", math.Ceil(float64(n)/unit)*unit)
}
