package integration_test

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
)

// reference decides a call again, in the plainest way there is: it loops where
// the library is fast, and shares no code with it.
type reference struct {
	call
	ranked []document    // best first
	reason []core.Reason // by rank; "": admitted
	limit  string        // the limit that the pins alone go over; "": none
}

// expect returns what a call has to do.
func expect(c call) *reference {
	r := &reference{call: c, ranked: make([]document, len(c.docs)), reason: make([]core.Reason, len(c.docs))}
	for i, d := range c.docs {
		r.ranked[r.rankOf(i)] = d
	}
	r.duplicates()
	r.threshold()
	for _, stage := range []func(){r.bytes, r.count, r.budget} {
		if r.limit == "" {
			stage()
		}
	}
	return r
}

// rankOf counts the documents that stand before the i-th.
func (r *reference) rankOf(i int) int {
	rank := 0
	for j := range r.docs {
		if j != i && r.before(j, i) {
			rank++
		}
	}
	return rank
}

func (r *reference) before(i, j int) bool {
	if r.config.Rank == core.ByScore {
		x, y := r.score(r.docs[i]), r.score(r.docs[j])
		switch {
		case known(x) && !known(y):
			return true
		case !known(x) && known(y):
			return false
		case known(x) && x != y:
			return x > y == (r.config.Direction == core.HigherIsBetter)
		}
	}
	return i < j
}

func known(score float64) bool { return !math.IsNaN(score) }

func (r *reference) score(d document) float64 {
	if r.config.ScoreKey != "" {
		return d.known.field
	}
	return d.known.score
}

func (r *reference) isPinned(rank int) bool {
	d := r.ranked[rank]
	return r.config.PinKey != "" && d.known.pinned || d.known.id != "" && slices.Contains(r.config.Pins, d.known.id)
}

// in returns the ranks that are still in, of the pinned or of the others.
func (r *reference) in(pinned bool) []int {
	var ranks []int
	for rank, reason := range r.reason {
		if reason == "" && r.isPinned(rank) == pinned {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// duplicates holds each document against those that stay: pins before others,
// better before worse.
func (r *reference) duplicates() {
	var stay []int
	for _, rank := range append(r.in(true), r.in(false)...) {
		d := r.ranked[rank]
		sameID := slices.ContainsFunc(stay, func(s int) bool {
			return r.config.DropSameID && d.known.id != "" && r.ranked[s].known.id == d.known.id
		})
		sameText := slices.ContainsFunc(stay, func(s int) bool {
			return r.config.DropSameText && d.text != "" && r.ranked[s].text == d.text
		})
		switch {
		case sameID:
			r.reason[rank] = core.SameID
		case sameText:
			r.reason[rank] = core.SameText
		default:
			stay = append(stay, rank)
		}
	}
}

func (r *reference) threshold() {
	if r.config.Threshold == nil {
		return
	}
	for _, rank := range r.in(false) {
		score, limit := r.score(r.ranked[rank]), *r.config.Threshold
		if !known(score) {
			r.reason[rank] = core.NoScore
		} else if score != limit && score < limit == (r.config.Direction == core.HigherIsBetter) {
			r.reason[rank] = core.OverThreshold
		}
	}
}

func (r *reference) bytes() {
	limit := r.config.MaxBytes
	if limit == 0 && r.config.Budget > 0 {
		limit = core.DefaultMaxBytes
	}
	if limit == 0 {
		return
	}
	for _, rank := range r.in(true) {
		if len(r.ranked[rank].text) > limit {
			r.limit = "MaxBytes"
		}
	}
	for _, rank := range r.in(false) {
		if len(r.ranked[rank].text) > limit {
			r.reason[rank] = core.OverMaxBytes
		}
	}
}

func (r *reference) count() {
	limit := r.config.TopK
	if r.atMost > 0 {
		limit = r.atMost
	}
	if limit == 0 {
		return
	}
	pins, others := r.in(true), r.in(false)
	if len(pins) > limit {
		r.limit = "TopK"
		return
	}
	for i, rank := range others {
		if len(pins)+i >= limit {
			r.reason[rank] = core.OverTopK
		}
	}
}

func (r *reference) size(rank int) int {
	text := r.ranked[rank].text
	switch r.config.Unit {
	case core.Runes:
		return utf8.RuneCountInString(text)
	case core.Words:
		return len(strings.Fields(text))
	}
	return r.config.Count(text)
}

func (r *reference) sum(ranks []int) int {
	total := 0
	for _, rank := range ranks {
		total += r.size(rank)
	}
	return total
}

func (r *reference) budget() {
	if r.config.Budget == 0 {
		return
	}
	pins, others := r.in(true), r.in(false)
	room := r.config.Budget - r.sum(pins)
	if room < 0 {
		r.limit = "Budget"
		return
	}
	if len(others) == 0 {
		return
	}
	keepsFirst := r.config.KeepBest && (len(pins) == 0 || others[0] < pins[0])
	var admitted []int
	if r.config.Overflow == core.Skip {
		for i, rank := range others {
			if r.sum(append(slices.Clone(admitted), rank)) <= room || keepsFirst && i == 0 {
				admitted = append(admitted, rank)
			}
		}
	} else {
		for length := range len(others) + 1 {
			if r.sum(others[:length]) <= room || keepsFirst && length == 1 {
				admitted = others[:length]
			}
		}
	}
	for _, rank := range others {
		if !slices.Contains(admitted, rank) {
			r.reason[rank] = core.OverBudget
		}
	}
}

// admitted returns the ranks that enter the prompt, best first.
func (r *reference) admitted() []int {
	ranks := append(r.in(true), r.in(false)...)
	slices.Sort(ranks)
	return ranks
}

// groups returns the admitted ranks by source: groups by their best rank, and
// within a group by position, those without one last.
func (r *reference) groups() [][]int {
	var groups [][]int
	done := map[int]bool{}
	for _, rank := range r.admitted() {
		if done[rank] {
			continue
		}
		var group []int
		source := r.ranked[rank].known.source
		for _, other := range r.admitted() {
			if other == rank || source != "" && r.ranked[other].known.source == source {
				group = append(group, other)
				done[other] = true
			}
		}
		slices.SortStableFunc(group, func(a, b int) int {
			x, y := r.ranked[a].known.position, r.ranked[b].known.position
			switch {
			case x < y || known(x) && !known(y):
				return -1
			case y < x || known(y) && !known(x):
				return 1
			}
			return 0
		})
		groups = append(groups, group)
	}
	return groups
}

// slots returns the rank that has to stand in each slot. What a placement does to
// n ranks is core.Order's answer, which is tested against other software's.
func (r *reference) slots() ([]int, error) {
	p := r.config.Placement.Placement
	if len(r.admitted()) < r.config.MinDocuments && p != core.DocumentOrder {
		p = core.RankOrder
	}
	units := r.groups()
	if !r.config.Groups && p != core.DocumentOrder {
		units = nil
		for _, rank := range r.admitted() {
			units = append(units, []int{rank})
		}
	}
	order, err := core.Order(p, len(units))
	if err != nil {
		return nil, err
	}
	ranks := []int{}
	for _, unit := range order {
		ranks = append(ranks, units[unit]...)
	}
	return ranks, nil
}
