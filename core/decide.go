package core

import (
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/internal/recall"
)

// decision is the outcome of the three stages for one call, in numbers alone.
type decision struct {
	config *Config // of the Arranger that was used
	n      int
	ranks  []scored // by rank; nil: the input is ranked
	before []scored // what ranks was before the call's own stages

	through []Stage // of the call
	staged  bool    // the last of them that did not fail gave the ranks
	admission
	slots     []int       // which of the kept stands in each slot; nil: in their order
	recalled  recall.Call // what Config.Reuse remembers for this call; nil: nothing is asked
	reused    int         // how many slots begin as an earlier prompt did
	placement string
	notes     []string
	quiet     bool // nobody sees the arrangement: no name and no note is written
}

// decide runs the stages for one call, rank, admit and place, and tells the
// observers. It writes the arrangement out where somebody wants to see it: the
// caller, an observer, or Refine.
func decide[S ~[]E, E any](ctx context.Context, a *Arranger, docs S, v *View[E], c *Call, wanted bool) (*decision, Arrangement, error) {
	used, observe := c.resolve(ctx, a)
	if c.Placed {
		used = Off
	}
	observed := observe != nil || c.Observe != nil
	d := &decision{config: &used.config, n: len(docs), through: c.Stages, quiet: !wanted && !observed}
	if !d.quiet {
		d.placement = used.intended()
	}
	documents := byRank(d, docs, v)
	var arrangement Arrangement
	err := run(ctx, used, d, docs, v, c)
	if err == nil && (wanted || observed) {
		arrangement = d.arrangement(documents.score)
		if c.Placed {
			arrangement = placedBefore(ctx, arrangement, docs)
		}
		if c.Refine != nil {
			if d.recalled != nil {
				used = used.recalling(d.recalled)
			}
			arrangement, err = c.Refine(used, arrangement)
		}
		if err == nil && (c.Placed || c.Refine != nil) {
			err = d.adopt(arrangement)
		}
	}
	if err == nil && d.recalled != nil {
		refined := (*Arrangement)(nil)
		if c.Refine != nil {
			refined = &arrangement
		}
		sent(d, refined, docs, v)
	}
	if err != nil {
		arrangement = Arrangement{N: d.n, Placement: d.placement}
	}
	if observed {
		e := Event{Arrangement: arrangement, Query: c.Query, RequestID: RequestID(ctx), Err: err, n: d.n, reader: documents}
		for _, tell := range []func(context.Context, Event){observe, c.Observe} {
			if tell != nil {
				tell(ctx, e)
			}
		}
	}
	return d, arrangement, err
}

// placedBefore tells of documents that came placed: by which ranks, where a Trace saw
// it, and else that they are labelled as they stand.
func placedBefore[S ~[]E, E any](ctx context.Context, a Arrangement, docs S) Arrangement {
	a.Placement, a.Notes = "as placed", nil
	if len(docs) == 0 {
		return a
	}
	before, known := traceOf(ctx).placing(&docs[0], len(docs))
	if !known {
		return a
	}
	a.Placement = before.Placement
	for slot, p := range before.Slots {
		// What was left out before is not there any more: ranks are those of the rest.
		a.Slots[slot].Rank, a.Slots[slot].Label = p.Label-1, p.Label
	}
	return a
}

func run[S ~[]E, E any](ctx context.Context, a *Arranger, d *decision, docs S, v *View[E], c *Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.TopK < 0 {
		return &ConfigError{Field: "TopK", Value: c.TopK, Rule: "must be 0 (the configured one) or more"}
	}
	if err := d.checkStages(c.Stages); err != nil {
		return err
	}
	if a.off {
		return nil
	}
	if err := v.need(&a.config); err != nil {
		return err
	}
	if a.config.Rank == ByScore {
		var none bool
		d.ranks, none = rankByScore(&a.config, docs, v)
		switch {
		case none:
			d.note("no document has a score to rank by: they are left in the given order")
		case turnedRound(d.ranks):
			d.notes = append(d.notes, turnedRoundNote)
		}
	}
	d.rankByStage(c.Stages)
	if !a.admitsAll || c.TopK > 0 {
		ad := newAdmitter(ctx, a, c.TopK, d, byRank(d, docs, v))
		var err error
		if d.admission, err = ad.admit(); err != nil {
			return err
		}
	}
	identity := func(i int) (id, text string) { return v.identity(&a.config, docs[d.index(d.rank(i))]) }
	if a.reuses() && d.placed() > 0 {
		d.recalled = a.config.Reuse.Recall(ctx, c.Before, d.placed(), identity)
	}
	return d.place(d.placed(), func(i int) Origin {
		return v.origin(&a.config, docs[d.index(d.rank(i))])
	}, identity)
}

func (d *decision) note(format string, args ...any) {
	if !d.quiet {
		d.notes = append(d.notes, fmt.Sprintf(format, args...))
	}
}

// How the notes begin that tell of the placing. Where documents are placed again, they
// are written again.
const (
	fewDocuments = "fewer than MinDocuments"
	otherCurve   = "the curve was measured with"
)

