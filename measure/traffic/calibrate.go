package traffic

import (
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
)

// CalibrationSettings say which traffic is simulated.
type CalibrationSettings struct {
	Simulation
	Requests  int // of each run, 1 or more
	Runs      int // 1 or more
	Resamples int // of each bootstrap; 0 means DefaultResamples
}

// Calibration counts, over the runs, what was found about a curve that is known.
type Calibration struct {
	Runs int
	// NoEstimate counts the runs with too few citations; the other figures are of the
	// rest.
	NoEstimate int
	Shapes     map[core.Shape]int
	True       []float64 // by slot: how much it is used
	Mean       []float64 // of the estimates
	SD         []float64 // of the estimates
	Cited      []float64 // mean number of citations
	// Covered counts, by slot, the intervals at 95 % that hold the true value;
	// StartMiddle, EndMiddle and StartEnd the same of the contrasts.
	Covered                          []int
	StartMiddle, EndMiddle, StartEnd int
	// Needed is the mean of the requests still needed, over the undecided runs.
	Needed float64
}

// Misnamed counts the runs that named a shape with a slope, which for a flat curve is
// a mistake.
func (c Calibration) Misnamed() int {
	return c.Shapes[core.ShapeU] + c.Shapes[core.ShapeInverted] + c.Shapes[core.ShapePrimacy] + c.Shapes[core.ShapeRecency]
}

// Bias returns the largest relative difference of a slot's mean estimate to its true
// value.
func (c Calibration) Bias() float64 {
	worst := 0.0
	for slot, v := range c.True {
		worst = max(worst, math.Abs(c.Mean[slot]/v-1))
	}
	return worst
}

// Noise returns the largest relative standard deviation of a slot, in units of that
// of a Poisson count: 1/√(citations expected in the slot).
func (c Calibration) Noise() float64 {
	worst := 0.0
	for slot, v := range c.True {
		worst = max(worst, c.SD[slot]/v*math.Sqrt(c.Cited[slot]))
	}
	return worst
}

// Calibrate simulates traffic with a known curve and counts what is found. Same
// settings, same counts. It is safe for concurrent use and uses one core: a run of
// 1,000 requests of ten documents takes about 10 ms. The error is a
// *core.ConfigError.
func Calibrate(s CalibrationSettings) (Calibration, error) {
	if s.Runs < 1 || s.Requests < 1 {
		return Calibration{}, &core.ConfigError{Field: "Runs and Requests", Value: []int{s.Runs, s.Requests}, Rule: "must be 1 or more, such as 2000 and 1000"}
	}
	if err := s.Check(); err != nil {
		return Calibration{}, err
	}
	o, err := Options{Resamples: s.Resamples}.withDefaults()
	if err != nil {
		return Calibration{}, err
	}
	n := len(s.Curve)
	c := Calibration{
		Runs: s.Runs, Shapes: map[core.Shape]int{}, True: s.True(),
		Mean: make([]float64, n), SD: make([]float64, n), Cited: make([]float64, n), Covered: make([]int, n),
	}
	truth := shape.ZonesOf(n, slot.All(n)).Of(c.True)
	found := make([]moments, n)
	undecided := 0
	for run := range s.Runs {
		g := newGroups(n)
		from := s.source(uint64(run))
		for range s.Requests {
			g.add(from.next(from.draw.Uint64()))
		}
		e := newEstimate(n, g.tallies, o.Resamples, o.Confidence, from.draw.Uint64())
		if e == nil {
			c.NoEstimate++
			continue
		}
		for slot, v := range e.slots {
			found[slot].add(v.Used)
			c.Cited[slot] += float64(v.Cited)
			c.Covered[slot] += holds(v.Low, c.True[slot], v.High)
		}
		c.Shapes[e.verdict.Shape]++
		c.StartMiddle += holds(e.verdict.StartMiddle.Low, truth[0], e.verdict.StartMiddle.High)
		c.EndMiddle += holds(e.verdict.EndMiddle.Low, truth[1], e.verdict.EndMiddle.High)
		c.StartEnd += holds(e.verdict.StartEnd.Low, truth[2], e.verdict.StartEnd.High)
		if e.verdict.Shape == core.ShapeUndecided {
			undecided++
			c.Needed += float64(e.needed())
		}
	}
	for slot := range n {
		c.Mean[slot], c.SD[slot] = found[slot].mean, found[slot].sd()
		c.Cited[slot] /= max(found[slot].n, 1)
	}
	c.Needed /= float64(max(undecided, 1))
	return c, nil
}

func holds(low, v, high float64) int {
	if low <= v && v <= high {
		return 1
	}
	return 0
}
