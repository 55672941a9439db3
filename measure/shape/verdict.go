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
	// Settled says that more questions will probably not change the shape: see Trial.Look.
	Settled bool `json:"settled"`
	// EndsDiffer says whether the evidence that start and end differ reaches 10, as
	// StartEnd.Up or Down. It counts for a curve whose shape is named.
	EndsDiffer bool `json:"ends_differ"`
	Contrasts
	// LogAny is the evidence that some contrast is not 0, as the natural logarithm of
	// an e-value. From log(20) on a shape may be named, and flat is not.
	LogAny float64 `json:"log_any"`
	// Margin is how close to 0 every contrast must surely be for a flat curve.
	Margin float64 `json:"margin"`
	// More says what would probably settle a shape that is not settled; nil for one
	// that is.
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
// Where no slot of the middle is measured, only start and end are compared: the shape is
// primacy, recency or undecided. Where the start or the end is not, it is undecided.
// How often the rule is wrong is measured: CALIBRATION.md of package simulate. It costs
// some milliseconds, for the intervals.
func (t *Trial) Verdict() Verdict {
	v := Verdict{
		EndsDiffer: t.e.up() || t.e.down(), Margin: flatMargin, LogAny: t.logAny(),
		Contrasts: Contrasts{StartMiddle: t.h.contrast(), EndMiddle: t.t.contrast(), StartEnd: t.e.contrast()},
	}
	v.Shape, v.Settled = t.Look()
	if !v.Settled {
		v.More = t.more(v.Shape)
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

// evidences are the logarithms of the e-values of all contrasts that the slots give, up
// and down, and the largest of them. Where no slot of the middle is measured there is
// only the contrast of start and end.
func (t *Trial) evidences() (logs [6]float64, n int, most float64) {
	contrasts := [3]*difference{&t.e, &t.h, &t.t}
	n = 6
	if !t.hasMiddle() {
		n = 2
	}
	most = math.Inf(-1)
	for i, c := range contrasts[:n/2] {
		logs[2*i], logs[2*i+1] = c.LogAbove(0), c.LogBelow(0)
		most = max(most, logs[2*i], logs[2*i+1])
	}
	return logs, n, most
}

// logAny is the logarithm of the mean of these e-values.
func (t *Trial) logAny() float64 {
	logs, n, most := t.evidences()
	sum := 0.0
	for _, log := range logs[:n] {
		sum += math.Exp(log - most)
	}
	return most + math.Log(sum/float64(n))
}

// some says whether some contrast is surely not 0.
func (t *Trial) some() bool {
	_, _, most := t.evidences() // a mean is never more than the largest
	return most >= namesLimit && t.logAny() >= namesLimit
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
