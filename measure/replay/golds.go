package replay

// enoughGold is how many requests must tell where the answer stood before they are
// believed.
const enoughGold = 30

// golds says how probable it is that a rank has the answer.
type golds struct {
	share []float64 // by rank
	seen  int       // requests that tell it; 0: share is assumed, and adds up to 1
}

// golds counts how often each rank had the answer, or was cited. Where too few requests
// tell, each rank has it decay times as often as the one before.
func (t Traffic) golds(decay float64) golds {
	most, seen := 0, 0
	for _, r := range t.Requests {
		most = max(most, len(r.Documents))
		if known := r.Gold != nil && !(t.Recorded && len(r.Gold) == 0); known {
			seen++
		}
	}
	g := golds{share: make([]float64, most)}
	if seen < enoughGold {
		weight := 1.0
		for rank := range g.share {
			g.share[rank] = weight
			weight *= decay
		}
		return g
	}
	g.seen = seen
	for _, r := range t.Requests {
		for _, rank := range r.Gold {
			g.share[rank] += 1 / float64(len(r.Gold)*seen)
		}
	}
	return g
}

// accuracy returns what an order of n documents should get right by a curve: order
// holds the rank in each slot.
func (g golds) accuracy(curve []float64, order []int, n int) float64 {
	whole := 1.0
	if g.seen == 0 {
		whole = 0
		for _, p := range g.share[:n] {
			whole += p
		}
	}
	expected := 0.0
	for slot, rank := range order {
		expected += g.share[rank] / whole * curve[slot]
	}
	return expected
}
