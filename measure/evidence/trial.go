package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Trial is a running comparison of challengers with one baseline. It may be looked
// at after every question: over all looks, Reorder names a challenger whose true
// gain is 0 or less with a probability of at most Rule.Alpha, and Keep comes with
// the same bound while some challenger gains Rule.Worthwhile or more. Questions have
// to come in an order that has nothing to do with their answers.
//
// The caller asks until Add returns another word than Inconclusive, or until it
// will pay for no more. A word is that of the present counts: who asks on after it
// may see it change, and the first one is the one that counts.
//
// The rule: let e+ be the e-value of LogEPlus, and Dn that of LogDown at
// Rule.Worthwhile. e* of a challenger is e+ with the others accounted for: the least
// mean of its own and any number of theirs, which keeps the bound for all
// challengers together (closed testing, Vovk and Wang 2021).
//
//	Reorder       some challengers have e* >= 1/alpha and Dn < 1/alpha;
//	              the one with the largest estimate is the winner
//	Keep          all challengers have Dn >= 1/alpha
//	Inconclusive  else
//
// A Trial is for one goroutine at a time.
type Trial struct {
	rule        Rule
	limit       float64 // log(1/alpha)
	worthwhile  wager
	questions   int
	challengers []challenger
	ascending   []int // challengers by e+
}

type challenger struct {
	stats.Counts
	plus float64 // log e+
	star float64 // log e*
	best float64 // the largest star of all looks, at least 0
}

// NewTrial returns a comparison with so many challengers, 1 or more, and no
// question yet. The error joins a *core.ConfigError for each fault.
func NewTrial(rule Rule, challengers int) (*Trial, error) {
	rule, err := rule.checked()
	if challengers < 1 {
		err = errors.Join(err, &core.ConfigError{Field: "challengers", Value: challengers, Rule: "a comparison needs 1 or more"})
	}
	if err != nil {
		return nil, err
	}
	t := &Trial{
		rule: rule, limit: -math.Log(rule.Alpha),
		challengers: make([]challenger, challengers), ascending: make([]int, challengers),
	}
	t.worthwhile.against(rule.Worthwhile)
	for i := range t.ascending {
		t.ascending[i] = i
	}
	return t, nil
}

// Add counts one question: whether the baseline was right, and whether each
// challenger was, in their order. It returns the word of all questions so far. When
// the number of challengers is another one, the error is a *core.ConfigError and
// nothing is counted. It costs less than a microsecond a challenger in the first
// thousands of questions, later as much as LogEPlus, and allocates nothing.
func (t *Trial) Add(baseline bool, challengers []bool) (Word, error) {
	if len(challengers) != len(t.challengers) {
		return Inconclusive, &core.ConfigError{
			Field: "challengers", Value: fmt.Sprintf("%d answers", len(challengers)),
			Rule: fmt.Sprintf("this comparison has %d challengers, and each question needs an answer of each: score a missing one as wrong, or leave the question out", len(t.challengers)),
		}
	}
	t.questions++
	moved := false
	for i, right := range challengers {
		c := &t.challengers[i]
		c.Counts.Add(baseline, right)
		if right != baseline {
			c.plus = LogEPlus(c.Wins, c.Losses)
			moved = true
		}
	}
	if moved {
		t.weigh()
	}
	word, _ := t.word()
	return word, nil
}

// weigh finds e* of each challenger from all e+.
func (t *Trial) weigh() {
	slices.SortFunc(t.ascending, func(i, j int) int { return cmp.Compare(t.challengers[i].plus, t.challengers[j].plus) })
	for i := range t.challengers {
		c := &t.challengers[i]
		// Adding what is less than the mean lowers it; what is more, and all after
		// it, does not.
		sum, size := c.plus, 1.0
		c.star = c.plus
		for _, j := range t.ascending {
			if j == i {
				continue
			}
			other := t.challengers[j].plus
			if other >= c.star {
				break
			}
			sum, size = addLogs(sum, other), size+1
			c.star = sum - math.Log(size)
		}
		c.best = max(c.best, c.star)
	}
}

// addLogs returns log(exp(x) + exp(y)).
func addLogs(x, y float64) float64 {
	return max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

// word returns the word and the index of the winner, or -1.
func (t *Trial) word() (Word, int) {
	winner, excluded := -1, 0
	for i := range t.challengers {
		c := &t.challengers[i]
		switch {
		case t.worthwhile.reaches(c.Counts, t.limit):
			excluded++
		case c.star >= t.limit && (winner < 0 || c.Difference() > t.challengers[winner].Difference()):
			winner = i
		}
	}
	switch {
	case winner >= 0:
		return Reorder, winner
	case excluded == len(t.challengers):
		return Keep, -1
	}
	return Inconclusive, -1
}
