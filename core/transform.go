package core

import "context"

// Reorder returns docs, given best first, in the order of HeadTail: the best
// document first, the second best last, the rest alternating inward, r1 r3 r5 r4
// r2. The result holds exactly the given documents in a fresh slice, nil for nil;
// docs is not changed. It costs one allocation and about as much as slices.Clone.
func Reorder[S ~[]E, E any](docs S) S { return placeHeadTail(docs) }

// Transform ranks, admits and places docs and returns the admitted documents in
// the order of their slots: a fresh slice, nil for nil. docs, the documents and
// their metadata are never written to, so that goroutines may share them.
//
// v reads a document; it may be nil when no setting looks into documents. A nil
// Arranger means the default Config, for which the call costs one allocation and
// about as much as slices.Clone. c says what is particular to this call.
//
// Errors: that of a context that has ended, also while documents are counted;
// *ConfigError for a setting that needs an accessor that v lacks, and for a counter
// that returns less than 0; *PinError and *PlacementError. The documents are never
// returned half done.
func Transform[S ~[]E, E any](ctx context.Context, a *Arranger, docs S, v *View[E], c Call) (S, error) {
	if c.justFolds(ctx, a) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Arranger != nil {
			a = c.Arranger
		}
		if a = a.orDefault(); a.config.Rank == ByScore {
			return placeRanked(a, docs, v)
		}
		return placeHeadTail(docs), nil
	}
	return transform(ctx, a, docs, v, c)
}

// transform is the long way of Transform. It is a func of its own so that the short
// one keeps c off the heap.
func transform[S ~[]E, E any](ctx context.Context, a *Arranger, docs S, v *View[E], c Call) (S, error) {
	trace := traceOf(ctx)
	c.Refine = nil
	d, arrangement, err := decide(ctx, a, docs, v.orEmpty(), &c, trace != nil)
	if err != nil || docs == nil {
		return nil, err
	}
	placed := make(S, d.placed())
	for slot := range placed {
		_, rank := d.at(slot)
		placed[slot] = docs[d.index(rank)]
	}
	if trace != nil && len(placed) > 0 {
		trace.add(step{arrangement, &placed[0], len(placed)})
	}
	return placed, nil
}

// Arrange decides as Transform does, with the same errors, and returns the
// decision in place of the documents. Apply carries it out.
func Arrange[S ~[]E, E any](ctx context.Context, a *Arranger, docs S, v *View[E], c Call) (Arrangement, error) {
	_, arrangement, err := decide(ctx, a, docs, v.orEmpty(), &c, true)
	if err != nil {
		return Arrangement{}, err
	}
	traceOf(ctx).add(step{arrangement: arrangement})
	return arrangement, nil
}

// placeHeadTail is HeadTail in one pass over the documents, without a list of slots. A
// test ties it to the placement. Eight documents a turn let the compiler ask once
// for all of them whether the garbage collector is watching the stores.
func placeHeadTail[S ~[]E, E any](docs S) S {
	if docs == nil {
		return nil
	}
	placed := make(S, len(docs))
	rest, front, back := docs, placed, placed // what is left to read, and to fill from each end
	for len(rest) >= 8 && len(front) >= 4 && len(back) >= 4 {
		end := back[len(back)-4:]
		front[0], front[1], front[2], front[3] = rest[0], rest[2], rest[4], rest[6]
		end[3], end[2], end[1], end[0] = rest[1], rest[3], rest[5], rest[7]
		rest, front, back = rest[8:], front[4:], back[:len(back)-4]
	}
	head, tail := len(placed)-len(front), len(back)-1
	for i, doc := range rest {
		if i%2 == 0 {
			placed[head] = doc
			head++
		} else {
			placed[tail] = doc
			tail--
		}
	}
	return placed
}

// placeRanked is the short way for a Call that justFolds what is sorted by score.
func placeRanked[S ~[]E, E any](a *Arranger, docs S, v *View[E]) (S, error) {
	v = v.orEmpty()
	if err := v.need(&a.config); err != nil {
		return nil, err
	}
	ranks, _ := rankByScore(&a.config, docs, v)
	if ranks == nil {
		return placeHeadTail(docs), nil
	}
	placed := make(S, len(docs))
	head, tail := 0, len(docs)-1
	for rank, r := range ranks {
		if rank%2 == 0 {
			placed[head] = docs[r.index]
			head++
		} else {
			placed[tail] = docs[r.index]
			tail--
		}
	}
	return placed, nil
}
