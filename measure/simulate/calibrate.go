package simulate

import (
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// CalibrationSettings say which sweeps are simulated. Each is looked at after every
// question.
type CalibrationSettings struct {
	Accuracy    []float64 // the reader's true accuracy, one value a slot, 2 or more
	Correlation float64   // of one question's answers, from 0 to 1; no default
	Slots       []int     // to measure, slot 0 and the last among them; nil: all
	Questions   int       // of each sweep, 1 or more
	Runs        int       // sweeps, 1 or more; each draws its difficulties anew
	Seed        uint64
	// Copies says how often each question comes, in other words: 0 and 1 mean once. A
	// copy is as difficult as the first, and answered like it in a slot four times of
	// five, else by a luck of its own. Questions counts each of them once.
	Copies int
	// Apart counts each copy as a question of its own, as if nobody knew that they
	// belong together. That is a mistake, whose price this finds.
	Apart bool
}

// Calibration counts, over the simulated sweeps, what was found about a reader
// whose curve is known.
type Calibration struct {
	Runs int
	// Shapes counts the shapes at the last look, Ever the runs in which any look said a
	// shape, and Settled the first one that was settled.
	Shapes, Ever, Settled map[core.Shape]int
	// EverNamed counts the runs in which any look named one of the four shapes with a
	// slope. For a flat reader that is a mistake.
	EverNamed int
	// Median is after how many questions half of the runs were settled; 0 when half of
	// them never were.
	Median int
	// BestIn and WorstIn count, by slot, where the measured placement puts the first
	// and the last of as many documents as the reader reads, by the curve of the last
	// look.
	BestIn, WorstIn []int
	// LowestIn counts, by slot, where the accuracy was lowest; the first slot of
	// equal ones.
	LowestIn []int
	// Ranked and Reversed count the sweeps by which the measured placement leaves
	// the documents as ranked, and turns them round.
	Ranked, Reversed int
	// Wilson counts, by measured slot, the intervals at 95 % that hold the true accuracy,
	// after all questions. They are for a number that was fixed before.
	Wilson []int
}

// Named counts the sweeps whose last look named one of the four shapes with a slope.
func (c Calibration) Named() int {
	return c.Shapes[core.ShapeU] + c.Shapes[core.ShapeInverted] + c.Shapes[core.ShapePrimacy] + c.Shapes[core.ShapeRecency]
}

// Share returns count as a share of the runs.
func (c Calibration) Share(count int) float64 { return float64(count) / float64(c.Runs) }

// Calibrate simulates sweeps of a known reader and counts what they find. Same
// settings, same counts. It is safe for concurrent use and uses one core: a thousand
// sweeps of 2,000 questions over 20 slots take about three seconds. The error is that of
// NewReader, shape.NewTrial or shape.Fit: a *core.ConfigError or a *core.CurveError.
func Calibrate(s CalibrationSettings) (Calibration, error) {
	if s.Slots == nil {
		s.Slots = slot.All(len(s.Accuracy))
	}
	for _, number := range []struct {
		field string
		value int
		least int
		rule  string
	}{
		{"Runs", s.Runs, 1, "must be 1 or more, such as 2000"},
		{"Questions", s.Questions, 1, "must be 1 or more, such as 2000"},
		{"Copies", s.Copies, 0, "must be 0 or more; 0 means 1"},
	} {
		if number.value < number.least {
			return Calibration{}, &core.ConfigError{Field: number.field, Value: number.value, Rule: number.rule}
		}
	}
	reader, err := NewReader(s.Accuracy, s.Correlation, s.Seed)
	if err != nil {
		return Calibration{}, err
	}
	n := len(s.Accuracy)
	c := Calibration{
		Runs: s.Runs, Shapes: map[core.Shape]int{}, Ever: map[core.Shape]int{}, Settled: map[core.Shape]int{},
		BestIn: make([]int, n), WorstIn: make([]int, n), LowestIn: make([]int, n), Wilson: make([]int, len(s.Slots)),
	}
	settled := make([]int, s.Runs) // after how many questions
	for run := range settled {
		reader.seed = random.Join(s.Seed, uint64(run))
		if settled[run], err = c.run(s, reader); err != nil {
			return Calibration{}, err
		}
	}
	slices.Sort(settled)
	if half := settled[(s.Runs-1)/2]; half <= s.Questions {
		c.Median = half
	}
	return c, nil
}

// run simulates one sweep, and returns after how many questions it was settled, or more
// than there are.
func (c *Calibration) run(s CalibrationSettings, reader *Reader) (int, error) {
	trial, err := shape.NewTrial(len(s.Accuracy), s.Slots)
	if err != nil {
		return 0, err
	}
	rows := make([]shape.Row, max(1, s.Copies))
	for i := range rows {
		scores := make([]float64, len(s.Slots))
		rows[i] = shape.Row{Low: scores, High: scores}
	}
	right := make([]float64, len(s.Slots)) // questions
	settledAfter, settledAs := s.Questions+1, core.ShapeUndecided
	last := core.ShapeUndecided
	said := map[core.Shape]bool{}
	for question := range s.Questions {
		for number, r := range rows {
			reader.copied(question, number, s.Slots, rows[0].Low, r.Low)
		}
		for j, score := range rows[0].Low {
			right[j] += score
		}
		units := 1
		if s.Apart {
			units = len(rows)
		}
		for i := range units {
			unit := rows
			if s.Apart {
				unit = rows[i : i+1]
			}
			if err := trial.Add(unit...); err != nil {
				return 0, err
			}
			found, settled := trial.Look()
			if found != last {
				said[found], last = true, found
			}
			if settled && settledAfter > s.Questions {
				settledAfter, settledAs = question+1, found
			}
		}
	}
	delete(said, core.ShapeUndecided)
	for found := range said {
		c.Ever[found]++
	}
	delete(said, core.ShapeFlat)
	if len(said) > 0 {
		c.EverNamed++
	}
	c.Shapes[last]++
	if settledAs != core.ShapeUndecided {
		c.Settled[settledAs]++
	}
	return settledAfter, c.atTheEnd(s, trial, last, right)
}

// atTheEnd counts what the last look leads to: the placement by its curve, and what is
// said of single slots.
func (c *Calibration) atTheEnd(s CalibrationSettings, trial *shape.Trial, found core.Shape, right []float64) error {
	verdict := shape.Verdict{Shape: found}
	if found == core.ShapeU { // whose ends matter
		verdict = trial.Verdict()
	}
	accuracy := make([]float64, len(right))
	lowest := 0
	for i, k := range right {
		accuracy[i] = k / float64(s.Questions)
		if k < right[lowest] {
			lowest = i
		}
		interval, err := stats.Wilson(int(k), s.Questions, stats.Confidence)
		if err != nil {
			return err
		}
		if interval.Holds(s.Accuracy[s.Slots[i]]) {
			c.Wilson[i]++
		}
	}
	c.LowestIn[s.Slots[lowest]]++
	curve, err := shape.Fit(verdict, shape.CurveInfo{
		Documents: len(s.Accuracy), Questions: s.Questions, Slots: s.Slots, Accuracy: accuracy,
	})
	if err != nil {
		return err
	}
	return c.place(curve, len(s.Accuracy))
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

// likeFirst is how often a copy of a question is answered like the first of it.
const likeFirst = 0.8

// copied writes the scores of a copy of a question, where first are those of copy 0.
func (r *Reader) copied(question, number int, slots []int, first, scores []float64) {
	key := r.question(question)
	own := key
	if number > 0 {
		own = random.Join(key, uint64(number)<<32)
	}
	r.answers(key, own, slots, func(i int, right bool) {
		switch {
		case number > 0 && luck(random.Join(own, likeSlot), slots[i]) < likeFirst:
			scores[i] = first[i]
		case right:
			scores[i] = 1
		default:
			scores[i] = 0
		}
	})
}
