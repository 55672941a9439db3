package traffic

import (
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// flatMargin is how close to 0 every contrast must surely be for a curve to be
// called flat: a tenth of what an average slot is used.
const flatMargin = 0.1

// Contrast compares how much two zones of the prompt are used: the mean of the slots of
// one minus that of the other, where an average slot is 1.
type Contrast struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"` // standard error of Mean, from units that are independent
	// Interval is a confidence sequence at 95 %: it holds the true difference at every
	// look at once.
	stats.Interval
	// Evidence is an e-value against no difference, 1e9 at most.
	Evidence float64 `json:"evidence"`
	// Is says what is sure: "up" or "down" from 0, "small" for within the margin, or
	// "open". What is both small and up or down is called "up" or "down".
	Is string `json:"is"`
}

// Verdict is the shape of a curve of use and the numbers that it follows from. It may be
// looked at as often as one likes: a flat reader is ever given a shape with a slope, and
// one with a contrast of the margin or more ever called flat, with a probability of about
// 5 % at most each, for independent units and an unchanged model. CALIBRATION.md has the
// figures.
//
//	Any is the mean of the contrasts' evidence. Where it reaches 20:
//	  start and end both above the middle: U
//	  start and end both below it: inverted
//	  start above the end, and start above or end below the middle: primacy
//	  the reverse: recency
//	Elsewhere, where every contrast is surely within Margin: flat.
//	Anything else: undecided.
//
// A contrast is above or below where its evidence reaches 10, and surely within the margin
// where the evidence against either edge does. Without slots in the middle, as with two
// documents, start and end alone are compared.
type Verdict struct {
	Shape core.Shape `json:"shape"`
	// EndsDiffer says whether start and end surely differ.
	EndsDiffer bool `json:"ends_differ"`
	// StartMiddle is start minus middle, EndMiddle end minus middle and StartEnd start
	// minus end, over the zones of shape.ZonesOf. Nil: there is no middle.
	StartMiddle *Contrast `json:"start_middle,omitempty"`
	EndMiddle   *Contrast `json:"end_middle,omitempty"`
	StartEnd    *Contrast `json:"start_end"`
	Any         float64   `json:"any"`
	Margin      float64   `json:"margin"`
}

func newContrast(mean, se float64) *Contrast {
	c := &Contrast{Mean: mean, SE: se, Interval: sequence(mean, se, nameAt), Evidence: evalue(mean, se, 0), Is: "open"}
	switch {
	case c.side() > 0:
		c.Is = "up"
	case c.side() < 0:
		c.Is = "down"
	case c.small():
		c.Is = "small"
	}
	return c
}

// side is 1 where the contrast is surely above 0, -1 below, and else 0.
func (c *Contrast) side() int {
	switch {
	case c.Evidence < sideAt:
		return 0
	case c.Mean > 0:
		return 1
	}
	return -1
}

// small says whether the contrast is surely within the margin.
func (c *Contrast) small() bool {
	return math.Abs(c.Mean) < flatMargin &&
		evalue(c.Mean, c.SE, flatMargin) >= sideAt && evalue(c.Mean, c.SE, -flatMargin) >= sideAt
}

// zonesOf returns the zones of a prompt of n documents.
func zonesOf(n int) shape.Zones { return shape.ZonesOf(n, slot.All(n)) }

// judge names the shape by the three contrasts and their standard errors, in the order of
// shape.Zones.Of.
func judge(mean, se [3]float64, middle bool) Verdict {
	v := Verdict{Shape: core.ShapeUndecided, Margin: flatMargin, StartEnd: newContrast(mean[2], se[2])}
	e := v.StartEnd.side()
	v.EndsDiffer = e != 0
	if !middle {
		v.Any = v.StartEnd.Evidence
		if v.Any >= nameAt {
			v.Shape = map[int]core.Shape{1: core.ShapePrimacy, -1: core.ShapeRecency}[e]
		}
		return v
	}
	v.StartMiddle, v.EndMiddle = newContrast(mean[0], se[0]), newContrast(mean[1], se[1])
	v.Any = (v.StartMiddle.Evidence + v.EndMiddle.Evidence + v.StartEnd.Evidence) / 3
	h, t := v.StartMiddle.side(), v.EndMiddle.side()
	switch {
	case v.Any < nameAt:
		if v.StartMiddle.small() && v.EndMiddle.small() && v.StartEnd.small() {
			v.Shape = core.ShapeFlat
		}
	case h > 0 && t > 0:
		v.Shape = core.ShapeU
	case h < 0 && t < 0:
		v.Shape = core.ShapeInverted
	case e > 0 && (h > 0 || t < 0):
		v.Shape = core.ShapePrimacy
	case e < 0 && (t > 0 || h < 0):
		v.Shape = core.ShapeRecency
	}
	return v
}
