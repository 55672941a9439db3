package shape

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// CurveInfo says what was measured, for the people who read a curve's file.
type CurveInfo struct {
	Model  string
	Task   string
	Layout string
	Date   string // of the sweep, such as 2026-01-31
}

// Fit returns the curve that core.Measured places by: what was asked, the accuracy
// in each measured slot, the shape by Judge, and for a U or an inverted shape
// the fitted values. A U is fitted by the closest valley in least squares, values
// that fall and then rise; an inverted shape by the closest hill. Fitted values lie
// from 0 to 1. The curve passes core.Curve.Check and shares nothing with o.
//
// The error is a *core.CurveError when slot 0 or the last slot was not measured. It
// costs a few steps a question, and for the fit the square of the number of slots.
func Fit(o stats.Outcomes, info CurveInfo) (*core.Curve, error) {
	verdict := Judge(o)
	c := &core.Curve{
		Format: core.CurveFormat,
		Model:  info.Model, Task: info.Task, Layout: info.Layout, Date: info.Date,
		Documents: o.Documents(), Questions: o.Questions(),
		Shape: verdict.Shape, EndsDiffer: verdict.EndsDiffer,
		Slots: o.Slots(), Accuracy: o.Accuracy(),
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
