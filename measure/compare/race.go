package compare

import (
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/internal/watch"
)

// race is what is known of each kind of questions, and whom the next question is asked in.
// A comparison that asks and the forecast before it drive the same one.
type race struct {
	rule    evidence.Rule
	stops   bool                 // once a word is known
	earlier []bool               // the challengers that are not asked any more
	parts   []part               // one a kind of questions; none where all arms are identical
	choices watch.Lagged[string] // see choose; empty: all are asked
}

// part is a kind of questions: all of them where there are no kinds.
type part struct {
	// trial counts a call without an answer against the word that it would be counted
	// for: the verdict is by it. known leaves such questions out.
	trial, known *evidence.Trial
	expenses     []expense // of each challenger
	word         evidence.Word
	done         bool     // decided: the first word counts
	counted      []string // the questions that its verdict is about, in order
	dropped      int
}

// newRace returns the race of so many challengers over so many kinds, 1 or more.
func newRace(d Described, challengers, kinds int) (race, error) {
	r := race{rule: d.Rule, stops: d.UntilDecided, earlier: make([]bool, challengers), choices: watch.NewLagged(d.lag(), "")}
	trials, err := evidence.NewTrials(d.Rule, challengers, kinds)
	if err != nil {
		return r, err
	}
	known, err := evidence.NewTrials(d.Rule, challengers, kinds)
	if err != nil {
		return r, err
	}
	for i := range trials {
		r.parts = append(r.parts, part{trial: trials[i], known: known[i], expenses: make([]expense, challengers), word: evidence.Inconclusive})
	}
	return r, nil
}

// late says that a challenger was added to a kind after a look.
func (r *race) late(kind, challenger int) {
	r.parts[kind].trial.Late(challenger)
	r.parts[kind].known.Late(challenger)
}

// cheapest returns the cheapest challenger that is known to be no worse in a kind, -1 for
// none, and those that may still turn out to be no worse and are cheaper, or cheaper than
// the baseline where there is none.
func (r *race) cheapest(p *part, t *evidence.Trial) (arm int, open []int) {
	arm = -1
	if r.rule.NoWorse == 0 {
		return arm, nil
	}
	least := 1 - cheaperBy
	for i, e := range p.expenses {
		if share, _ := e.share(); e.cheaper() && t.NoWorse(i) && (arm < 0 || share < least) {
			arm, least = i, share
		}
	}
	if arm >= 0 {
		least *= 1 - cheaperBy
	}
	for i, e := range p.expenses {
		share, known := e.share()
		if (!known || share < least) && !t.NoWorse(i) && !t.Worse(i) && !r.earlier[i] {
			open = append(open, i)
		}
	}
	return arm, open
}

// look returns the word of a kind. At the end what is still open stands in the way of
// nothing.
func (r *race) look(p *part, t *evidence.Trial, end bool) evidence.Word {
	arm, open := r.cheapest(p, t)
	switch {
	case arm >= 0 && (end || len(open) == 0):
		return evidence.AsGood
	case len(open) > 0 && !end:
		return evidence.Inconclusive
	}
	return t.Look()
}

// decide looks at each kind that is not decided. says tells which words may be said.
func (r *race) decide(says func(evidence.Word) bool) {
	for k := range r.parts {
		if p := &r.parts[k]; !p.done {
			p.word = r.look(p, p.trial, false)
			p.done = r.stops && says(p.word)
		}
	}
}

// decided says that every kind is.
func (r *race) decided() bool {
	return len(r.parts) > 0 && !slices.ContainsFunc(r.parts, func(p part) bool { return !p.done })
}

// kindIsDone stands for every challenger of a kind whose questions are asked no more.
const kindIsDone = '.'

// choose says whom to ask the question that is Lag behind the one that was just counted: a
// sign for each challenger of each kind, - for who is not asked.
func (r *race) choose() {
	if !r.stops {
		return
	}
	var left strings.Builder
	for k := range r.parts {
		p := &r.parts[k]
		_, open := r.cheapest(p, p.trial)
		for i := range p.expenses {
			switch {
			case p.done && len(r.parts) > 1:
				left.WriteByte(kindIsDone)
			case len(open) > 0:
				left.WriteByte("+-"[one(!slices.Contains(open, i))])
			default:
				left.WriteByte("+-"[one(!p.trial.Asks(i))])
			}
		}
	}
	r.choices.Choose(left.String())
}

// asked returns, of a choice, the sign of each challenger of a kind; empty: all are asked.
func (r *race) asked(choice string, kind int) string {
	if choice == "" {
		return ""
	}
	n := len(r.parts[kind].expenses)
	return choice[kind*n : (kind+1)*n]
}
