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
	if err := checkConfidence(confidence); err != nil {
		return Contrasts{}, err
	}
	return zonesOf(o.documents, o.slots).contrasts(o, studentQuantile(o.questions, 1-(1-confidence)/2)), nil
}

// zones are the measured slots of each zone, as masks over a row of Outcomes.
type zones struct {
	start, middle, end             []uint64
	startSize, middleSize, endSize int
}

func zonesOf(documents int, slots []int) zones {
	words := (len(slots) + 63) / 64
	masks := make([]uint64, 3*words)
	z := zones{start: masks[:words], middle: masks[words : 2*words], end: masks[2*words:]}
	for i, slot := range slots {
		bit := uint64(1) << (i % 64)
		start, middle, end := ZonesOf(slot, documents)
		if start {
			z.start[i/64] |= bit
			z.startSize++
		}
		if middle {
			z.middle[i/64] |= bit
			z.middleSize++
		}
		if end {
			z.end[i/64] |= bit
			z.endSize++
		}
	}
	return z
}

// ZonesOf says which zones of a prompt of so many documents a slot belongs to, as
// Contrasts describes them.
func ZonesOf(slot, documents int) (start, middle, end bool) {
	// In whole numbers, so that a slot on the border is never lost to rounding.
	last := documents - 1
	return 20*slot <= 3*last, 4*slot >= last && 4*slot <= 3*last, 20*slot >= 17*last
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

func (z zones) contrasts(o Outcomes, quantile float64) Contrasts {
	none := sums{low: math.MaxInt, high: math.MinInt}
	sm, em, se := none, none, none
	for question := range o.questions {
		start, middle, end := o.rightIn(question, z.start), o.rightIn(question, z.middle), o.rightIn(question, z.end)
		sm.add(start*z.middleSize - middle*z.startSize)
		em.add(end*z.middleSize - middle*z.endSize)
		se.add(start*z.endSize - end*z.startSize)
	}
	return Contrasts{
		StartMiddle: sm.contrast(o.questions, z.startSize*z.middleSize, quantile),
		EndMiddle:   em.contrast(o.questions, z.endSize*z.middleSize, quantile),
		StartEnd:    se.contrast(o.questions, z.startSize*z.endSize, quantile),
	}
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
	z := zonesOf(o.documents, o.slots)
	return JudgeContrasts(z.contrasts(o, studentQuantile(o.questions, 0.975)), o.questions, flatMargin)
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
