package core

import (
	"slices"
)

// Without leaves documents out of an arrangement and places the others again by
// a's placement, so that they are trimmed before they are placed; Off keeps their
// order as it is. reason is asked once for each placed document, best first, and
// returns why it is to be left out, or "". docs and v are those that the
// arrangement was made of; from is not changed.
//
// It costs O(n log n) and the placement. The errors are those of a placement, and
// a *ConfigError where from and docs do not belong together.
func Without[S ~[]E, E any](a *Arranger, from Arrangement, docs S, v *View[E], reason func(Placed) Reason) (Arrangement, error) {
	if err := from.Check(len(docs)); err != nil {
		return Arrangement{}, err
	}
	a, v = a.orDefault(), v.orEmpty()
	d := &decision{config: &a.config, n: from.N, placement: from.Placement, recalled: a.recalled}
	d.ranks = make([]scored, from.N)
	d.pinned, d.sizes = make([]bool, from.N), make([]int, from.N)
	d.room, d.used = from.Room, from.Used
	d.dropped = slices.Clone(from.Dropped)
	for _, out := range from.Dropped {
		d.ranks[out.Rank], d.sizes[out.Rank] = scored{float64(out.Score), out.Index}, out.Size
	}
	d.kept = make([]int, 0, len(from.Slots))
	for _, slot := range from.byRank() {
		p := from.Slots[slot]
		d.ranks[p.Rank], d.sizes[p.Rank] = scored{float64(p.Score), p.Index}, p.Size
		d.pinned[p.Rank] = p.Pinned
		if why := reason(p); why != "" {
			d.dropped = append(d.dropped, Dropped{Rank: p.Rank, Reason: why})
			d.used -= p.Size
			continue
		}
		d.kept = append(d.kept, p.Rank)
	}
	slices.SortFunc(d.dropped, func(x, y Dropped) int { return x.Rank - y.Rank })
	d.notes, d.through = from.rankingNotes(), from.Stages
	if a.off {
		d.keepOrder(from)
	} else if err := d.place(len(d.kept), func(i int) Origin {
		return v.origin(&a.config, docs[d.index(d.rank(i))])
	}, func(i int) (id, text string) {
		return v.identity(&a.config, docs[d.index(d.rank(i))])
	}); err != nil {
		return Arrangement{}, err
	}
	return d.arrangement(func(rank int) float64 { return d.ranks[rank].score }), nil
}

// keepOrder leaves the kept documents in the order of the slots of from.
func (d *decision) keepOrder(from Arrangement) {
	d.notes = from.Notes
	d.reused = keptReuse(from, func(rank int) bool {
		_, kept := slices.BinarySearch(d.kept, rank)
		return kept
	})
	for _, p := range from.Slots {
		if i, kept := slices.BinarySearch(d.kept, p.Rank); kept {
			d.slots = append(d.slots, i)
		}
	}
}

// Check returns a *ConfigError where the arrangement is not one of n documents: it
// may have been read from outside. Each document has to be placed or left out, once.
// The labels have to differ and be above 0, or 0 for one that is not shown. It costs O(n).
func (a Arrangement) Check(n int) error {
	if n != a.N {
		return mismatch(a, "%d documents were given: pass the input that it was made of", n)
	}
	if n < 0 || len(a.Slots)+len(a.Dropped) < n { // where they are more, one stands twice
		return mismatch(a, "it places %d and leaves out %d: each document has to be one of the two, once", len(a.Slots), len(a.Dropped))
	}
	seen := make(claims, max(n, len(a.Slots)))
	documents, labels := seen[:n], seen[:len(a.Slots)]
	var own map[int]bool // labels beyond the number of documents
	for slot := range a.Slots {
		p := &a.Slots[slot]
		unique := p.Label == 0
		if p.Label > len(labels) {
			if own == nil {
				own = make(map[int]bool, len(labels))
			}
			unique, own[p.Label] = !own[p.Label], true
		} else if !unique {
			unique = labels.claim(p.Label-1, asLabel)
		}
		if !unique || !documents.claim(p.Index, asIndex) || !documents.claim(p.Rank, asRank) {
			return mismatch(a, "it has index %d, rank %d and label %d in slot %d, one of which is out of range or stands twice", p.Index, p.Rank, p.Label, slot)
		}
	}
	if a.Reused < 0 || a.Reused > len(a.Slots) {
		return mismatch(a, "it has %d slots, and says that %d of them are reused", len(a.Slots), a.Reused)
	}
	for _, s := range a.Stages {
		if len(s.Ranks) != n || len(s.Scores) != n {
			return mismatch(a, "it has %d ranks and %d scores in stage %q, not one for each document", len(s.Ranks), len(s.Scores), s.Name)
		}
	}
	for _, out := range a.Dropped {
		if !documents.claim(out.Index, asIndex) || !documents.claim(out.Rank, asRank) {
			return mismatch(a, "it leaves out index %d and rank %d, one of which is out of range or stands twice", out.Index, out.Rank)
		}
	}
	return nil
}

// claims notes which numbers were seen, each as an index, a rank or a label.
type claims []uint8

const (
	asIndex uint8 = 1 << iota
	asRank
	asLabel
)

// claim marks i as seen, and returns false when it is out of range or was seen.
func (c claims) claim(i int, as uint8) bool {
	if i < 0 || i >= len(c) || c[i]&as != 0 {
		return false
	}
	c[i] |= as
	return true
}
