package traffic

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// FlatMargin is how close to 0 every contrast must surely be for a curve to be
// called flat: a tenth of what an average slot is used.
const FlatMargin = 0.1

// minExpected is how many citations every slot must expect for an estimate. Below,
// a ratio says nothing.
const minExpected = 5

// Slot is how much the documents in one slot are used.
type Slot struct {
	Slot     int     `json:"slot"`
	Cited    int     `json:"cited"`    // citations of the documents that stood there
	Expected float64 `json:"expected"` // citations expected there from their ranks
	// Used is Cited/Expected: 1 for a slot that is used like the average. Interval
	// holds it at the confidence of the Options.
	Used float64 `json:"used"`
	stats.Interval
}

// estimate is what the requests of one curve say.
type estimate struct {
	slots    []Slot
	verdict  shape.Verdict
	requests int
	units    int // independent groups behind the bootstrap
}

// newEstimate estimates the curve of prompts of n documents by resampling groups
// with replacement. It returns nil where some slot has too few citations.
func newEstimate(n int, from []tally, resamples int, confidence float64, seed uint64) *estimate {
	sum, rows := make(counts, tallySize(n)), make([]counts, len(from))
	for i, t := range from {
		rows[i] = t.floats()
		floats.Add(sum, rows[i])
	}
	cited, expected, used := make([]float64, n), make([]float64, n), make([]float64, n)
	if sum[len(sum)-1] == 0 || n < 2 {
		return nil
	}
	sum.estimate(n, cited, expected, used)
	if slices.Min(expected) < minExpected {
		return nil
	}
	e := &estimate{requests: int(sum[len(sum)-1]), units: len(from), slots: make([]Slot, n)}
	for slot := range n {
		e.slots[slot] = Slot{Slot: slot, Cited: int(cited[slot]), Expected: expected[slot], Used: used[slot]}
	}

	zones := shape.ZonesOf(n, slot.All(n))
	truth := zones.Of(used)
	var spread [3]moments
	draws := make([][]float64, n)
	for slot := range draws {
		draws[slot] = make([]float64, resamples)
	}
	draw, times := rand.NewPCG(seed, uint64(n)), make([]float64, len(rows))
	for i := range resamples {
		clear(times)
		for range rows {
			times[random.Below(draw.Uint64, len(rows))]++
		}
		clear(sum)
		for j, row := range rows {
			if times[j] > 0 {
				floats.AddScaled(sum, times[j], row)
			}
		}
		sum.estimate(n, cited, expected, used)
		for slot, v := range used {
			draws[slot][i] = v
		}
		for j, v := range zones.Of(used) {
			spread[j].add(v)
		}
	}
	tail := (1 - confidence) / 2
	for slot, values := range draws {
		slices.Sort(values)
		e.slots[slot].Interval = stats.Interval{Low: quantile(values, tail), High: quantile(values, 1-tail)}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(max(e.units-1, 1))}.Quantile(0.975)
	contrast := func(j int, there bool) shape.Contrast {
		if !there {
			return shape.Contrast{}
		}
		c := shape.Contrast{Questions: e.requests, Mean: truth[j], SE: spread[j].sd()}
		c.Z = c.Mean / c.SE
		if c.SE == 0 {
			c.Z = math.Copysign(math.Inf(1), c.Mean)
			if c.Mean == 0 {
				c.Z = 0
			}
		}
		c.Interval = stats.Interval{Low: c.Mean - t*c.SE, High: c.Mean + t*c.SE}
		return c
	}
	middle := len(zones.Middle) > 0
	e.verdict = shape.JudgeContrasts(shape.Contrasts{
		StartMiddle: contrast(0, middle), EndMiddle: contrast(1, middle), StartEnd: contrast(2, true),
	}, e.units, FlatMargin)
	return e
}

// needed returns about how many more requests settle the shape if the estimates stay
// as they are: until the largest contrast is beyond doubt with a power of 80 %, or
// until all are surely small, whatever comes first. 0 for a shape that is settled.
func (e *estimate) needed() int {
	if e.verdict.Shape != core.ShapeUndecided {
		return 0
	}
	const power = 0.8416 // the normal quantile of 80 %
	anyZ, each := float64(e.verdict.Any), float64(e.verdict.Each)
	toName, toFlat := math.Inf(1), 1.0
	for _, c := range []shape.Contrast{e.verdict.StartMiddle, e.verdict.EndMiddle, e.verdict.StartEnd} {
		if c.Questions == 0 || c.SE == 0 {
			continue
		}
		toName = min(toName, square((anyZ+power)/c.Z))
		if room := FlatMargin - math.Abs(c.Mean); room > 0 {
			toFlat = max(toFlat, square((each+power)*c.SE/room))
		} else {
			toFlat = math.Inf(1)
		}
	}
	// A contrast beyond Any that makes no shape needs another one to follow.
	factor := max(min(toName, toFlat), 1.25)
	return int(math.Ceil(float64(e.requests) * min(factor-1, 1e6)))
}

// curve is what core.Measured places by.
func (e *estimate) curve() *core.Curve {
	c := &core.Curve{
		Format: core.CurveFormat, Kind: core.CurveOfUse,
		Documents: len(e.slots), Questions: e.requests,
		Shape: e.verdict.Shape, EndsDiffer: e.verdict.EndsDiffer,
	}
	best := 0.0
	for _, s := range e.slots {
		best = max(best, s.Used)
	}
	for _, s := range e.slots {
		c.Slots = append(c.Slots, s.Slot)
		c.Accuracy = append(c.Accuracy, s.Used/best)
	}
	c.Fitted = shape.Fitted(c.Shape, c.Accuracy)
	return c
}
