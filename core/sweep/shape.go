package sweep

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
)

// flatMargin is how close to 0 every contrast must surely be for a curve to be
// called flat.
const flatMargin = 0.05

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
	Interval
}

// MarshalJSON writes an infinity as "+Inf" or "-Inf".
func (c Contrast) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Questions int        `json:"questions"`
		Mean      float64    `json:"mean"`
		SE        core.Score `json:"se"`
		Z         core.Score `json:"z"`
		Interval
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
func ContrastsOf(o Outcomes, confidence float64) (Contrasts, error) {
	if !(confidence > 0 && confidence < 1) {
		return Contrasts{}, &core.ConfigError{Field: "confidence", Value: confidence, Rule: "must be above 0 and below 1, such as 0.95"}
	}
	return contrasts(o, studentQuantile(o.Questions(), 1-(1-confidence)/2)), nil
}

// Zones are the measured slots of each zone of a prompt, as indices into the list of
// the measured slots.
type Zones struct{ Start, Middle, End []int }

// ZonesOf says which zones the measured slots of a prompt of so many documents belong
// to, as Contrasts describes them.
func ZonesOf(documents int, slots []int) Zones {
	var z Zones
	last := documents - 1
	for i, slot := range slots {
		// In whole numbers, so that a slot on the border is never lost to rounding.
		if 20*slot <= 3*last {
			z.Start = append(z.Start, i)
		}
		if 4*slot >= last && 4*slot <= 3*last {
			z.Middle = append(z.Middle, i)
		}
		if 20*slot >= 17*last {
			z.End = append(z.End, i)
		}
	}
	return z
}

// Of returns what the contrasts of values are, one value a measured slot: start minus
// middle, end minus middle, and start minus end. A zone without a slot counts as 0.
func (z Zones) Of(values []float64) [3]float64 {
	mean := func(zone []int) float64 {
		sum := 0.0
		for _, i := range zone {
			sum += values[i]
		}
		return sum / float64(max(len(zone), 1))
	}
	start, middle, end := mean(z.Start), mean(z.Middle), mean(z.End)
	return [3]float64{start - middle, end - middle, start - end}
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

func contrasts(o Outcomes, quantile float64) Contrasts {
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
func right(o Outcomes, question int, zone []int) int {
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
		c.SE, c.Interval = math.Inf(1), Interval{Low: -1, High: 1}
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
	c.Interval = Interval{Low: c.Mean - quantile*c.SE, High: c.Mean + quantile*c.SE}
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

// Verdict is the shape of a curve and the numbers that it follows from.
type Verdict struct {
	Shape core.Shape `json:"shape"`
	// EndsDiffer says whether start and end differ beyond noise: |StartEnd.Z| is
	// above Each.
	EndsDiffer bool `json:"ends_differ"`
	// Contrasts have intervals at 95 %.
	Contrasts
	// Any is what the largest |Z| must exceed for a shape to be named at all, Each
	// what each contrast of a shape must exceed then. Both are +Inf in JSON, as
	// "+Inf", for a single question.
	Any  core.Score `json:"any"`
	Each core.Score `json:"each"`
	// Margin is how close to 0 every contrast must surely be for a flat curve.
	Margin float64 `json:"margin"`
}

// JudgeShape names the shape of a curve. It misnames a reader that reads all slots
// alike in less than 5 % of sweeps (CALIBRATION.md has the figures), also when the
// answers to one question hang together.
//
// First the largest |Z| of the three contrasts is held against Any, Student's t at
// 1-.05/6. If it is not above it, the curve is flat where every contrast is surely
// within 5 points, by its mean and Each standard errors, and undecided elsewhere.
// If it is above it, Each, Student's t at .95, decides which shape:
//
//	U         start and end both above the middle
//	inverted  start and end both below it
//	primacy   start above the end, and start above or end below the middle
//	recency   the reverse
//	undecided anything else
//
// Where no slot of the middle was measured, only start and end are compared, at
// .975, and the shape is primacy, recency or undecided. Where the start or the end
// was not measured, or a single question was asked, it is undecided. It costs a few
// steps a question.
func JudgeShape(o Outcomes) Verdict {
	return JudgeContrasts(contrasts(o, studentQuantile(o.Questions(), 0.975)), o.Questions(), flatMargin)
}

// JudgeContrasts is JudgeShape for contrasts that come from elsewhere: n independent
// observations stand behind their standard errors, and margin is how close to 0 all
// must surely be for a flat curve. A contrast that does not exist has 0 Questions.
func JudgeContrasts(c Contrasts, n int, margin float64) Verdict {
	return judge(c, thresholdsFor(n, c.StartMiddle.Questions > 0), margin)
}

// thresholds are the quantiles of rule (a), which depend on the number of
// questions alone.
type thresholds struct{ any, each float64 }

func thresholdsFor(questions int, middle bool) thresholds {
	if !middle {
		t := studentQuantile(questions, 0.975)
		return thresholds{t, t}
	}
	return thresholds{studentQuantile(questions, 1-0.05/6), studentQuantile(questions, 0.95)}
}

func judge(c Contrasts, limit thresholds, margin float64) Verdict {
	v := Verdict{
		Shape: core.ShapeUndecided, Contrasts: c, Margin: margin,
		Any: core.Score(limit.any), Each: core.Score(limit.each),
	}
	h, t, e, z := c.StartMiddle, c.EndMiddle, c.StartEnd, limit.each
	v.EndsDiffer = math.Abs(e.Z) > z
	if e.Questions == 0 {
		return v
	}
	if h.Questions == 0 {
		if v.EndsDiffer {
			v.Shape = core.ShapePrimacy
			if e.Z < 0 {
				v.Shape = core.ShapeRecency
			}
		}
		return v
	}
	surelySmall := func(c Contrast) bool { return math.Abs(c.Mean)+z*c.SE < margin }
	switch {
	case max(math.Abs(h.Z), math.Abs(t.Z), math.Abs(e.Z)) <= limit.any:
		if surelySmall(h) && surelySmall(t) && surelySmall(e) {
			v.Shape = core.ShapeFlat
		}
	case h.Z > z && t.Z > z:
		v.Shape = core.ShapeU
	case h.Z < -z && t.Z < -z:
		v.Shape = core.ShapeInverted
	case e.Z > z && (h.Z > z || t.Z < -z):
		v.Shape = core.ShapePrimacy
	case e.Z < -z && (t.Z > z || h.Z < -z):
		v.Shape = core.ShapeRecency
	}
	return v
}
