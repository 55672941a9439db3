package compare

import (
	"fmt"
	"math"
	"strconv"
)

// ranges are the strata by the rank of the answer.
var ranges = []struct{ from, to int }{{0, 0}, {1, 1}, {2, 4}, {5, 9}, {10, 19}, {20, math.MaxInt}, {-1, -1}}

func stratumName(from, to int) string {
	switch {
	case from < 0:
		return "answer in no document"
	case from == to:
		return "answer at rank " + strconv.Itoa(from+1)
	}
	return fmt.Sprintf("answer at rank %d to %d", from+1, to+1)
}

func (w *watcher) strata(r *Result) {
	l := w.ledger
	for _, within := range ranges {
		s := Stratum{From: within.from, To: within.to, Arms: make([]Tally, len(l.arms))}
		n := make([]int, len(l.arms)) // fewer where a control has no answer
		deepest := within.from
		for _, id := range w.counted {
			q := l.questions[id]
			if q.Gold < within.from || q.Gold > within.to {
				continue
			}
			s.Questions++
			deepest = max(deepest, q.Gold)
			for i, arm := range l.arms {
				if o := l.of(q, arm.Name); l.shown(o) {
					n[i]++
					s.Arms[i].add(l, o)
				}
			}
		}
		if s.Questions == 0 {
			continue
		}
		s.To = min(s.To, deepest)
		for i := range s.Arms {
			w.finish(&s.Arms[i], n[i])
		}
		s.Name = stratumName(s.From, s.To)
		r.Strata = append(r.Strata, s)
	}
}
