package evidence

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
)

// Trial is a running comparison of challengers with one baseline. It may be looked
// at after every question: over all looks, Reorder names a challenger whose true
// gain is 0 or less with a probability of at most Rule.Alpha, and Keep comes with
// the same bound while some challenger gains Rule.Worthwhile or more. Questions have
// to be independent of each other, and to come in an order that has nothing to do with
// their answers.
//
// The caller asks until Look returns another word than Inconclusive, or until it
// will pay for no more. A word is that of the present values: whoever asks on after
// it may see it change, and the first one is the one that counts. Whom to ask next may
// depend on all that was seen: each challenger keeps evidence of its own, so that one
// that is excluded need not be asked any more.
//
// The rule: let e+ be the e-value of Mean.LogPlus, and Dn that of Mean.LogBelow at
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
	challengers []challenger
	budget      *budget
	added       bool    // something, since the evidence was weighed
	least       float64 // the evidence against a worthwhile gain of the one that it is least sure of
}

type challenger struct {
	Mean
	late   bool    // added after a look
	pluses float64 // log e+, less logLate where it is late
	best   float64 // the largest log e* of all looks, at least 0
	// What it has alone against a worthwhile gain, and against a loss of the margin.
	ownDown, ownNoWorse float64
	// As far as weigh went: log e*, the evidence against a worthwhile gain, with other kinds
	// accounted for, and that against a loss of the margin, with the others accounted for.
	star, down, noWorse float64
}

// NewTrial returns a comparison with so many challengers, 1 or more, and no
// question yet. The error joins a *core.ConfigError for each fault.
func NewTrial(rule Rule, challengers int) (*Trial, error) {
	trials, err := NewTrials(rule, challengers, 1)
	if err != nil {
		return nil, err
	}
	return trials[0], nil
}

// Add counts what one question, or one cluster of questions, says of a challenger: its
// score minus that of the baseline, from -1 to 1, or the range that it lies in where a
// score is not known. low and high are alike for a difference that is known. The error,
// a *core.ConfigError, says that there is no such challenger or difference; then
// nothing is counted. It costs less than a microsecond for some ten thousand questions.
func (t *Trial) Add(challenger int, low, high float64) error {
	if challenger < 0 || challenger >= len(t.challengers) {
		return &core.ConfigError{
			Field: "challenger", Value: challenger,
			Rule: fmt.Sprintf("this comparison has %d challengers, from 0", len(t.challengers)),
		}
	}
	c := &t.challengers[challenger]
	if err := c.Mean.Add(low, high); err != nil {
		return err
	}
	t.added, t.budget.added = true, true
	if low != 0 {
		c.pluses = c.LogPlus()
		if c.late {
			c.pluses -= logLate
		}
		t.budget.moved = true
	}
	return nil
}

// logLate is what the evidence of a challenger loses that is late.
var logLate = math.Log(4)

// Late says that a challenger was added after a look at the others, before anything is
// counted of it. Its e+, and its evidence to be no worse, then count a quarter, since
// whoever adds challengers until one wins has as many chances to be wrong.
//
// What is proved: with m challengers from the start and l late ones that gain nothing,
// Reorder names one of them, at any look before or after any of the additions, with a
// probability of at most Alpha times 1 + (1/(m+1) + … + 1/(m+l))/4, or Alpha times
// (1 + 1/2 + … + 1/l)/4 where m is 0, which is at most Alpha up to 30. For Keep, Alpha
// holds as it is. The reason: whichever challengers are there, e* of one that gains nothing is
// at most the mean e-value of all those there that gain nothing. Each addition puts a quarter of one e-value more
// into that mean and a larger number under it, so that all of these means lie below
//
//	(e_1 + … + e_m)/m + e_(m+1)/(4(m+1)) + … + e_(m+l)/(4(m+l))
//
// That is a test martingale, of which Ville's inequality holds, in the filtration of all
// answers to the questions so far, asked or not: whom to ask, and when a challenger is
// added, depend on earlier questions alone. So the proof wants that what is added, and in
// which order, does not depend on the answers to the questions that it is then judged by:
// a placement that is made to fit them wins by more than chance. By simulation even ten
// that are added one after the other stay below Alpha (CALIBRATION.md), where the proof
// gives 1.5 times Alpha.
//
// It panics for a challenger that does not exist, as a slice does.
func (t *Trial) Late(challenger int) {
	c := &t.challengers[challenger]
	c.late, c.pluses = true, c.LogPlus()-logLate
	t.added, t.budget.added, t.budget.moved = true, true, true
}

// Look returns the word of all that was added. It allocates nothing, and costs less
// than a microsecond a challenger.
func (t *Trial) Look() Word {
	t.budget.weigh()
	word, _ := t.word()
	return word
}

// Excluded says whether a gain of Rule.Worthwhile is excluded for a challenger, so that
// it need not be asked any more. It panics for a challenger that does not exist, as a
// slice does.
func (t *Trial) Excluded(challenger int) bool {
	t.budget.weigh()
	return t.challengers[challenger].down >= t.limit
}

// word returns the word and the index of the winner, or -1.
func (t *Trial) word() (Word, int) {
	winner, excluded := -1, 0
	for i := range t.challengers {
		c := &t.challengers[i]
		switch {
		case t.Excluded(i):
			excluded++
		case c.star >= t.limit && (winner < 0 || c.Value() > t.challengers[winner].Value()):
			winner = i
		}
	}
	switch {
	case winner >= 0:
		return Reorder, winner
	case excluded > 0 && excluded == len(t.challengers):
		return Keep, -1
	}
	return Inconclusive, -1
}
