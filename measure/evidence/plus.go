package evidence

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// plus is the evidence of LogPlus.
type plus struct {
	wins, losses float64 // values of 1 and of -1
	// nodes holds log Π (1 + l·v) for each l of the grid, once there was a value
	// between; nil before.
	nodes []float64
}

// The grid of the integral. Any grid whose weights add up to 1 keeps the bound; this
// one has twelve digits of the integral for some hundreds of values, and three for
// tens of thousands.
const nodes = 128

var nodeShares, nodeLogWeights = func() (shares, logWeights []float64) {
	shares, logWeights = make([]float64, nodes), make([]float64, nodes)
	quad.Legendre{}.FixedLocations(shares, logWeights, 0, 1)
	for i, l := range shares {
		logWeights[i] = math.Log(1.5 * (1 - l*l) * logWeights[i])
	}
	return shares, logWeights
}()

func (p *plus) add(v float64) {
	switch {
	case v == 0:
	case p.nodes == nil && v == 1:
		p.wins++
	case p.nodes == nil && v == -1:
		p.losses++
	default:
		if p.nodes == nil {
			p.nodes = make([]float64, nodes)
			for i, l := range nodeShares {
				p.nodes[i] = nodeLogWeights[i] + p.wins*math.Log1p(l) + p.losses*math.Log1p(-l)
			}
		}
		for i, l := range nodeShares {
			p.nodes[i] += math.Log1p(l * v)
		}
	}
}

func (p *plus) log() float64 {
	if p.nodes == nil {
		return logPlus(p.wins, p.losses)
	}
	most, sum := math.Inf(-1), 0.0
	for _, n := range p.nodes {
		most = max(most, n)
	}
	for _, n := range p.nodes {
		sum += math.Exp(n - most)
	}
	return most + math.Log(sum)
}

// logPlus is the closed form for b wins and c losses. It costs about √(b+c) steps.
func logPlus(b, c float64) float64 {
	if b <= c {
		return logLowerHalf(b, c)
	}
	// Both halves of the Beta together have a closed form; what losses would have
	// for wins is the other half, and the smaller one.
	both := math.Log(12) + (b+c)*math.Ln2 + mathext.Lbeta(2+b, 2+c)
	return both + math.Log1p(-math.Exp(logLowerHalf(c, b)-both))
}

// logLowerHalf is logPlus for b <= c. There I½ is the tail of a binomial
// distribution, which underflows as a number; divided by the Beta function it is a
// sum of falling terms, which does not.
func logLowerHalf(b, c float64) float64 {
	term, sum := 1.0, 1.0
	for s := 1.0; s <= b+1 && term > sum*1e-18; s++ {
		term *= (b + 2 - s) / (c + 2 + s)
		sum += term
	}
	return math.Log(1.5) - math.Log(c+2) + math.Log(sum)
}
