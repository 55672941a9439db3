package evidence

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Mean is the evidence about a mean of values from -1 to 1, such as the differences
// between two ways to ask the same question: 1 where the one is right and the other
// wrong, -1 the other way round, 0 where both are alike, anything between for scores
// that give parts of a point. All that it says holds however often one looks, as long
// as the values are independent of each other and what gives them does not change.
//
// A value that is not known, because a call failed, counts as the whole range that it
// may lie in: LogAbove and LogPlus take its lower end, LogBelow its upper one. So
// values that are missing never speak for anything, whatever made them miss.
//
// The zero value has no value. It keeps each value that differs from the others once. A
// Mean is for one goroutine at a time.
type Mean struct {
	history      history
	known        int // values that are not a range
	sum, squares float64
	wins, losses float64 // values whose lower end is 1 and -1
	between      bool    // some have another one than 1, 0 and -1
	bets         []*bet
}

// Add counts one value, or a range that it lies in: low and high are alike for a value
// that is known. The error is a *core.ConfigError unless -1 <= low <= high <= 1; then
// nothing is counted. It costs well under a microsecond.
func (m *Mean) Add(low, high float64) error {
	if !(-1 <= low && low <= high && high <= 1) {
		return &core.ConfigError{
			Field: "value", Value: fmt.Sprintf("%v to %v", low, high),
			Rule: "a difference lies from -1 to 1, and the lower end comes first",
		}
	}
	r := span{low, high}
	m.history.add(r)
	if low == high {
		m.known++
		m.sum += low
		m.squares += low * low
	}
	switch low {
	case 0:
	case 1:
		m.wins++
	case -1:
		m.losses++
	default:
		m.between = true
	}
	for _, b := range m.bets {
		b.add(r)
	}
	return nil
}

// Len returns how many values were added, those included that are not known.
func (m *Mean) Len() int { return m.history.n }

// Value returns the mean of the values that are known; 0 where there are none.
func (m *Mean) Value() float64 { return m.sum / float64(max(m.known, 1)) }

// Square returns the mean of the squares of the values that are known: the discordance,
// where all of them are -1, 0 and 1.
func (m *Mean) Square() float64 { return m.squares / float64(max(m.known, 1)) }

// LogAbove returns the natural logarithm of the e-value against "the mean is limit or
// less": what a stake of 1 becomes when a grid of 40 constant bets says that it is
// more (Waudby-Smith and Ramdas 2024).
//
//	Σ w_j Π (1 + t_j (v - limit)/(1 + limit)), t_j = (j+.5)/40, w_j ∝ (1-t_j)²
//
// It is 0 without a value, finite for any number of them, and -Inf for a limit that is
// not above -1 and below 1. The first call with a limit goes through all values that
// differ; from then on it is kept up to date by Add, for the first eight limits.
func (m *Mean) LogAbove(limit float64) float64 { return m.log(evenGrid, claim{limit, true}) }

// LogBelow returns the natural logarithm of the e-value against "the mean is limit or
// more": the mirror image of LogAbove.
func (m *Mean) LogBelow(limit float64) float64 { return m.log(evenGrid, claim{limit, false}) }

// LogPlus returns the natural logarithm of the e-value against "the mean is 0 or
// less" that finds a gain soonest: ∫ 1.5 (1-l²) Π (1 + l·v) dl, for l from 0 to 1.
// Where all values are -1, 0 and 1, with b of 1 and c of -1, it is a likelihood ratio:
// the probability that a value other than 0 is 1, spread over one half to 1 as the
// upper half of Beta(2, 2), against one half:
//
//	2·B(2+b, 2+c) / B(2, 2) · 2^(b+c) · I½(2+c, 2+b)
//
// It is 0 without a value, and finite.
func (m *Mean) LogPlus() float64 {
	if m.between {
		return m.log(plusGrid, claim{0, true})
	}
	return logPlus(m.wins, m.losses)
}

// maxBets bounds what Add keeps up to date.
const maxBets = 8

func (m *Mean) log(g *grid, c claim) float64 {
	if !(c.limit > -1 && c.limit < 1) { // nothing can be won
		return math.Inf(-1)
	}
	for _, b := range m.bets {
		if b.claim == c && b.grid == g {
			return b.log()
		}
	}
	if len(m.bets) == maxBets {
		return logOf(g, c, &m.history, make([]float64, len(g.shares)))
	}
	b := newBet(g, c, &m.history)
	m.bets = append(m.bets, b)
	return b.log()
}

// Interval returns the confidence sequence: the limits that neither LogAbove nor
// LogBelow excludes at 2/alpha. Taken after every value, all of the intervals together
// hold the true mean with a probability of at least 1 - alpha. It lies within -1 to 1,
// is everything without a value, and holds Value where all values are known. The limits
// are rounded outwards. It costs some 10 microseconds for each value that differs. alpha is above 0 and below 1, such as 0.05; the error is a
// *core.ConfigError.
func (m *Mean) Interval(alpha float64) (stats.Interval, error) {
	if err := checkAlpha("alpha", alpha); err != nil {
		return stats.Interval{}, err
	}
	return m.interval(alpha), nil
}

func (m *Mean) interval(alpha float64) stats.Interval {
	limit, scratch := math.Log(2/alpha), make([]float64, len(evenGrid.shares))
	return stats.Interval{
		Low: excludedTo(func(v float64) float64 {
			return logOf(evenGrid, claim{v, true}, &m.history, scratch) - limit
		}),
		High: -excludedTo(func(v float64) float64 {
			return logOf(evenGrid, claim{-v, false}, &m.history, scratch) - limit
		}),
	}
}

// excludedTo returns up to where values are excluded, from -1 on: where over, which falls,
// is 0 or more. It is found to 1e-10, by false position (the Illinois rule), and is itself
// excluded, or -1 where nothing is.
func excludedTo(over func(v float64) float64) float64 {
	const close = 1e-10
	low, high := -1+close, 1-close
	atLow, atHigh := over(low), over(high)
	if atLow < 0 {
		return -1
	}
	side := 0 // the end that stayed: its value is halved, so that it moves, too
	for high-low > close {
		v := low + (high-low)*atLow/(atLow-atHigh)
		if high-low > 0.1 || !(low < v && v < high) {
			v = (low + high) / 2
		}
		switch at := over(v); {
		case at >= 0:
			if low, atLow = v, at; side > 0 {
				atHigh /= 2
			}
			side = 1
		default:
			if high, atHigh = v, at; side < 0 {
				atLow /= 2
			}
			side = -1
		}
	}
	return low
}

func checkAlpha(field string, v float64) error {
	if v > 0 && v < 1 {
		return nil
	}
	return &core.ConfigError{Field: field, Value: v, Rule: "must be above 0 and below 1, such as 0.05"}
}
