package evidence

import (
	"errors"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// NewTrials returns a comparison for each of some kinds of questions, all with the same
// challengers, under one error budget: over all looks at all of them, some Reorder names a
// challenger whose true gain in that kind is 0 or less with a probability of at most
// Rule.Alpha, and some Keep comes with the same bound in a kind in which a challenger gains
// Rule.Worthwhile or more. The first word of a kind counts; whoever stops a kind there
// asks its questions no more. Questions of one cluster may stand in several kinds.
//
// The budget is that of closed testing: the evidence of a challenger in a kind is weighed
// with that of all challengers in all kinds, so that a kind that stands out costs little.
// With one kind it is NewTrial. Each number is 1 or more. The trials belong to one
// goroutine together. The error joins a *core.ConfigError for each fault.
func NewTrials(rule Rule, challengers, kinds int) ([]*Trial, error) {
	rule, err := rule.checked()
	if challengers < 1 {
		err = errors.Join(err, &core.ConfigError{Field: "challengers", Value: challengers, Rule: "a comparison needs 1 or more"})
	}
	if kinds < 1 {
		err = errors.Join(err, &core.ConfigError{Field: "kinds", Value: kinds, Rule: "must be 1 or more"})
	}
	if err != nil {
		return nil, err
	}
	b := &budget{trials: make([]*Trial, kinds)}
	for i := range b.trials {
		b.trials[i] = &Trial{rule: rule, limit: -math.Log(rule.Alpha), challengers: make([]challenger, challengers), budget: b}
	}
	b.scratch = make([]float64, 0, kinds*challengers)
	return b.trials, nil
}

// NoWorse says whether a loss of Rule.NoWorse or more is excluded for a challenger, with
// the others accounted for: over all looks it says so of some challenger that loses so much
// with a probability of at most Rule.Alpha. It is false without that rule, and panics for a
// challenger that does not exist, as a slice does.
func (t *Trial) NoWorse(challenger int) bool {
	t.budget.weigh()
	return t.rule.NoWorse > 0 && t.challengers[challenger].noWorse >= t.limit
}

// Worse says whether it is known of a challenger that it loses Rule.NoWorse or more, which
// is wrong with a probability of at most Rule.Alpha for each. It is false without that
// rule, and panics as NoWorse does.
func (t *Trial) Worse(challenger int) bool {
	return t.rule.NoWorse > 0 && t.challengers[challenger].LogBelow(-t.rule.NoWorse) >= t.limit
}

// budget is the error rate that all challengers of some trials share.
type budget struct {
	trials  []*Trial
	added   bool // something, since the evidence was weighed
	moved   bool // and it was not 0, so that e+ changed
	scratch []float64
}

// each returns a value of every challenger, ascending, until it is called again.
func (b *budget) each(value func(c *challenger) float64) []float64 {
	b.scratch = b.scratch[:0]
	for _, t := range b.trials {
		for i := range t.challengers {
			b.scratch = append(b.scratch, value(&t.challengers[i]))
		}
	}
	slices.Sort(b.scratch)
	return b.scratch
}

// downs returns, ascending, the evidence that each kind but one has no worthwhile gain:
// that of the challenger that it is least sure of.
func (b *budget) downs(but *Trial) []float64 {
	b.scratch = b.scratch[:0]
	for _, t := range b.trials {
		if t != but {
			b.scratch = append(b.scratch, t.least)
		}
	}
	slices.Sort(b.scratch)
	return b.scratch
}

// weigh finds what a look needs: e* of each challenger from all e+, and likewise the rest.
// Since accounting for others lowers what a challenger has, and takes time, it is done only
// where it can matter: else star, down and noWorse are what the challenger has alone, which
// is too little to decide anything.
func (b *budget) weigh() {
	if b == nil || !b.added { // nil: that of the zero Trial
		return
	}
	b.added = false
	for _, t := range b.trials {
		if t.added {
			t.added = false
			t.least = t.weighAlone()
		}
	}
	for _, t := range b.trials {
		for i := range t.challengers {
			c := &t.challengers[i]
			if c.down = c.ownDown; c.down >= t.limit {
				c.down = b.downOf(t, c)
			}
			if c.noWorse = c.ownNoWorse; c.noWorse >= t.limit {
				c.noWorse = b.noWorseOf(c)
			}
			if c.star = c.pluses; b.moved && c.pluses > c.best || c.pluses >= t.limit {
				c.star = b.starOf(c)
				c.best = max(c.best, c.star)
			}
		}
	}
	b.moved = false
}

// weighAlone finds what each challenger has alone, and returns the least evidence against a
// worthwhile gain.
func (t *Trial) weighAlone() float64 {
	least := math.Inf(1)
	for i := range t.challengers {
		c := &t.challengers[i]
		c.ownDown = c.LogBelow(t.rule.Worthwhile)
		least = min(least, c.ownDown)
		if t.rule.NoWorse > 0 {
			c.ownNoWorse = c.LogAbove(-t.rule.NoWorse)
			if c.late {
				c.ownNoWorse -= logLate
			}
		}
	}
	return least
}

func (b *budget) starOf(c *challenger) float64 {
	return star(c.pluses, b.each(func(c *challenger) float64 { return c.pluses }))
}

func (b *budget) downOf(t *Trial, c *challenger) float64 {
	if len(b.trials) == 1 {
		return c.ownDown
	}
	return star(c.ownDown, b.downs(t))
}

func (b *budget) noWorseOf(c *challenger) float64 {
	return star(c.ownNoWorse, b.each(func(c *challenger) float64 { return c.ownNoWorse }))
}

// star returns the least mean of an e-value and any number of others, all as logarithms.
// Its own may stand among the others: it lowers nothing.
func star(own float64, ascending []float64) float64 {
	// Adding what is less than the mean lowers it; what is more, and all after it, does
	// not.
	sum, size, least := own, 1.0, own
	for _, other := range ascending {
		if other >= least {
			break
		}
		sum, size = addLogs(sum, other), size+1
		least = sum - math.Log(size)
	}
	return least
}

// addLogs returns log(exp(x) + exp(y)).
func addLogs(x, y float64) float64 {
	return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}
