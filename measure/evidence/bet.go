package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
)

// grid is a stake of 1 spread over constant bets: each part of it, as large as its
// weight, stakes the same share of what it has become on every value. The number of
// parts is a multiple of four.
type grid struct{ shares, logWeights []float64 }

// evenGrid has 40 shares from near 0 to near 1, small ones weighted most, because small
// gains need small bets.
var evenGrid = func() *grid {
	const parts = 40
	g := &grid{make([]float64, parts), make([]float64, parts)}
	sum := 0.0
	for j := range g.shares {
		t := (float64(j) + 0.5) / parts
		g.shares[j] = t
		sum += (1 - t) * (1 - t)
	}
	for j, t := range g.shares {
		g.logWeights[j] = math.Log((1 - t) * (1 - t) / sum)
	}
	return g
}()

// plusGrid stands for the integral of LogPlus. Any grid whose weights add up to 1 keeps
// the bound; this one has twelve digits of the integral for some hundreds of values, and
// three for tens of thousands.
var plusGrid = func() *grid {
	const parts = 128
	g := &grid{make([]float64, parts), make([]float64, parts)}
	quad.Legendre{}.FixedLocations(g.shares, g.logWeights, 0, 1)
	for i, l := range g.shares {
		g.logWeights[i] = math.Log(1.5 * (1 - l*l) * g.logWeights[i])
	}
	return g
}()

// claim says that a mean lies above its limit, or below it. The limit is above -1 and
// below 1.
type claim struct {
	limit float64
	above bool
}

// odds is what a bet on the claim wins for its share of the stake when a value comes
// that lies in a range: the end of it that speaks less for the claim counts. It is -1 or
// more, and 0 on average or less where the claim is false.
func (c claim) odds(r span) float64 {
	if c.above {
		return (r.low - c.limit) / (1 + c.limit)
	}
	return (c.limit - r.high) / (1 - c.limit)
}

// bet is the running evidence for a claim. Its parts may differ by any power of ten, and
// the smallest may still become the largest, so each is kept as a number times a power
// of unit.
type bet struct {
	claim
	grid   *grid
	parts  []float64
	powers []int
	top    int       // the largest power
	scales []float64 // unit^(power-top), and 0 where that is too small to change a digit
	sum    float64   // of all parts, in unit^top
	added  int       // values since the parts were last put in range
	often  int       // after how many they are
}

const (
	unit    = 0x1p512
	logUnit = 512 * math.Ln2
	highest = 0x1p256
	lowest  = 0x1p-256
)

// newBet returns the bet after all values of a history.
func newBet(g *grid, c claim, h *history) *bet {
	n := len(g.shares)
	b := &bet{claim: c, grid: g, parts: make([]float64, n), powers: make([]int, n), scales: make([]float64, n)}
	for j, log := range logParts(g, c, h, b.parts) {
		power := math.Round(log / logUnit)
		b.parts[j], b.powers[j] = math.Exp(log-power*logUnit), int(power)
	}
	b.putInRange()
	// A value multiplies a part by no more than 2^most and no less than 2^-most. In
	// between the parts move so little that each stays a number, and one that changes
	// no digit changes none.
	most := math.Log2(max(2/(1-math.Abs(c.limit)), 1/(1-slices.Max(g.shares))))
	b.often = int(128 / most)
	return b
}

// add counts one value. It is what all looks cost, so four parts are done at once.
func (b *bet) add(r span) {
	odds := b.odds(r)
	parts, shares, scales := b.parts, b.grid.shares, b.scales
	var sum0, sum1, sum2, sum3 float64
	for len(parts) >= 4 && len(shares) >= 4 && len(scales) >= 4 {
		p0, p1 := parts[0]*(1+shares[0]*odds), parts[1]*(1+shares[1]*odds)
		p2, p3 := parts[2]*(1+shares[2]*odds), parts[3]*(1+shares[3]*odds)
		parts[0], parts[1], parts[2], parts[3] = p0, p1, p2, p3
		sum0, sum1 = sum0+p0*scales[0], sum1+p1*scales[1]
		sum2, sum3 = sum2+p2*scales[2], sum3+p3*scales[3]
		parts, shares, scales = parts[4:], shares[4:], scales[4:]
	}
	b.sum = (sum0 + sum1) + (sum2 + sum3)
	if b.added++; b.added == b.often {
		b.putInRange()
	}
}

// putInRange moves parts that have become too large or small to another power.
func (b *bet) putInRange() {
	b.added = 0
	for j, p := range b.parts {
		switch {
		case p >= highest:
			b.parts[j], b.powers[j] = p/unit, b.powers[j]+1
		case p < lowest:
			b.parts[j], b.powers[j] = p*unit, b.powers[j]-1
		}
	}
	b.top = b.powers[0]
	for _, power := range b.powers {
		b.top = max(b.top, power)
	}
	b.sum = 0
	for j, power := range b.powers {
		b.scales[j] = 0
		switch power {
		case b.top:
			b.scales[j] = 1
		case b.top - 1:
			b.scales[j] = 1 / unit
		}
		b.sum += b.parts[j] * b.scales[j]
	}
}

// log is the logarithm of the whole stake.
func (b *bet) log() float64 { return math.Log(b.sum) + float64(b.top)*logUnit }

// logParts writes the logarithm of what each part has become after all values of a
// history.
func logParts(g *grid, c claim, h *history, logs []float64) []float64 {
	copy(logs, g.logWeights)
	for i, r := range h.ranges {
		odds, times := c.odds(r), float64(h.times[i])
		for j, t := range g.shares {
			logs[j] += times * math.Log1p(t*odds)
		}
	}
	return logs
}

// logOf is what a new bet's log would be.
func logOf(g *grid, c claim, h *history, scratch []float64) float64 {
	logs := logParts(g, c, h, scratch)
	most, sum := math.Inf(-1), 0.0
	for _, l := range logs {
		most = max(most, l)
	}
	for _, l := range logs {
		sum += math.Exp(l - most)
	}
	return most + math.Log(sum)
}
