package simulate

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// CalibrationSettings say which sweeps are simulated.
type CalibrationSettings struct {
	Accuracy    []float64 // the reader's true accuracy, one value a slot, 2 or more
	Correlation float64   // of one question's answers, from 0 to 1; no default
	Slots       []int     // to measure, slot 0 and the last among them; nil: all
	Questions   int       // of each sweep, 1 or more
	Runs        int       // sweeps, 1 or more; each draws its difficulties anew
	Seed        uint64
	// Confidence of the intervals whose coverage is counted; 0 means 0.95.
	Confidence float64
}

// Calibration counts, over the simulated sweeps, what was found about a reader
// whose curve is known.
type Calibration struct {
	Runs int
	// Shapes counts the shapes that were named.
	Shapes map[core.Shape]int
	// BestIn and WorstIn count, by slot, where the measured placement puts the first
	// and the last of as many documents as the reader reads.
	BestIn, WorstIn []int
	// LowestIn counts, by slot, where the accuracy was lowest; the first slot of
	// equal ones.
	LowestIn []int
	// Ranked and Reversed count the sweeps by which the measured placement leaves
	// the documents as ranked, and turns them round.
	Ranked, Reversed int
	// Wilson counts, by measured slot, the intervals that hold the true accuracy;
	// StartMiddle, EndMiddle and StartEnd the same of the contrasts.
	Wilson                           []int
	StartMiddle, EndMiddle, StartEnd int
}

// Misnamed counts the sweeps that named one of the four shapes with a slope, which
// for a flat reader is a mistake. Undecided is none.
func (c Calibration) Misnamed() int {
	return c.Shapes[core.ShapeU] + c.Shapes[core.ShapeInverted] + c.Shapes[core.ShapePrimacy] + c.Shapes[core.ShapeRecency]
}

// Share returns count as a share of the runs.
func (c Calibration) Share(count int) float64 { return float64(count) / float64(c.Runs) }

// Calibrate simulates sweeps of a known reader and counts what they find. Same
// settings, same counts. It is safe for concurrent use and uses one core: a thousand
// sweeps of 300 questions over 20 slots take about a quarter of a second, and nothing
// is allocated for a question or an answer. The error is that of NewReader,
// stats.NewOutcomes or Fit: a *core.ConfigError or a *core.CurveError.
func Calibrate(s CalibrationSettings) (Calibration, error) {
	if s.Runs < 1 {
		return Calibration{}, &core.ConfigError{Field: "Runs", Value: s.Runs, Rule: "must be 1 or more, such as 2000"}
	}
	if s.Confidence == 0 {
		s.Confidence = 0.95
	}
	reader, err := NewReader(s.Accuracy, s.Correlation, s.Seed)
	if err != nil {
		return Calibration{}, err
	}
	if s.Slots == nil {
		s.Slots = slot.All(len(s.Accuracy))
	}
	n := len(s.Accuracy)
	c := Calibration{
		Runs: s.Runs, Shapes: map[core.Shape]int{},
		BestIn: make([]int, n), WorstIn: make([]int, n), LowestIn: make([]int, n), Wilson: make([]int, len(s.Slots)),
	}
	zones := [3]float64{}
	var accuracy []float64 // the true one, in the measured slots
	for run := range s.Runs {
		reader.seed = random.Join(s.Seed, uint64(run))
		o, err := reader.Outcomes(s.Questions, s.Slots)
		if err != nil {
			return Calibration{}, err
		}
		if run == 0 {
			for _, slot := range s.Slots {
				accuracy = append(accuracy, s.Accuracy[slot])
			}
			zones = shape.ZonesOf(n, s.Slots).Of(accuracy)
		}
		verdict := shape.Judge(o)
		if err := c.cover(o, verdict.Contrasts, accuracy, zones, s.Confidence); err != nil {
			return Calibration{}, err
		}
		curve, err := shape.Fit(verdict, shape.CurveInfo{Documents: n, Questions: s.Questions, Slots: s.Slots, Accuracy: o.Accuracy()})
		if err != nil {
			return Calibration{}, err
		}
		c.Shapes[curve.Shape]++
		if err := c.place(curve, n); err != nil {
			return Calibration{}, err
		}
	}
	return c, nil
}

// place counts where the measured placement puts the documents.
func (c *Calibration) place(curve *core.Curve, n int) error {
	order, err := core.Order(core.Measured{Curve: curve}, n)
	if err != nil {
		return err
	}
	ranked, reversed := 1, 1
	for slot, rank := range order {
		switch rank {
		case 0:
			c.BestIn[slot]++
		case n - 1:
			c.WorstIn[slot]++
		}
		if rank != slot {
			ranked = 0
		}
		if rank != n-1-slot {
			reversed = 0
		}
	}
	c.Ranked += ranked
	c.Reversed += reversed
	return nil
}

// cover counts the intervals of one sweep that hold the true value, and the lowest
// slot.
func (c *Calibration) cover(o stats.Outcomes, found shape.Contrasts, accuracy []float64, zones [3]float64, confidence float64) error {
	counts, slots := o.Counts(), o.Slots()
	lowest := 0
	for i, k := range counts {
		if k < counts[lowest] {
			lowest = i
		}
		interval, err := stats.Wilson(k, o.Questions(), confidence)
		if err != nil {
			return err
		}
		if interval.Holds(accuracy[i]) {
			c.Wilson[i]++
		}
	}
	c.LowestIn[slots[lowest]]++
	c.StartMiddle += covered(found.StartMiddle, zones[0])
	c.EndMiddle += covered(found.EndMiddle, zones[1])
	c.StartEnd += covered(found.StartEnd, zones[2])
	return nil
}

// covered is 1 where the contrast's interval holds the true value.
func covered(c shape.Contrast, value float64) int {
	if c.Questions > 0 && c.Holds(value) {
		return 1
	}
	return 0
}
