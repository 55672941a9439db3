package shape

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Contrast compares two zones of a curve. For each question the share of right
// answers in one zone is subtracted from the share in the other; the contrast is
// the mean of these differences. As JSON, SE and Z may be "+Inf" or "-Inf".
type Contrast struct {
	// Questions is the number of questions behind it. 0 says that there is no such
	// contrast, because no slot of one of the zones was measured.
	Questions int
	Mean      float64 // from -1 to 1; above 0 when the first zone is read better
	SE        float64 // standard error of Mean; +Inf for a single question
	Z         float64 // Mean/SE; where SE is 0, 0 or an infinity of Mean's sign
	// Interval is Mean ± SE times the quantile of Student's t. A single question
	// gives the whole range from -1 to 1.
	stats.Interval
}

// MarshalJSON writes an infinity as "+Inf" or "-Inf".
func (c Contrast) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Questions int        `json:"questions"`
		Mean      float64    `json:"mean"`
		SE        core.Score `json:"se"`
		Z         core.Score `json:"z"`
		stats.Interval
	}{c.Questions, c.Mean, core.Score(c.SE), core.Score(c.Z), c.Interval})
}

// Contrasts are the three contrasts that a shape is judged by. The start of a
// prompt is its slots up to 15 % of the way, the end those from 85 %, the middle
// those from 25 to 75 %; slots between the zones belong to none.
type Contrasts struct {
	StartMiddle Contrast `json:"start_middle"` // start minus middle
	EndMiddle   Contrast `json:"end_middle"`   // end minus middle
	StartEnd    Contrast `json:"start_end"`    // start minus end
}

// ContrastsOf returns the three contrasts with intervals at a confidence such as
// 0.95; each holds at that level by itself. The error is a *core.ConfigError for a
// confidence that is not above 0 and below 1. It costs a few steps a question.
func ContrastsOf(o stats.Outcomes, confidence float64) (Contrasts, error) {
	if !(confidence > 0 && confidence < 1) {
		return Contrasts{}, &core.ConfigError{Field: "confidence", Value: confidence, Rule: "must be above 0 and below 1, such as 0.95"}
	}
	return contrasts(o, studentQuantile(o.Questions(), 1-(1-confidence)/2)), nil
}

// sums adds up the differences of one contrast in whole numbers: with a slots in
// one zone and b in the other, a question's difference times a·b is whole. The
// squares are a float64 because they would overflow first.
type sums struct {
	sum, low, high int
	squares        float64
}

func (s *sums) add(d int) {
	s.sum += d
	s.squares += float64(d) * float64(d)
	s.low, s.high = min(s.low, d), max(s.high, d)
}

func contrasts(o stats.Outcomes, quantile float64) Contrasts {
	z, questions := ZonesOf(o.Documents(), o.Slots()), o.Questions()
	none := sums{low: math.MaxInt, high: math.MinInt}
	sm, em, se := none, none, none
	starts, middles, ends := len(z.Start), len(z.Middle), len(z.End)
	for question := range questions {
		start, middle, end := right(o, question, z.Start), right(o, question, z.Middle), right(o, question, z.End)
		sm.add(start*middles - middle*starts)
		em.add(end*middles - middle*ends)
		se.add(start*ends - end*starts)
	}
	return Contrasts{
		StartMiddle: sm.contrast(questions, starts*middles, quantile),
		EndMiddle:   em.contrast(questions, ends*middles, quantile),
		StartEnd:    se.contrast(questions, starts*ends, quantile),
	}
}

// right returns how many slots of a zone the question was right in.
func right(o stats.Outcomes, question int, zone []int) int {
	n := 0
	for _, i := range zone {
		if o.Right(question, i) {
			n++
		}
	}
	return n
}

// contrast finishes the contrast; unit is what a difference was multiplied by.
func (s sums) contrast(questions, unit int, quantile float64) Contrast {
	if questions == 0 || unit == 0 {
		return Contrast{}
	}
	n := float64(questions)
	c := Contrast{Questions: questions, Mean: float64(s.sum) / n / float64(unit)}
	switch {
	case questions == 1:
		c.SE, c.Interval = math.Inf(1), stats.Interval{Low: -1, High: 1}
		return c
	case s.low == s.high: // no question differs from another
		if s.sum != 0 {
			c.Z = math.Copysign(math.Inf(1), c.Mean)
		}
	default:
		variance := (s.squares - float64(s.sum)/n*float64(s.sum)) / (n - 1)
		c.SE = math.Sqrt(variance/n) / float64(unit)
		c.Z = c.Mean / c.SE
	}
	c.Interval = stats.Interval{Low: c.Mean - quantile*c.SE, High: c.Mean + quantile*c.SE}
	return c
}

// studentQuantile is that of the t distribution with questions-1 degrees of
// freedom.
func studentQuantile(questions int, p float64) float64 {
	if questions < 2 {
		return math.Inf(1)
	}
	return distuv.StudentsT{Sigma: 1, Nu: float64(questions - 1)}.Quantile(p)
}
