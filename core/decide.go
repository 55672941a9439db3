package core

import (
	"context"
	"fmt"
)

// decision is the outcome of the three stages for one call, in numbers alone.
type decision struct {
	config *Config // of the Arranger that was used
	n      int
	ranks  []scored // by rank; nil: the input is ranked
	before []scored // what ranks was before the call's own ranking

	ranking ranking // of the call, where it decided
	through []Stage
	admission
	slots     []int // which of the kept stands in each slot; nil: in their order
	placement string
	notes     []string
}

// decide runs the stages for one call, rank, admit and place, and tells the
// observers. It writes the arrangement out where somebody wants to see it: the
// caller, an observer, or a func of Refine.
func decide[S ~[]E, E any](ctx context.Context, a *Arranger, docs S, v *View[E], opts []CallOption, wanted bool) (*decision, Arrangement, error) {
	var c call
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	a = a.For(ctx)
	d := &decision{config: &a.config, n: len(docs), placement: a.placementName(), through: c.through, notes: c.notes}
	documents := byRank(d, docs, v)
	observed := a.config.Observe != nil || c.observe != nil
	var arrangement Arrangement
	var labels []int
	err := run(ctx, a, d, docs, v, &c)
	if err == nil && (wanted || observed) {
		arrangement = d.arrangement(documents.score)
		if wanted && c.refine != nil {
			if arrangement, labels, err = c.refine(a, arrangement); err == nil {
				err = d.adopt(arrangement)
			}
		}
		if labels == nil {
			labels = arrangement.Labels()
		}
	}
	if err != nil {
		arrangement, labels = Arrangement{N: d.n, Placement: d.placement}, nil
	}
	if observed {
		e := Event{Arrangement: arrangement, Query: c.query, RequestID: RequestID(ctx), Labels: labels, Err: err, n: d.n, reader: documents}
		for _, observe := range []func(context.Context, Event){a.config.Observe, c.observe} {
			if observe != nil {
				observe(ctx, e)
			}
		}
	}
	return d, arrangement, err
}

func run[S ~[]E, E any](ctx context.Context, a *Arranger, d *decision, docs S, v *View[E], c *call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.topK < 0 {
		return &ConfigError{Field: "AtMost", Value: c.topK, Rule: "must be 0 (the configured TopK) or more"}
	}
	if err := d.checkStages(); err != nil {
		return err
	}
	if a.off {
		return nil
	}
	if err := v.need(&a.config); err != nil {
		return err
	}
	if err := a.CheckRanking(len(c.through) > 0, c.ranking.given); err != nil {
		return err
	}
	if a.config.Rank == ByScore {
		d.ranks = rankByScore(&a.config, docs, v)
		if turnedRound(d.ranks) {
			d.notes = append(d.notes, turnedRoundNote)
		}
	}
	if err := d.rankBy(c); err != nil {
		return err
	}
	if !a.admitsAll || c.topK > 0 {
		documents := byRank(d, docs, v)
		documents.ranking = d.rankingScore(c)
		var err error
		if d.admission, err = newAdmitter(a, c.topK, d.n, documents).admit(); err != nil {
			return err
		}
	}
	return d.place(Ranked{n: d.placed(), origin: func(i int) Origin {
		return v.origin(&a.config, docs[d.index(d.rank(i))])
	}})
}

// place decides the slots of the kept ranks.
func (d *decision) place(origins Ranked) (err error) {
	c, n := d.config, d.placed()
	p := c.Placement.placement()
	if n < c.MinDocuments && p != DocumentOrder && p != RankOrder {
		d.notes = append(d.notes, fmt.Sprintf("fewer than MinDocuments (%d) documents: left as ranked", c.MinDocuments))
		p = RankOrder
	}
	d.placement = placementName(p)
	places := n // what the placement places: documents or groups
	switch {
	case c.Groups:
		d.slots, places, err = placeGroups(p, n, origins)
	case p != RankOrder:
		d.slots, err = place(p, n, origins)
	}
	if m, ok := p.(Measured); ok && m.Curve.Documents != places {
		d.notes = append(d.notes, fmt.Sprintf("the curve was measured with %d documents and is used for %d", m.Curve.Documents, places))
	}
	return err
}

// adopt takes over which document has which rank, so that an event reads them by
// the ranks of the final arrangement, which a func of Refine made.
func (d *decision) adopt(a Arrangement) error {
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
	a := Arrangement{N: d.n, Placement: d.placement, Room: d.room, Used: d.used, Stages: d.stages(score), Notes: d.notes}
	size := func(rank int) int {
		if d.sizes == nil {
			return 0
		}
		return d.sizes[rank]
	}
	a.Slots = make([]Placed, d.placed())
	for slot := range a.Slots {
		i, rank := d.at(slot)
		a.Slots[slot] = Placed{
			Index: d.index(rank), Rank: rank, Label: i + 1,
			Score: Score(score(rank)), Size: size(rank),
			Pinned: d.pinned != nil && d.pinned[rank],
		}
	}
	for _, out := range d.dropped {
		out.Index, out.Score, out.Size = d.index(out.Rank), Score(score(out.Rank)), size(out.Rank)
		a.Dropped = append(a.Dropped, out)
	}
	return a
}

// reader reads a document by its rank.
type reader struct {
	text, id func(rank int) string
	meta     func(rank int) map[string]any
	origin   func(rank int) Origin
	score    func(rank int) float64 // NaN: missing
	pinned   func(rank int) bool    // by PinKey
	ranking  func(rank int) float64 // the score of what ranked last; nil: there is none
}

func byRank[S ~[]E, E any](d *decision, docs S, v *View[E]) reader {
	at := func(rank int) E { return docs[d.index(rank)] }
	return reader{
		text:   func(rank int) string { return v.text(at(rank)) },
		id:     func(rank int) string { return v.id(d.config, at(rank)) },
		meta:   func(rank int) map[string]any { return v.meta(at(rank)) },
		origin: func(rank int) Origin { return v.origin(d.config, at(rank)) },
		score:  func(rank int) float64 { return v.score(d.config, at(rank)) },
		pinned: func(rank int) bool { return v.pinned(d.config, at(rank)) },
	}
}
