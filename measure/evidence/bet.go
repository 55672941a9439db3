package evidence

import (
	"math"
	"slices"
)

// The grid of bets: shares of the stake, from near 0 to near 1, small ones weighted
// most, because small gains need small bets.
const bets = 40

var (
	betShares     [bets]float64
	betLogWeights [bets]float64
)

func init() {
	sum := 0.0
	for j := range betShares {
		t := (float64(j) + 0.5) / bets
		betShares[j] = t
		sum += (1 - t) * (1 - t)
	}
	for j, t := range betShares {
		betLogWeights[j] = math.Log((1 - t) * (1 - t) / sum)
	}
}

// bet is a stake of 1, spread over the grid, that says that the mean lies above its
// limit, or below it.
type bet struct {
	limit   float64
	above   bool
	parts   [bets]float64   // what each has become, as logarithms
	most    float64         // the largest of them
	factors [][bets]float64 // by what the first values of a history multiply each part, as logarithms
}

// maxFactors bounds what is kept of factors: scores that give parts of a point have
// any number of values.
const maxFactors = 64

func newBet(limit float64, above bool) *bet {
	b := &bet{limit: limit, above: above, parts: betLogWeights}
	if !(limit > -1 && limit < 1) { // nothing can be won
		for j := range b.parts {
			b.parts[j] = math.Inf(-1)
		}
	}
	b.most = slices.Max(b.parts[:])
	return b
}

// odds is what a part wins for its share of the stake when v comes.
func (b *bet) odds(v float64) float64 {
	if b.above {
		return (v - b.limit) / (1 + b.limit)
	}
	return (b.limit - v) / (1 - b.limit)
}

// add counts a value that has that index in the history.
func (b *bet) add(index int, v float64) {
	if index >= maxFactors {
		b.addTimes(v, 1)
		return
	}
	for index >= len(b.factors) {
		b.factors = append(b.factors, [bets]float64{math.NaN()})
	}
	f := &b.factors[index]
	if math.IsNaN(f[0]) {
		odds := b.odds(v)
		for j, t := range betShares {
			f[j] = math.Log1p(t * odds)
		}
	}
	most := math.Inf(-1)
	for j := range b.parts {
		part := b.parts[j] + f[j]
		b.parts[j] = part
		if part > most {
			most = part
		}
	}
	b.most = most
}

// addTimes counts a value that came so often.
func (b *bet) addTimes(v, times float64) {
	odds := b.odds(v)
	for j, t := range betShares {
		b.parts[j] += times * math.Log1p(t*odds)
	}
	b.most = slices.Max(b.parts[:])
}

// log is the logarithm of the whole stake.
func (b *bet) log() float64 {
	if math.IsInf(b.most, -1) {
		return b.most
	}
	sum := 0.0
	for _, p := range b.parts {
		if p > b.most-40 { // what is less changes no digit
			sum += math.Exp(p - b.most)
		}
	}
	return b.most + math.Log(sum)
}

// reaches says whether log is at least limit. Far below it is cheaper to tell: the
// whole is at most as many times the largest part as there are parts.
func (b *bet) reaches(limit float64) bool {
	return b.most >= limit-math.Log(bets) && b.log() >= limit
}
