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
	r.pins()
	if r.limit == "" {
		r.alone()
		r.others()
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
	if r.config.Keys.Score != "" {
		return d.known.field
	}
	return d.known.score
}

func (r *reference) isPinned(rank int) bool {
	d := r.ranked[rank]
	return r.config.Keys.Pin != "" && d.known.pinned || d.known.id != "" && slices.Contains(r.config.Pins, d.known.id)
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

// copyOf says why a rank is a duplicate of one of those that stay, "" if it is none.
func (r *reference) copyOf(rank int, stay []int) core.Reason {
	d := r.ranked[rank]
	if slices.ContainsFunc(stay, func(s int) bool {
		return r.config.DropSameID && d.known.id != "" && r.ranked[s].known.id == d.known.id
	}) {
		return core.SameID
	}
	if slices.ContainsFunc(stay, func(s int) bool {
		return r.config.DropSameText && d.text != "" && r.ranked[s].text == d.text
	}) {
		return core.SameText
	}
	return ""
}

// pins enter first, the better one of two copies, and alone have to keep the limits.
func (r *reference) pins() {
	var stay []int
	for _, rank := range r.in(true) {
		if r.reason[rank] = r.copyOf(rank, stay); r.reason[rank] == "" {
			stay = append(stay, rank)
		}
	}
	bytes, budget := r.maxBytes(), r.config.Budget
	switch {
	case bytes > 0 && slices.ContainsFunc(stay, func(rank int) bool { return len(r.ranked[rank].text) > bytes }):
		r.limit = "MaxBytes"
	case r.topK() > 0 && len(stay) > r.topK():
		r.limit = "TopK"
	case budget > 0 && r.sum(stay) > budget:
		r.limit = "Budget"
	}
}

func (r *reference) maxBytes() int {
	if r.config.MaxBytes == 0 && r.config.Budget > 0 {
		return core.DefaultMaxBytes
	}
	return r.config.MaxBytes
}

func (r *reference) topK() int {
	if r.atMost > 0 {
		return r.atMost
	}
	return r.config.TopK
}

// others enter from the best to the worst, each unless a copy of it did, enough did, or it
// does not fit. Copies that do not fit take one place of top-k together.
func (r *reference) others() {
	stay, budget := r.in(true), r.config.Budget
	taken := len(stay)
	candidates := r.in(false)
	first := -1
	for rank := range r.ranked {
		if slices.Contains(stay, rank) || slices.Contains(candidates, rank) {
			first = rank
			break
		}
	}
	var missed []int
	full := false
	for _, rank := range candidates {
		if r.reason[rank] = r.copyOf(rank, stay); r.reason[rank] != "" {
			continue
		}
		again := r.copyOf(rank, missed) != ""
		switch {
		case r.topK() > 0 && taken >= r.topK() && !again:
			r.reason[rank] = core.OverTopK
			continue
		case full:
			r.reason[rank] = core.OverBudget
			continue
		case !again:
			taken++
		}
		if budget > 0 && r.sum(append(slices.Clone(stay), rank)) > budget && !(r.config.KeepBest && rank == first) {
			r.reason[rank] = core.OverBudget
			full = r.config.Overflow != core.Skip
			missed = append(missed, rank)
			continue
		}
		stay = append(stay, rank)
	}
}

// alone holds each of the others against what concerns it alone, best first. KeepBest
// lets the best of what is left over the default byte cap.
func (r *reference) alone() {
	best := -1
	if pins := r.in(true); len(pins) > 0 {
		best = pins[0]
	}
	for _, rank := range r.in(false) {
		first := best < 0 || rank < best
		limit := r.maxBytes()
		if first && r.config.KeepBest && r.config.MaxBytes == 0 {
			limit = 0
		}
		r.reason[rank] = r.refused(rank, limit)
		if r.reason[rank] == "" && first {
			best = rank
		}
	}
}

func (r *reference) refused(rank, maxBytes int) core.Reason {
	if maxBytes > 0 && len(r.ranked[rank].text) > maxBytes {
		return core.OverMaxBytes
	}
	if r.config.Threshold == nil {
		return ""
	}
	score, limit := r.score(r.ranked[rank]), *r.config.Threshold
	if !known(score) {
		return core.NoScore
	}
	if score != limit && score < limit == (r.config.Direction == core.HigherIsBetter) {
		return core.OverThreshold
	}
	return ""
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
