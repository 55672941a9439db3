package prompt

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
)

// bytesPerUnit bounds how much text may be counted for a budget: no text that a person
// reads has more bytes a token, and what has more only costs time.
const bytesPerUnit = 16

// sizes says how long what may be left out of a prompt is, in bytes.
type sizes struct {
	maxBytes int
	docs     []int // of the unpinned candidates, best first
	turns    []int // of the turns that may stay, newest first
	starts   []int // where each turn of the history starts
	total    int   // of all these, the question and the pinned documents
	tooMany  bool  // there is more, which is left out before anything is counted
}

// frameBytes stands for what is written around a document or a turn.
const frameBytes = 16

// choose returns what may stand in the prompt of a call. Some tokenizers take time in
// proportion to the square of a text's length, and texts may be hostile. So no text
// above the byte cap is counted, and not more text altogether than the budget could
// hold.
func (s source[S, E]) choose(r *Renderer, a core.Arrangement, byRank []int, in Input) (sizes, error) {
	out := sizes{maxBytes: s.maxBytes(r), starts: turnStarts(in.History)}
	if len(in.Question) > out.maxBytes {
		return sizes{}, &core.ConfigError{
			Field: "Question", Value: fmt.Sprintf("%d bytes long", len(in.Question)),
			Rule: fmt.Sprintf("must have at most MaxBytes, %d, where prompts are counted: shorten it, or raise MaxBytes", out.maxBytes),
		}
	}
	out.total = len(in.Question)
	for _, slot := range byRank {
		p := a.Slots[slot]
		if !p.Pinned {
			continue
		}
		size := len(s.text(p))
		if size > out.maxBytes {
			return sizes{}, &core.PinError{Limit: "MaxBytes", Max: out.maxBytes, Got: size, Rank: p.Rank}
		}
		out.total = plus(out.total, size)
	}
	limit := max(out.maxBytes, times(bytesPerUnit, max(r.config.Budget, r.config.BookendFrom)))
	bounded := r.config.Budget > 0
	if out.tooMany = out.total > limit; out.tooMany && bounded {
		return sizes{}, &core.ConfigError{
			Field: "Budget", Value: r.config.Budget,
			Rule: fmt.Sprintf("the question and the pinned documents have %d bytes, more than %d for each unit of the budget: raise Budget, or pin fewer", out.total, bytesPerUnit),
		}
	}
	// take says whether there is room for size more.
	take := func(size int) bool {
		out.tooMany = out.tooMany || plus(out.total, size) > limit
		if out.tooMany && bounded {
			return false
		}
		out.total = plus(out.total, size)
		return true
	}
	for _, slot := range byRank {
		p := a.Slots[slot]
		if p.Pinned {
			continue
		}
		size := len(s.text(p))
		if size > out.maxBytes {
			continue
		}
		if !take(size + frameBytes) {
			return out, nil
		}
		out.docs = append(out.docs, size+frameBytes)
	}
	end := len(in.History)
	for i := len(out.starts) - 1; i >= 0; i-- {
		size := frameBytes
		for _, m := range in.History[out.starts[i]:end] {
			if len(m.Text) > out.maxBytes {
				return out, nil
			}
			size = plus(size, len(m.Text))
		}
		if !take(size) {
			return out, nil
		}
		out.turns = append(out.turns, size)
		end = out.starts[i]
	}
	return out, nil
}

// candidates are the documents that may stand in a prompt. They are an arrangement of
// their own, so that a try costs in proportion to them alone.
type candidates struct {
	base  core.Arrangement // of all of them; by rank among themselves
	index []int            // of each in the caller's documents, by rank
	rank  []int            // of each among all documents, by rank

	unpinned []core.Placed // of base, best first
	without  without
	placed   func(core.Arrangement) documents
}

// candidates returns the pinned documents, and the best of the others that sizes has
// room for.
func (s source[S, E]) candidates(r *Renderer, a core.Arrangement, byRank []int, sizes sizes) (*candidates, error) {
	c := &candidates{}
	own := make([]int32, len(a.Slots)) // 1 + the rank among the candidates, by slot; 0 for none
	docs := S{}
	for _, slot := range byRank {
		p := a.Slots[slot]
		i := len(docs)
		if !p.Pinned {
			if len(c.unpinned) == len(sizes.docs) || len(s.text(p)) > sizes.maxBytes {
				continue
			}
			c.unpinned = append(c.unpinned, core.Placed{Index: i, Rank: i, Label: i + 1})
		}
		docs = append(docs, s.docs[p.Index])
		own[slot] = int32(len(docs))
		c.index, c.rank = append(c.index, p.Index), append(c.rank, p.Rank)
	}
	all := len(docs) == len(a.Slots)
	c.base = core.Arrangement{N: len(docs), Placement: a.Placement}
	for slot, p := range a.Slots {
		if i := int(own[slot]) - 1; i >= 0 {
			p.Index, p.Rank = i, i
			if !all {
				p.Label = i + 1
			}
			c.base.Slots = append(c.base.Slots, p)
		}
	}
	among := source[S, E]{s.arranger, docs, s.view}
	c.without = among.without
	c.placed = func(a core.Arrangement) documents {
		placed := among.placed(&r.config, among.labelled(r, a))
		placed.among = c
		return placed
	}
	var err error
	if !all {
		c.base, err = c.without(c.base, func(core.Placed) core.Reason { return "" })
	}
	return c, err
}

// best returns the arrangement of the best of the unpinned candidates and the pinned
// ones.
func (c *candidates) best(keep int) (core.Arrangement, error) {
	if keep == len(c.unpinned) {
		return c.base, nil
	}
	return c.without(c.base, func(p core.Placed) core.Reason { // asked best first
		if p.Pinned {
			return ""
		}
		if keep--; keep >= 0 {
			return ""
		}
		return core.OverBudget
	})
}

// slotsByRank returns the slots of a, best rank first.
func slotsByRank(a core.Arrangement) []int {
	at := make([]int32, a.N) // slot + 1, by rank
	for slot, p := range a.Slots {
		at[p.Rank] = int32(slot) + 1
	}
	slots := make([]int, 0, len(a.Slots))
	for _, slot := range at {
		if slot > 0 {
			slots = append(slots, int(slot)-1)
		}
	}
	return slots
}

// plus and times stop at the largest int.
func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func times(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}
