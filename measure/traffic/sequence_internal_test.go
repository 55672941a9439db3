package traffic

import (
	"math"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
)

// The e-value is the mixture of likelihood ratios that it is said to be, summed up here,
// and the ends of the interval are where it reaches the limit.
func TestEvalue(t *testing.T) {
	t.Parallel()
	for _, se := range []float64{0.01, 0.05, 0.1, 0.4} {
		for _, estimate := range []float64{-0.3, -0.02, 0, 0.07, 0.25} {
			for _, m := range []float64{-0.1, 0, 0.1} {
				want, step := 0.0, scale/2000
				for d := -8 * scale; d <= 8*scale; d += step {
					prior := math.Exp(-d*d/(2*scale*scale)) / (scale * math.Sqrt(2*math.Pi))
					z, shifted := (estimate-m)/se, (estimate-m-d)/se
					want += step * prior * math.Exp((z*z-shifted*shifted)/2)
				}
				want = math.Min(want, maxEvidence)
				if got := evalue(estimate, se, m); math.Abs(got/want-1) > 1e-6 {
					t.Errorf("evalue(%g, %g, %g) = %g, by summing up %g", estimate, se, m, got, want)
				}
			}
			i := sequence(estimate, se, nameAt)
			if low, high := evalue(estimate, se, i.Low), evalue(estimate, se, i.High); math.Abs(low-nameAt) > 1e-6 || math.Abs(high-nameAt) > 1e-6 {
				t.Errorf("at the ends of %v: %g and %g", i, low, high)
			}
		}
	}
	for _, se := range []float64{0, math.Inf(1), math.NaN()} {
		if e, i := evalue(1, se, 0), sequence(1, se, nameAt); e != 1 || !math.IsInf(i.High, 1) || !math.IsInf(i.Low, -1) {
			t.Errorf("with a standard error of %g: %g and %v", se, e, i)
		}
	}
}

// A shape is named where the mean of the three reaches 20 and the sides that it needs reach
// 10, and flat where both edges of the margin are excluded at 10 by each contrast.
func TestJudge(t *testing.T) {
	t.Parallel()
	const se = 0.02 // then the evidence reaches 10 at 0.0572, 20 at 0.0620 and 60 at 0.0690
	for _, edge := range []struct{ mean, evidence float64 }{{0.0572, 10}, {0.0620, 20}, {0.0690, 60}} {
		if got := evalue(edge.mean, se, 0); math.Abs(got/edge.evidence-1) > 0.02 {
			t.Errorf("the evidence at %g is %g, want about %g: adapt the table", edge.mean, got, edge.evidence)
		}
	}
	for _, test := range []struct {
		h, t, e float64
		want    core.Shape
	}{
		{0.2, 0.2, 0, core.ShapeU},
		{0.2, 0.055, 0.145, core.ShapePrimacy}, // the end is not surely above the middle
		{0.2, 0.058, 0.142, core.ShapeU},
		{-0.2, -0.2, 0, core.ShapeInverted},
		{0.1, -0.1, 0.2, core.ShapePrimacy},
		{0, -0.2, 0.2, core.ShapePrimacy},
		{-0.1, 0.1, -0.2, core.ShapeRecency},
		{0, 0.2, -0.2, core.ShapeRecency},
		{0.066, 0, 0.055, core.ShapeUndecided}, // the mean is below 20, and the start not small
		{0.069, 0, 0.069, core.ShapePrimacy},
		{0.07, 0.04, 0.03, core.ShapeUndecided}, // one side alone is no shape
		{0.042, 0.02, 0.022, core.ShapeFlat},
		{0.046, 0.02, 0.026, core.ShapeUndecided},
		{0.02, 0.046, -0.026, core.ShapeUndecided},
		{0.023, -0.023, 0.046, core.ShapeUndecided},
		{0, 0, 0, core.ShapeFlat},
	} {
		v := judge([3]float64{test.h, test.t, test.e}, [3]float64{se, se, se}, true)
		if v.Shape != test.want {
			t.Errorf("%g, %g, %g: %s, want %s (%g; %s, %s, %s)", test.h, test.t, test.e, v.Shape, test.want, v.Any, v.StartMiddle.Is, v.EndMiddle.Is, v.StartEnd.Is)
		}
	}
	for e, want := range map[float64]core.Shape{0.2: core.ShapePrimacy, -0.2: core.ShapeRecency, 0.059: core.ShapeUndecided, 0: core.ShapeUndecided} {
		if v := judge([3]float64{0, 0, e}, [3]float64{se, se, se}, false); v.Shape != want || v.StartMiddle != nil {
			t.Errorf("without a middle, %g: %s, want %s", e, v.Shape, want)
		}
	}
	// What never varied is known to nobody.
	if v := judge([3]float64{0, 0, 0}, [3]float64{}, true); v.Shape != core.ShapeUndecided {
		t.Errorf("without standard errors: %s", v.Shape)
	}
}

// The evidence for drift between two windows is that of their differences, each of which is
// normal with twice the variance of a slot, or with that of the scale besides.
func TestDriftOfTwoWindows(t *testing.T) {
	t.Parallel()
	const n, expected = 4, 50.0
	slots := make([]Slot, n)
	windows := []windowed{{}, {}, {}} // one has too few citations
	for _, w := range []int{0, 2} {
		windows[w].Used, windows[w].expected = make([]float64, n), make([]float64, n)
	}
	want := 0.0
	for slot := range n {
		difference := 0.15 * float64(slot)
		slots[slot].Used = 1 + 0.1*float64(slot)
		windows[0].Used[slot], windows[2].Used[slot] = slots[slot].Used-difference/2, slots[slot].Used+difference/2
		windows[0].expected[slot], windows[2].expected[slot] = expected, expected
		same := 2 * slots[slot].Used / expected
		apart := same + 2*scale*scale
		want += math.Log(same/apart)/2*(n-1)/n + square(difference)/2*(1/same-1/apart)
	}
	if d := drift(windows, slots); d.Windows != 2 || math.Abs(math.Log(d.Evidence)-want) > 1e-9 {
		t.Errorf("%+v, want %g", d, math.Exp(want))
	}
}

// The memory that a file can take is bounded: beyond it, requests are left out and counted.
func TestRoom(t *testing.T) {
	t.Parallel()
	c, err := NewCollector(Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.room = curveBytes + 100*bytesOf(10)
	s := Simulation{Curve: make([]float64, 10), Relevance: FallingRelevance(10, 0.5, 0.8)}
	for slot := range s.Curve {
		s.Curve[slot] = 1
	}
	if err := s.Entries(150, record.Entry{}.Time, func(e record.Entry) error { c.Add(e); return nil }); err != nil {
		t.Fatal(err)
	}
	if r := c.Result(); r.NoRoom != 50 || r.Curves[0].Requests != 100 {
		t.Errorf("%d left out, %d kept", r.NoRoom, r.Curves[0].Requests)
	}
}
