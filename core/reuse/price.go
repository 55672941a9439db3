package reuse

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/curve"
)

// price says what a rank is worth in a slot, for n documents: how probable it is that it
// holds the answer, times how well the slot is read.
type price struct {
	gold     []float64 // by rank, in points; they add up to 100
	accuracy []float64 // by slot
}

func newPrice(c *Config, n int) *price {
	p := &price{gold: make([]float64, n), accuracy: make([]float64, n)}
	share, sum := 1.0, 0.0
	for rank := range p.gold {
		p.gold[rank] = share
		sum += share
		share *= c.Decay
	}
	for i := range n {
		p.gold[i] *= 100 / sum
		p.accuracy[i] = accuracy(c.Curve, i, n)
	}
	return p
}

// accuracy is that of a slot of n.
func accuracy(c *core.Curve, slot, n int) float64 {
	switch {
	case c.Shape == core.ShapeFlat:
		return 0 // every slot is alike, and only differences count
	case len(c.Fitted) == len(c.Slots):
		return curve.At(c.Slots, c.Fitted, c.Documents, slot, n)
	}
	return curve.At(c.Slots, c.Accuracy, c.Documents, slot, n)
}

func (p *price) of(rank, slot int) float64 { return p.gold[rank] * p.accuracy[slot] }
