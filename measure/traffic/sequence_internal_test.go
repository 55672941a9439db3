package traffic

import (
	"math"
	"testing"

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
