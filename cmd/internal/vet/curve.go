package vet

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep"
)

// Curve is what the warnings about orders are decided by: one measured curve, or the
// published curves of one model at several numbers of documents, of maxCount at most.
type Curve struct {
	Name   string // as it was asked for
	File   string // "" for a published one
	curves []*core.Curve
}

// LoadCurve reads a curve file, or finds the published curves of a model by name,
// such as "gpt-3.5-turbo" or "gpt-3.5-turbo/20". A published name wins over a file
// only if there is no such file.
func LoadCurve(name string) (*Curve, error) {
	c, err := core.LoadCurve(name)
	if err == nil {
		if c.Documents > maxCount {
			return nil, &core.CurveError{Path: name, Rule: fmt.Sprintf("was measured with %d documents: vet reckons with %d at most", c.Documents, maxCount)}
		}
		return &Curve{Name: name, File: name, curves: []*core.Curve{c}}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	published := &Curve{Name: name}
	word := strings.ToLower(strings.TrimSpace(name))
	for _, p := range sweep.Published() {
		if model, _, _ := strings.Cut(p.Name, "/"); p.Name == word || model == word || plainModel(model) == word {
			curve, err := p.Curve()
			if err != nil {
				return nil, err
			}
			published.curves = append(published.curves, curve)
		}
	}
	if len(published.curves) == 0 {
		_, unknown := sweep.LookupPublished(name)
		return nil, errors.Join(err, unknown)
	}
	return published, nil
}

// plainModel takes off what the table of curves adds to a model's name.
func plainModel(model string) string { return strings.TrimSuffix(model, "-repo") }

// at returns the curve for a number of documents: the one that was measured there,
// or else the nearest, the larger of two.
func (c *Curve) at(documents int) *core.Curve {
	best := c.curves[0]
	for _, curve := range c.curves {
		near, far := abs(curve.Documents-documents), abs(best.Documents-documents)
		if near < far || near == far && curve.Documents > best.Documents {
			best = curve
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// String says what was measured.
func (c *Curve) String() string {
	sizes := make([]string, len(c.curves))
	for i, curve := range c.curves {
		sizes[i] = fmt.Sprint(curve.Documents)
	}
	curve := c.curves[0]
	questions := fmt.Sprintf("%d questions", curve.Questions)
	if curve.Questions == 0 {
		questions = "an unknown number of questions"
	}
	return fmt.Sprintf("%s, %s documents, %s", curve.Model, strings.Join(sizes, " or "), questions)
}

// NoiseLimit is how many standard errors a loss must exceed: an order is compared
// with two others, each at 2.5 %, two-sided.
const NoiseLimit = 2.24

// verdict is what a curve says of an order.
type verdict struct {
	curve     *core.Curve
	decided   bool
	fine      bool       // the order is right by the shape of the curve
	loses     bool       // to better, beyond noise
	better    core.Named // the best of the fixed orders
	now, best float64    // expected accuracies, as shares
	se        float64    // the standard error of their difference
}

// fixedOrders need no curve, so that none of them was chosen by the curve's noise.
var fixedOrders = []core.Named{core.RankOrder, core.HeadTail, core.Reversed}

// judge compares an order with the fixed ones, with as many documents as the curve was
// measured with. A flat curve finds every order right, and one that falls from the
// start the ranked order. Else the expected accuracies are compared: a loss counts if
// it exceeds NoiseLimit standard errors, with the slots of the curve taken as
// independent samples of its questions. A curve of use says nothing of answers and
// decides nothing.
func judge(curve *core.Curve, p core.Placement, decay float64) (verdict, error) {
	v := verdict{curve: curve, decided: curve.Questions > 0 && curve.Kind != core.CurveOfUse}
	if v.fine = curve.Shape == core.ShapeFlat || curve.Shape == core.ShapePrimacy && p == core.RankOrder; v.fine {
		return v, nil
	}
	gold, err := sweep.DecayingRanks(curve.Documents, decay)
	if err != nil {
		return v, err
	}
	accuracy, err := sweep.AccuracyBySlot(curve, curve.Documents)
	if err != nil {
		return v, err
	}
	expected := func(p core.Placement) ([]int, float64) {
		ranks, orderErr := core.Order(p, curve.Documents)
		value, valueErr := sweep.Expected(accuracy, ranks, gold)
		err = errors.Join(err, orderErr, valueErr)
		return ranks, value
	}
	ranks, now := expected(p)
	v.now, v.best = now, now
	for _, fixed := range fixedOrders {
		other, value := expected(fixed)
		if err != nil {
			return v, err
		}
		se := noise(curve, other, ranks, gold)
		v.loses = v.loses || value-now > max(NoiseLimit*se, 1e-9)
		if value > v.best {
			v.best, v.better, v.se = value, fixed, se
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
