package vet

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/worth"
)

// Curve is what the warnings about orders are decided by: one measured curve, or the
// published curves of one model at several numbers of documents.
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
		return &Curve{Name: name, File: name, curves: []*core.Curve{c}}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	curve := &Curve{Name: name}
	word := strings.ToLower(strings.TrimSpace(name))
	for _, p := range published.All() {
		if model, _, _ := strings.Cut(p.Name, "/"); p.Name == word || model == word || plainModel(model) == word {
			found, err := simulate.CurveOf(p)
			if err != nil {
				return nil, err
			}
			curve.curves = append(curve.curves, found)
		}
	}
	if len(curve.curves) == 0 {
		_, unknown := published.Lookup(name)
		return nil, errors.Join(err, unknown)
	}
	return curve, nil
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
	decided bool
	loses   bool
	better  string  // the best order, by arithmetic
	now     float64 // expected accuracies, as shares
	best    float64
	loss    float64 // to the better of the orders that need no curve
	se      float64
	ranks   []int // the best order
	stretch string
}

// fixedOrders need no curve, so that none of them was chosen by the curve's noise.
var fixedOrders = []core.StandardPlacement{core.RankOrder, core.HeadTail, core.Reversed}

// judge compares an order with the fixed ones, by the arithmetic of
// worth.Expected. A loss counts if it exceeds NoiseLimit standard errors, with
// the slots of the curve taken as independent samples of its questions. A curve of
// another number of documents was measured at neither: there the order has to lose
// at both numbers.
func (c *Curve) judge(p core.Placement, documents int, decay float64) (verdict, error) {
	curve := c.at(documents)
	v, err := judgeAt(curve, p, documents, decay)
	if err != nil || curve.Questions < 1 {
		return v, err
	}
	v.decided = true
	if documents == curve.Documents {
		return v, nil
	}
	v.stretch = fmt.Sprintf("The curve was measured with %d documents, not %d; the loss was asked for at both.", curve.Documents, documents)
	own, err := judgeAt(curve, p, curve.Documents, decay)
	v.loses = v.loses && own.loses
	return v, err
}

func judgeAt(curve *core.Curve, p core.Placement, documents int, decay float64) (verdict, error) {
	gold, err := dataset.DecayingRanks(documents, decay)
	if err != nil {
		return verdict{}, err
	}
	accuracy, err := worth.AccuracyBySlot(curve, documents)
	if err != nil {
		return verdict{}, err
	}
	now, err := core.Order(p, documents)
	if err != nil {
		return verdict{}, err
	}
	var v verdict
	if v.now, err = worth.Expected(accuracy, now, gold); err != nil {
		return v, err
	}
	v.best, v.better, v.ranks = v.now, "", now
	try := func(name string, other []int) (float64, error) {
		e, err := worth.Expected(accuracy, other, gold)
		if err == nil && e > v.best+1e-12 {
			v.best, v.better, v.ranks = e, name, other
		}
		return e, err
	}
	for _, fixed := range fixedOrders {
		other, err := core.Order(fixed, documents)
		if err != nil {
			return v, err
		}
		e, err := try(fixed.String(), other)
		if err != nil {
			return v, err
		}
		loss := e - v.now
		se := noise(curve, other, now, gold)
		if loss > NoiseLimit*se && loss > 1e-9 {
			v.loses = true
		}
		if loss > v.loss {
			v.loss, v.se = loss, se
		}
	}
	measured, err := core.Order(core.Measured{Curve: curve}, documents)
	if err != nil {
		return v, err
	}
	_, err = try("measured", measured)
	return v, err
}

// noise is the standard error of the difference between two orders: a weighted sum
// of the accuracies in the measured slots, each of which has that of a share of so
// many questions.
func noise(curve *core.Curve, a, b []int, gold []float64) float64 {
	documents := len(gold)
	weight := make([]float64, len(curve.Slots))
	for slot := range documents {
		x := 0.0
		if documents > 1 {
			x = float64(slot) / float64(documents-1) * float64(curve.Documents-1)
		}
		i := 1
		for i < len(curve.Slots)-1 && float64(curve.Slots[i]) < x {
			i++
		}
		left, right := float64(curve.Slots[i-1]), float64(curve.Slots[i])
		share := (x - left) / (right - left)
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
