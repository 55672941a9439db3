package sweep

import (
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// CurveInfo says what was measured, for the people who read a curve's file.
type CurveInfo struct {
	Model  string
	Task   string
	Layout string
	Date   string // of the sweep, such as 2026-01-31
}

// Fit returns the curve that core.Measured places by: what was asked, the accuracy
// in each measured slot, the shape by JudgeShape, and for a U or an inverted shape
// the fitted values. A U is fitted by the closest valley in least squares, values
// that fall and then rise; an inverted shape by the closest hill. Fitted values lie
// from 0 to 1. The curve passes core.Curve.Check and shares nothing with o.
//
// The error is a *core.CurveError when slot 0 or the last slot was not measured. It
// costs a few steps a question, and for the fit the square of the number of slots.
func Fit(o Outcomes, info CurveInfo) (*core.Curve, error) {
	verdict := JudgeShape(o)
	c := &core.Curve{
		Format: core.CurveFormat,
		Model:  info.Model, Task: info.Task, Layout: info.Layout, Date: info.Date,
		Documents: o.Documents(), Questions: o.Questions(),
		Shape: verdict.Shape, EndsDiffer: verdict.EndsDiffer,
		Slots: o.Slots(), Accuracy: o.Accuracy(),
	}
	c.Fitted = FitShape(c.Shape, c.Accuracy)
	if err := c.Check(); err != nil { // of the ends too
		return nil, err
	}
	return c, nil
}

// FitShape returns the values that core.Measured places by: for a U the closest
// valley in least squares, for an inverted shape the closest hill, and nil for a
// shape that is not placed by a fit. It costs the square of the number of values.
func FitShape(shape core.Shape, accuracy []float64) []float64 {
	switch shape {
	case core.ShapeU:
		return valley(accuracy)
	case core.ShapeInverted:
		return negated(valley(negated(accuracy)))
	}
	return nil
}

func negated(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = -v
	}
	return out
}

// sameFit is how close two sums of squares must be to count as equal: far below
// one answer in a million, far above rounding.
const sameFit = 1e-12

// valley returns the values nearest to y in least squares that fall and then rise.
// Every split into a falling and a rising part is tried; values that only fall
// are those that then rise for a single value. Among equals the shortest fall wins.
func valley(y []float64) []float64 {
	var best []float64
	least := 0.0
	try := make([]float64, len(y))
	var p pool
	for split := range y {
		p.fall(try[:split], y[:split])
		p.rise(try[split:], y[split:])
		error2 := 0.0
		for i, v := range try {
			error2 += (v - y[i]) * (v - y[i])
		}
		if best == nil || error2 < least-sameFit {
			best, least = append(best[:0], try...), error2
		}
	}
	return best
}

// pool fits monotone values by pooling adjacent violators: neighbours in the wrong
// order become one block with their mean. It keeps its blocks between calls.
type pool struct{ blocks []block }

type block struct {
	sum  float64
	size int
}

func (b block) mean() float64 { return b.sum / float64(b.size) }

// rise writes the nearest values to y that never fall.
func (p *pool) rise(fit, y []float64) {
	p.blocks = p.blocks[:0]
	for _, v := range y {
		b := block{v, 1}
		for len(p.blocks) > 0 {
			last := p.blocks[len(p.blocks)-1]
			if last.mean() <= b.mean() {
				break
			}
			b = block{last.sum + b.sum, last.size + b.size}
			p.blocks = p.blocks[:len(p.blocks)-1]
		}
		p.blocks = append(p.blocks, b)
	}
	i := 0
	for _, b := range p.blocks {
		for range b.size {
			fit[i] = b.mean()
			i++
		}
	}
}

// fall writes the nearest values to y that never rise.
func (p *pool) fall(fit, y []float64) {
	backwards := slices.Clone(y)
	slices.Reverse(backwards)
	p.rise(fit, backwards)
	slices.Reverse(fit)
}
