package shape

import (
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Verdict is the shape of a curve and the numbers that it follows from. All of it holds
// however often one looked.
type Verdict struct {
	Shape core.Shape `json:"shape"`
	// Settled says that more questions will probably not change the shape.
	Settled bool `json:"settled"`
	// EndsDiffer says whether start and end differ beyond noise.
	EndsDiffer bool `json:"ends_differ"`
	Contrasts
	// LogAny is the evidence that some contrast is not 0, as the natural logarithm of
	// an e-value. From log(20) on a shape is named.
	LogAny float64 `json:"log_any"`
	// Margin is how close to 0 every contrast must surely be for a flat curve.
	Margin float64 `json:"margin"`
	// More says what would probably settle it; nil unless it is undecided and a question
	// was added.
	More *More `json:"more,omitempty"`
}

// Verdict names the shape, by this rule, in e-values of package evidence:
//
//	a contrast is up where its evidence to be above 0 reaches 10, down where that to be
//	below 0 does, small where 5 points or more are excluded to either side, at 20
//	some contrast is not 0: the mean of the six e-values of up and down reaches 20
//
//	if so:  U          start and end both above the middle
//	        inverted   start and end both below it
//	        primacy    start above the end, and start above or end below the middle
//	        recency    the reverse
//	        undecided  anything else
//	else:   flat       all three contrasts are small
//	        undecided  anything else
//
// Where no slot of the middle was asked, only start and end are compared: the shape is
// primacy, recency or undecided. Where the start or the end was not, it is undecided.
// How often the rule is wrong is measured: CALIBRATION.md of package simulate. It costs
// some milliseconds, for the intervals.
func (t *Trial) Verdict() Verdict {
	v := Verdict{
		EndsDiffer: t.e.up() || t.e.down(), Margin: flatMargin, LogAny: t.logAny(),
		Contrasts: Contrasts{StartMiddle: t.h.contrast(), EndMiddle: t.t.contrast(), StartEnd: t.e.contrast()},
	}
	v.Shape, v.Settled = t.Look()
	if v.Shape == core.ShapeUndecided {
		v.More = t.more()
	}
	return v
}

// Judge is Verdict for a table of right and wrong answers.
func Judge(o stats.Outcomes) Verdict {
	t, err := NewTrial(o.Documents(), o.Slots())
	if err != nil { // outcomes without a question have no slots either
		return Verdict{Shape: core.ShapeUndecided, Margin: flatMargin}
	}
	scores := make([]float64, t.slots)
	for question := range o.Questions() {
		for i := range scores {
			scores[i] = 0
			if o.Right(question, i) {
				scores[i] = 1
			}
		}
		_ = t.Add(Row{scores, scores}) // cannot fail: the row fits
	}
	return t.Verdict()
}

// some says whether some contrast is surely not 0.
func (t *Trial) some() bool {
	for _, c := range t.contrasts() { // a mean is never more than the largest
		if c.AboveReaches(0, namesLimit) || c.BelowReaches(0, namesLimit) {
			return t.logAny() >= namesLimit
		}
	}
	return false
}

// contrasts are those that there are.
func (t *Trial) contrasts() []*difference {
	if t.h.Len() == 0 || t.t.Len() == 0 {
		return []*difference{&t.e}
	}
	return []*difference{&t.h, &t.t, &t.e}
}

// logAny is the logarithm of the mean of the e-values of all contrasts that there are,
// up and down.
func (t *Trial) logAny() float64 {
	contrasts := t.contrasts()
	most := math.Inf(-1)
	for _, c := range contrasts {
		most = max(most, c.LogAbove(0), c.LogBelow(0))
	}
	sum := 0.0
	for _, c := range contrasts {
		sum += math.Exp(c.LogAbove(0)-most) + math.Exp(c.LogBelow(0)-most)
	}
	return most + math.Log(sum/float64(2*len(contrasts)))
}

// name is the shape of a curve some of whose contrasts are surely not 0: start against
// middle, end against middle, and start against end.
func name(hUp, hDown, tUp, tDown, eUp, eDown bool) core.Shape {
	switch {
	case hUp && tUp:
		return core.ShapeU
	case hDown && tDown:
		return core.ShapeInverted
	case eUp && (hUp || tDown):
		return core.ShapePrimacy
	case eDown && (tUp || hDown):
		return core.ShapeRecency
	}
	return core.ShapeUndecided
}
