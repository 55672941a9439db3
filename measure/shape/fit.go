package shape

import (
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// CurveInfo says what was measured, and how well each slot was read.
type CurveInfo struct {
	Model  string
	Task   string
	Layout string
	Date   string // of the sweep, such as 2026-01-31

	Documents int       // in each prompt
	Questions int       // asked in each slot
	Slots     []int     // the measured slots, ascending
	Accuracy  []float64 // the mean score in each, from 0 to 1
}

// Fit returns the curve that core.Measured places by: what was measured, the shape of
// the verdict, and for a U or an inverted shape the fitted values. A U is fitted by the
// closest valley in least squares, values that fall and then rise; an inverted shape by
// the closest hill. Fitted values lie from 0 to 1. The curve passes core.Curve.Check and
// shares nothing with m.
//
// The error is a *core.CurveError when slot 0 or the last slot was not measured. It
// costs the square of the number of slots.
func Fit(v Verdict, m CurveInfo) (*core.Curve, error) {
	c := &core.Curve{
		Format: core.CurveFormat,
		Model:  m.Model, Task: m.Task, Layout: m.Layout, Date: m.Date,
		Documents: m.Documents, Questions: m.Questions,
		Shape: v.Shape, EndsDiffer: v.EndsDiffer,
		Slots: slices.Clone(m.Slots), Accuracy: slices.Clone(m.Accuracy),
	}
	c.Fitted = Fitted(c.Shape, c.Accuracy)
	if err := c.Check(); err != nil { // of the ends too
		return nil, err
	}
	return c, nil
}

// Fitted returns the values that core.Measured places by: for a U the closest
// valley in least squares, for an inverted shape the closest hill, and nil for a
// shape that is not placed by a fit. It costs the square of the number of values.
func Fitted(shape core.Shape, accuracy []float64) []float64 {
	switch shape {
	case core.ShapeU:
		return valley(accuracy)
	case core.ShapeInverted:
		return negated(valley(negated(accuracy)))
	}
	return nil
}