// rankingNotes returns the notes that hold wherever the documents are placed.
func (a Arrangement) rankingNotes() []string {
	var notes []string
	for _, note := range a.Notes {
		if !placingNote(note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// place decides the slots of the n kept ranks.
func (d *decision) place(n int, origin func(i int) Origin, identity func(i int) (id, text string)) (err error) {
	c := d.config
	p := c.Placement.placement()
	few := n < c.MinDocuments
	if few && p != DocumentOrder && p != RankOrder {
		d.note(fewDocuments+" (%d) documents: left as ranked", c.MinDocuments)
		p = RankOrder
	}
	if !d.quiet {
		d.placement = placementName(p)
	}
	places := n // what the placement places: documents or groups
	switch {
	case c.Groups:
		d.slots, places, err = placeGroups(p, n, origin)
	case p != RankOrder:
		d.slots, err = place(p, n, origin)
	}
	if m, ok := p.(Measured); ok && !d.quiet && m.Curve.Documents != places {
		d.note(otherCurve+" %d documents and is used for %d", m.Curve.Documents, places)
	}
	if err == nil && d.recalled != nil && !few {
		d.reuse(n, identity)
	}
	return err
}

// adopt takes over which document has which rank, so that an event reads them by
// the ranks of the final arrangement, which Refine made.
func (d *decision) adopt(a Arrangement) error {
	if d.wrote(a) {
		return nil
	}
	if err := a.Check(d.n); err != nil {
		return err
	}
	d.ranks = make([]scored, d.n)
	for _, p := range a.Slots {
		d.ranks[p.Rank].index = p.Index
	}
	for _, out := range a.Dropped {
		d.ranks[out.Rank].index = out.Index
	}
	return nil
}

// wrote says whether a places and leaves out what the decision does, as most of what
// Refine returns does. It costs one look at each document.
func (d *decision) wrote(a Arrangement) bool {
	if a.N != d.n || len(a.Slots) != d.placed() || len(a.Dropped) != len(d.dropped) || len(a.Stages) > 0 {
		return false
	}
	for slot := range a.Slots {
		i, rank := d.at(slot)
		if p := &a.Slots[slot]; p.Index != d.index(rank) || p.Rank != rank || p.Label != i+1 {
			return false
		}
	}
	for i, out := range a.Dropped {
		if rank := d.dropped[i].Rank; out.Index != d.index(rank) || out.Rank != rank {
			return false
		}
	}
	return true
}

// placed returns the number of documents that were admitted.
func (d *decision) placed() int {
	if d.kept == nil {
		return d.n
	}
	return len(d.kept)
}

// rank returns the rank of the i-th best of the admitted.
func (d *decision) rank(i int) int {
	if d.kept == nil {
		return i
	}
	return d.kept[i]
}

// at returns which of the admitted stands in slot, and its rank.
func (d *decision) at(slot int) (i, rank int) {
	i = slot
	if d.slots != nil {
		i = d.slots[slot]
	}
	return i, d.rank(i)
}

// index returns the place in the input of a rank.
func (d *decision) index(rank int) int {
	if d.ranks == nil {
		return rank
	}
	return d.ranks[rank].index
}

// arrangement writes the decision out, with the scores of the documents.
func (d *decision) arrangement(score func(rank int) float64) Arrangement {
	a := Arrangement{N: d.n, Placement: d.placement, Room: d.room, Used: d.used, Reused: d.reused, Stages: d.stages(score), Notes: d.notes}
	a.Slots = make([]Placed, d.placed())
	for slot := range a.Slots {
		i, rank := d.at(slot)
		p := &a.Slots[slot] // field by field: a whole Placed would be written twice
		p.Index, p.Rank, p.Label = d.index(rank), rank, i+1
		p.Score, p.Size = Score(score(rank)), d.size(rank)
		p.Pinned = d.pinned != nil && d.pinned[rank]
	}
	for _, out := range d.dropped {
		out.Index, out.Score, out.Size = d.index(out.Rank), Score(score(out.Rank)), d.size(out.Rank)
		a.Dropped = append(a.Dropped, out)
	}
	return a
}

// size returns the counted size of a rank, 0 where none was.
func (d *decision) size(rank int) int {
	if d.sizes == nil {
		return 0
	}
	return d.sizes[rank]
}

func byRank[S ~[]E, E any](d *decision, docs S, v *View[E]) reader {
	at := func(rank int) E { return docs[d.index(rank)] }
	score := func(rank int) float64 { return v.score(d.config, at(rank)) }
	if v.Score == nil && d.config.Keys.Score == "" {
		score = func(int) float64 { return nan } // without a look at the document
	}
	return reader{
		text:   func(rank int) string { return v.text(at(rank)) },
		id:     func(rank int) string { return v.id(d.config, at(rank)) },
		meta:   func(rank int) map[string]any { return v.meta(at(rank)) },
		origin: func(rank int) Origin { return v.origin(d.config, at(rank)) },
		score:  score,
		pinned: func(rank int) bool { return v.pinned(d.config, at(rank)) },
	}
}
