package evidence

import (
	"fmt"
	"math"
	"slices"

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
// The zero value has no value. A Mean is for one goroutine at a time.
type Mean struct {
	lows, highs  history
	known        int // values that are not a range
	sum, squares float64
	bets         []*bet
	plus         plus
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
	l, h := m.lows.add(low), m.highs.add(high)
	if low == high {
		m.known++
		m.sum += low
		m.squares += low * low
	}
	for _, b := range m.bets {
		if b.above {
			b.add(l, low)
		} else {
			b.add(h, high)
		}
	}
	m.plus.add(low)
	return nil
}

// Len returns how many values were added, those included that are not known.
func (m *Mean) Len() int { return m.lows.n }

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
// differ; from then on it is kept up to date by Add.
func (m *Mean) LogAbove(limit float64) float64 { return m.bet(limit, true).log() }

// LogBelow returns the natural logarithm of the e-value against "the mean is limit or
// more": the mirror image of LogAbove.
func (m *Mean) LogBelow(limit float64) float64 { return m.bet(limit, false).log() }

// AboveReaches says whether LogAbove is at least log, which is cheaper to tell where it
// is far from it.
func (m *Mean) AboveReaches(limit, log float64) bool { return m.bet(limit, true).reaches(log) }

// BelowReaches says whether LogBelow is at least log, which is cheaper to tell where it
// is far from it.
func (m *Mean) BelowReaches(limit, log float64) bool { return m.bet(limit, false).reaches(log) }

func (m *Mean) bet(limit float64, above bool) *bet {
	for _, b := range m.bets {
		if b.limit == limit && b.above == above {
			return b
		}
	}
	b := m.history(above).bet(limit, above)
	m.bets = append(m.bets, b)
	return b
}

func (m *Mean) history(above bool) *history {
	if above {
		return &m.lows
	}
	return &m.highs
}

// LogPlus returns the natural logarithm of the e-value against "the mean is 0 or
// less" that finds a gain soonest: ∫ 1.5 (1-l²) Π (1 + l·v) dl, for l from 0 to 1.
// Where all values are -1, 0 and 1, with b of 1 and c of -1, it is a likelihood ratio:
// the probability that a value other than 0 is 1, spread over one half to 1 as the
// upper half of Beta(2, 2), against one half:
//
//	2·B(2+b, 2+c) / B(2, 2) · 2^(b+c) · I½(2+c, 2+b)
//
// It is 0 without a value, and finite.
func (m *Mean) LogPlus() float64 { return m.plus.log() }

// Interval returns the confidence sequence: the limits that neither LogAbove nor
// LogBelow excludes at 2/alpha. Taken after every value, all of the intervals together
// hold the true mean with a probability of at least 1 - alpha. It lies within -1 to 1,
// always holds Value, and is everything without a value. The limits are found by
// bisection and rounded outwards. It costs some hundred microseconds for each hundred
// values that differ. alpha is above 0 and below 1, such as 0.05; the error is a
// *core.ConfigError.
func (m *Mean) Interval(alpha float64) (stats.Interval, error) {
	if err := checkAlpha("alpha", alpha); err != nil {
		return stats.Interval{}, err
	}
	return m.interval(alpha), nil
}

func (m *Mean) interval(alpha float64) stats.Interval {
	log := math.Log(2 / alpha)
	low := lowest(func(limit float64) bool { return m.lows.bet(limit, true).reaches(log) })
	high := -lowest(func(limit float64) bool { return m.highs.bet(-limit, false).reaches(log) })
	return stats.Interval{Low: low, High: high}
}

// lowest returns the greatest limit found at which all below it is excluded, or -1.
func lowest(excluded func(limit float64) bool) float64 {
	low, high := -1.0, 1.0
	for range 48 { // so often that the middle is never -1 or 1 itself
		if middle := (low + high) / 2; excluded(middle) {
			low = middle
		} else {
			high = middle
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

// history counts how often each value came, in the order of first sight.
type history struct {
	n      int
	values []float64
	times  []int
	index  map[float64]int
}

// add counts one value and returns its index.
func (h *history) add(v float64) int {
	v += 0 // no negative zero
	h.n++
	i := slices.Index(h.values[:min(few, len(h.values))], v) // mostly there are only a few
	if i < 0 {
		known := false
		if i, known = h.index[v]; !known {
			i = h.first(v)
		}
	}
	h.times[i]++
	return i
}

const few = 16

// first makes room for a new value.
func (h *history) first(v float64) int {
	i := len(h.values)
	if i >= few {
		if h.index == nil {
			h.index = map[float64]int{}
		}
		h.index[v] = i
	}
	h.values, h.times = append(h.values, v), append(h.times, 0)
	return i
}

// bet returns the bet after all values.
func (h *history) bet(limit float64, above bool) *bet {
	b := newBet(limit, above)
	for i, v := range h.values {
		b.addTimes(v, float64(h.times[i]))
	}
	return b
}
