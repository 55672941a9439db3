package shape

import (
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// flatMargin is how close to 0 every contrast must surely be for a curve to be
// called flat.
const flatMargin = 0.05

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

// Judge names the shape of a curve. It misnames a reader that reads all slots alike in
// less than 5 % of sweeps (CALIBRATION.md of package simulate has the figures), also
// when the answers to one question hang together.
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
func Judge(o stats.Outcomes) Verdict {
	return JudgeContrasts(contrasts(o, studentQuantile(o.Questions(), 0.975)), o.Questions(), flatMargin)
}

// JudgeContrasts is Judge for contrasts that come from elsewhere: n independent
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
