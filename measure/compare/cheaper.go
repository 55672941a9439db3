package compare

import (
	"cmp"
	"slices"

	"github.com/bookend-rag/bookend/measure/model"
)

// cheaperBy is how much less an arm has to cost to be cheaper than another: less is in how
// the same documents are labelled, or in how long the answers happened to be.
const cheaperBy = 0.01

// expense adds up what an arm and the baseline cost over the questions that both answered.
type expense struct{ arm, baseline float64 }

func (e *expense) add(arm, baseline float64) { e.arm, e.baseline = e.arm+arm, e.baseline+baseline }

// share is what the arm costs as a share of the baseline; known is false where nothing says
// so.
func (e expense) share() (share float64, known bool) {
	if e.baseline <= 0 {
		return 1, false
	}
	return e.arm / e.baseline, true
}

func (e expense) cheaper() bool {
	share, known := e.share()
	return known && share < 1-cheaperBy
}

// price is what a call costs without a cache, which serves the arms that are asked later
// better than it would alone: by the prices, or in tokens of prompts where there are none.
func (l *ledger) price(o outcome) float64 {
	usage := model.Usage{Prompt: o.usage.Prompt, Completion: o.usage.Completion}
	if usage.Prompt == 0 {
		usage.Prompt = o.estimated
	}
	if l.described.Prices == (model.Prices{}) {
		return float64(usage.Prompt)
	}
	return l.described.Prices.Cost(usage)
}

// spend adds what the arms cost in a question of a kind.
func (w *watcher) spend(p *part, q Question) {
	l := w.ledger
	baseline := l.of(q, l.arms[0].Name)
	if baseline.state != answered {
		return
	}
	for i, name := range w.challengers {
		if o := l.of(q, name); o.state == answered {
			p.expenses[i].add(l.price(o), l.price(baseline))
		}
	}
}

// cost is what a request costs in an arm, over some questions.
func (w *watcher) cost(arm ArmInfo, ids []string) *Cost {
	l := w.ledger
	if arm.Kind != Baseline && !slices.Contains(w.challengers, arm.Name) {
		return nil
	}
	var prompt, spent, before float64
	n := 0
	all, every := 0.0, 0 // of the baseline
	for _, id := range ids {
		q := l.questions[id]
		baseline, o := l.of(q, l.arms[0].Name), l.of(q, arm.Name)
		if baseline.state != answered {
			continue
		}
		all, every = all+l.price(baseline), every+1
		if o.state == answered {
			n, spent, before = n+1, spent+l.price(o), before+l.price(baseline)
			prompt += float64(cmp.Or(o.usage.Prompt, o.estimated))
		}
	}
	if n == 0 || before <= 0 {
		return nil
	}
	c := &Cost{Prompt: prompt / float64(n), Share: spent / before}
	if l.described.Prices != (model.Prices{}) {
		// An arm that was asked less often was asked other questions: its share counts.
		thousand := 1000 * c.Share * all / float64(every)
		c.Thousand = &thousand
	}
	return c
}
