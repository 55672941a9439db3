// Package judge says whether an order loses on a measured curve: whether ranked, head-tail
// or reversed, which no curve was needed to choose, is better beyond noise.
package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/worth"
)

// MaxDocuments is the largest curve that is reckoned with: nobody shows a model more.
const MaxDocuments = 1000

// Curve is what orders are judged by.
type Curve struct {
	*core.Curve
	File string // "" for a published one
}

// Load reads a curve file, or finds a published curve by name, such as
// "gpt-3.5-turbo" or "gpt-3.5-turbo/20", of MaxDocuments documents at most.
func Load(name string) (*Curve, error) {
	curve, err := core.LoadCurve(name)
	switch {
	case err == nil && curve.Documents > MaxDocuments:
		return nil, &core.CurveError{Path: name, Rule: fmt.Sprintf("was measured with %d documents: %d at most are reckoned with", curve.Documents, MaxDocuments)}
	case err == nil:
		return &Curve{curve, name}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	known, unknown := published.Lookup(name, 0)
	if unknown != nil {
		var other error // some models were measured by the authors' repository alone
		if known, other = published.Lookup(name+"-repo", 0); other != nil {
			return nil, errors.Join(err, unknown)
		}
	}
	curve, err = simulate.CurveOf(known)
	return &Curve{curve, ""}, err
}

// String says what was measured.
func (c *Curve) String() string {
	questions := fmt.Sprintf("%d questions", c.Questions)
	if c.Questions == 0 {
		questions = "an unknown number of questions"
	}
	return fmt.Sprintf("%s, %d documents, %s", c.Model, c.Documents, questions)
}

// NoiseLimit is how many standard errors a loss must exceed: an order is compared
// with two others, each at 2.5 %, two-sided.
const NoiseLimit = 2.24

// Verdict is what a curve says of an order.
type Verdict struct {
	Decided   bool                   // the curve says how many questions of answers are behind it
	Fine      bool                   // the order is right by the shape of the curve
	Loses     bool                   // to another, beyond noise
	Better    core.StandardPlacement // the best of the fixed orders
	Now, Best float64                // expected accuracies, as shares
	Noise     float64                // NoiseLimit standard errors of their difference
}

// fixedOrders need no curve, so that none of them was chosen by the curve's noise.
var fixedOrders = []core.StandardPlacement{core.RankOrder, core.HeadTail, core.Reversed}

// Judge compares an order with the fixed ones, with as many documents as the curve was
// measured with. A flat curve finds every order right, and one that falls from the
// start the ranked order. Else the expected accuracies are compared: a loss counts if
// it exceeds NoiseLimit standard errors, with the slots of the curve taken as
// independent samples of its questions. A curve of use says nothing of answers and
// decides nothing.
func (c *Curve) Judge(p core.Placement, decay float64) (Verdict, error) {
	v := Verdict{Decided: c.Questions > 0 && c.Kind != core.CurveOfUse}
	if v.Fine = c.Shape == core.ShapeFlat || c.Shape == core.ShapePrimacy && p == core.RankOrder; v.Fine {
		return v, nil
	}
	gold, err := dataset.DecayingRanks(c.Documents, decay)
	if err != nil {
		return v, err
	}
	accuracy, err := worth.AccuracyBySlot(c.Curve, c.Documents)
	if err != nil {
		return v, err
	}
	expected := func(p core.Placement) ([]int, float64) {
		ranks, orderErr := core.Order(p, c.Documents)
		value, valueErr := worth.Expected(accuracy, ranks, gold)
		err = errors.Join(err, orderErr, valueErr)
		return ranks, value
	}
	ranks, now := expected(p)
	v.Now, v.Best = now, now
	for _, fixed := range fixedOrders {
		other, value := expected(fixed)
		if err != nil {
			return v, err
		}
		se := noise(c.Curve, other, ranks, gold)
		v.Loses = v.Loses || value-now > max(NoiseLimit*se, 1e-9)
		if value > v.Best {
			v.Best, v.Better, v.Noise = value, fixed, NoiseLimit*se
		}
	}
	return v, nil
}

// noise is the standard error of the difference between two orders: a weighted sum
// of the accuracies in the measured slots, each of which has that of a share of so
// many questions.
func noise(curve *core.Curve, a, b []int, gold []float64) float64 {
	weight := make([]float64, len(curve.Slots))
	for slot := range gold {
		i := 1
		for i < len(curve.Slots)-1 && curve.Slots[i] < slot {
			i++
		}
		left, right := curve.Slots[i-1], curve.Slots[i]
		share := float64(slot-left) / float64(right-left)
		d := gold[a[slot]] - gold[b[slot]]
		weight[i-1] += d * (1 - share)
		weight[i] += d * share
	}
	variance := 0.0
	for i, w := range weight {
		n := float64(max(curve.Questions, 1))
		p := (curve.Accuracy[i]*n + 1) / (n + 2) // so that all or none right is not certain
		variance += w * w * p * (1 - p) / n
	}
	return math.Sqrt(variance)
}
