package traffic

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// calibrationSettings say which traffic is simulated.
type calibrationSettings struct {
	Simulation
	Requests int // of each run, 1 or more
	Runs     int // 1 or more
	// Every is after how many requests the curve is looked at, again and again; 0: once,
	// after all.
	Every int
}

// calibration counts, over the runs, what was found about a curve that is known.
type calibration struct {
	Runs int
	// NoEstimate counts the runs with too few citations at the last look, Unfit those that
	// were unfit then; the other figures of the last look are of the rest.
	NoEstimate, Unfit int
	Shapes            map[core.Shape]int // at the last look
	// Ever counts the runs that had the word at any look, and Median is the number of
	// requests at the first such look: half of those runs had it by then.
	Ever, Median map[core.Shape]int
	// Misnamed counts the runs that gave a slope at any look that is not the planted one:
	// for a flat curve any.
	Misnamed int
	True     []float64 // by slot: how much it is used
	Mean     []float64 // of the estimates at the last look
	SD       []float64 // of the estimates at the last look
	Cited    []float64 // mean number of citations at the last look
	// Covered counts, by slot, the runs whose intervals hold the true value at every look;
	// StartMiddle, EndMiddle and StartEnd the same of the contrasts.
	Covered                          []int
	StartMiddle, EndMiddle, StartEnd int
	// HalfWidth is the mean distance of the upper bound of a slot to its estimate at the
	// last look, as a share of an average slot.
	HalfWidth float64
	// Needed is the mean of the requests still needed, over the runs that are undecided at
	// the last look.
	Needed float64
}

// Bias returns the largest relative difference of a slot's mean estimate to its true
// value.
func (c calibration) Bias() float64 {
	worst := 0.0
	for slot, v := range c.True {
		worst = max(worst, math.Abs(c.Mean[slot]/v-1))
	}
	return worst
}

// Noise returns the largest relative standard deviation of a slot, in units of that
// of a Poisson count: 1/√(citations expected in the slot).
func (c calibration) Noise() float64 {
	worst := 0.0
	for slot, v := range c.True {
		worst = max(worst, c.SD[slot]/v*math.Sqrt(c.Cited[slot]))
	}
	return worst
}

// calibrate simulates traffic with a known curve and counts what is found. Same settings,
// same counts.
func calibrate(s calibrationSettings) (calibration, error) {
	if err := s.Check(); err != nil {
		return calibration{}, err
	}
	if s.Every == 0 {
		s.Every = s.Requests
	}
	n := len(s.Curve)
	c := calibration{
		Runs: s.Runs, Shapes: map[core.Shape]int{}, Ever: map[core.Shape]int{}, Median: map[core.Shape]int{}, True: s.True(),
		Mean: make([]float64, n), SD: make([]float64, n), Cited: make([]float64, n), Covered: make([]int, n),
	}
	truth := zonesOf(n).Of(c.True)
	planted := judge(truth, [3]float64{1e-6, 1e-6, 1e-6}, len(zonesOf(n).Middle) > 0).Shape
	found := make([]moments, n)
	first := map[core.Shape][]int{}
	undecided, estimates := 0, 0
	for run := range s.Runs {
		from, r := s.source(uint64(run)), newRequests(n)
		missed, missedContrast := make([]bool, n), [3]bool{}
		named, misnamed := map[core.Shape]bool{}, false
		var last Curve
		for asked := 1; asked <= s.Requests; asked++ {
			from.next().addTo(r)
			if asked%s.Every > 0 && asked < s.Requests {
				continue
			}
			last = Curve{Requests: asked, Citations: r.cited}
			last.conclude(r, r.byUnit())
			if last.Verdict == nil {
				continue
			}
			v := last.Verdict
			if !named[v.Shape] {
				named[v.Shape] = true
				first[v.Shape] = append(first[v.Shape], asked)
			}
			if v.Shape != core.ShapeUndecided && v.Shape != core.ShapeFlat && v.Shape != planted {
				misnamed = true
			}
			for slot, at := range last.Slots {
				missed[slot] = missed[slot] || !holds(at.Low, c.True[slot], at.High)
			}
			for j, contrast := range []*Contrast{v.StartMiddle, v.EndMiddle, v.StartEnd} {
				missedContrast[j] = missedContrast[j] || contrast != nil && !holds(contrast.Low, truth[j], contrast.High)
			}
		}
		for slot := range missed {
			c.Covered[slot] += count(!missed[slot])
		}
		c.StartMiddle += count(!missedContrast[0])
		c.EndMiddle += count(!missedContrast[1])
		c.StartEnd += count(!missedContrast[2])
		c.Misnamed += count(misnamed)
		switch {
		case last.Unfit != nil:
			c.Unfit++
			continue
		case last.Verdict == nil:
			c.NoEstimate++
			continue
		}
		estimates++
		for slot, at := range last.Slots {
			found[slot].add(at.Used)
			c.Cited[slot] += at.Cited
			c.HalfWidth += (at.High - at.Used) / float64(n)
		}
		c.Shapes[last.Verdict.Shape]++
		if last.Verdict.Shape == core.ShapeUndecided {
			undecided++
			c.Needed += float64(last.Needed)
		}
	}
	for shape, looks := range first {
		slices.Sort(looks)
		c.Ever[shape], c.Median[shape] = len(looks), looks[len(looks)/2]
	}
	each := float64(max(estimates, 1))
	for slot := range n {
		c.Mean[slot], c.SD[slot] = found[slot].mean, found[slot].sd()
		c.Cited[slot] /= each
	}
	c.HalfWidth /= each
	c.Needed /= float64(max(undecided, 1))
	return c, nil
}

// hashSeed is that of simulated requests.
var hashSeed = maphash.MakeSeed()

func (r *simulated) addTo(to *requests) {
	cells := make([]cell, len(r.order))
	for slot, rank := range r.order {
		cells[slot] = cell(rank)
	}
	for _, slot := range r.cited {
		cells[slot] |= isCited
	}
	to.add(cells, 0, maphash.String(hashSeed, r.id), maphash.String(hashSeed, r.question))
}

func holds(low, v, high float64) bool { return low <= v && v <= high }

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
