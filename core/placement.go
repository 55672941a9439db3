package core

import (
	"fmt"
	"math/rand/v2"

	"github.com/bookend-rag/bookend/internal/random"
)

// A Placement decides which admitted document stands in which slot.
//
// Place receives slots filled with 0, 1, … n-1, which is the ranked order: slot
// i holds the i-th best admitted document. It rearranges the slice in place, so
// that afterwards slots[i] is the rank (0 is the best) of the document in slot i
// (0 is first in the prompt). origin tells where the document of a rank comes from;
// the zero Origin where that is not known or there is no such rank. It is never nil,
// and valid during the call.
//
// The result has to be a permutation. It is checked after every call in O(n);
// one that repeats or loses a rank is a *PlacementError, never a lost
// document. A Placement may be used by many goroutines at once and has to give
// the same result for the same input.
type Placement interface {
	Place(slots []int, origin func(rank int) Origin) error
}

// PlacementFunc makes a Placement of a plain func. Its rules are those of
// Placement; a nil PlacementFunc is refused by New.
type PlacementFunc func(slots []int, origin func(rank int) Origin) error

// Place calls f.
func (f PlacementFunc) Place(slots []int, origin func(rank int) Origin) error {
	if f == nil {
		return errNilPlacement(f)
	}
	return f(slots, origin)
}

func errNilPlacement(p Placement) error {
	return &ConfigError{Field: "Placement", Value: fmt.Sprintf("%T(nil)", p), Rule: "pass one that is not nil, or leave the placement out for the default"}
}

// String returns "custom".
func (f PlacementFunc) String() string { return "custom" }

// StandardPlacement is a placement of Bookend's without parameters. Every value is a pure permutation,
// costs O(n), allocates nothing (DocumentOrder allocates O(n)), and is safe for
// concurrent use. r1 below is the best document.
type StandardPlacement uint8

const (
	// RankOrder leaves the documents as ranked: r1 r2 r3 r4 r5. It is what a
	// retriever returns.
	RankOrder StandardPlacement = iota
	// Reversed puts the best last: r5 r4 r3 r2 r1.
	Reversed
	// HeadTail, the default, alternates between the two ends, the best first and
	// the second best last: r1 r3 r5 r4 r2. It is the order of Haystack's
	// LostInTheMiddleRanker, of eino-ext's score reranker, of Dify, and of Jin et
	// al. 2024 (arXiv:2410.05983).
	HeadTail
	// TailHead is the mirror image of HeadTail, the best last and the second best
	// first: r2 r4 r5 r3 r1.
	TailHead
	// LongContext is the order of LangChain's and LlamaIndex's
	// LongContextReorder, for a like-for-like migration. It equals HeadTail for
	// odd n and TailHead for even n: whether the best stands first or last
	// depends on the parity of n.
	LongContext
	// DocumentOrder puts text in its own order: sources by their best rank, and
	// within a source by position (OP-RAG, arXiv:2409.01666). A document without
	// a source is a source of its own; one without a position follows those of
	// its source that have one, by rank.
	DocumentOrder
)

// standardPlacements holds the name of each StandardPlacement value, by value.
var standardPlacements = [...]string{
	RankOrder:     "ranked",
	Reversed:      "reversed",
	HeadTail:      "head-tail",
	TailHead:      "tail-head",
	LongContext:   "long-context",
	DocumentOrder: "document-order",
}

// String returns the name that ParsePlacement reads, such as "head-tail".
func (p StandardPlacement) String() string {
	if int(p) < len(standardPlacements) {
		return standardPlacements[p]
	}
	return fmt.Sprintf("StandardPlacement(%d)", uint8(p))
}

// Place implements Placement. The only error is that of a StandardPlacement value that is
// none of the constants.
func (p StandardPlacement) Place(slots []int, origin func(rank int) Origin) error {
	n := len(slots)
	switch p {
	case RankOrder:
	case Reversed:
		for i := range slots {
			slots[i] = n - 1 - i
		}
	case HeadTail:
		headTail(slots)
	case TailHead:
		tailHead(slots)
	case LongContext:
		if n%2 == 1 {
			headTail(slots)
		} else {
			tailHead(slots)
		}
	case DocumentOrder:
		copy(slots, flatten(groupBySource(n, origin)))
	default:
		return p.check()
	}
	return nil
}

func (p StandardPlacement) check() error {
	if int(p) < len(standardPlacements) {
		return nil
	}
	return &ConfigError{Field: "Placement", Value: p, Rule: "use one of the StandardPlacement constants, such as core.HeadTail"}
}

func headTail(slots []int) {
	for head, tail, rank := 0, len(slots)-1, 0; head <= tail; rank++ {
		if rank%2 == 0 {
			slots[head] = rank
			head++
		} else {
			slots[tail] = rank
			tail--
		}
	}
}

func tailHead(slots []int) {
	for head, tail, rank := 0, len(slots)-1, 0; head <= tail; rank++ {
		if rank%2 == 0 {
			slots[tail] = rank
			tail--
		} else {
			slots[head] = rank
			head++
		}
	}
}

// EdgesFirst puts the first Edge ranks at the front in order, the next Edge
// ranks at the end in order, and the rest between them in order. With Edge 2 and
// seven documents: r1 r2 r5 r6 r7 r3 r4. Edge 0 means 2; a negative Edge is a
// *ConfigError. It costs O(n) and is safe for concurrent use.
type EdgesFirst struct{ Edge int }

// String returns "edges-first", or "edges-first=3" for an Edge other than 2.
func (p EdgesFirst) String() string {
	if p.Edge == 0 || p.Edge == defaultEdge {
		return "edges-first"
	}
	return fmt.Sprintf("edges-first=%d", p.Edge)
}

const defaultEdge = 2

// Place implements Placement.
func (p EdgesFirst) Place(slots []int, _ func(rank int) Origin) error {
	if err := p.check(); err != nil {
		return err
	}
	n, edge := len(slots), p.Edge
	if edge == 0 {
		edge = defaultEdge
	}
	front := min(edge, n)
	back := min(edge, n-front)
	for i := front; i < n-back; i++ {
		slots[i] = i + back
	}
	for i := range back {
		slots[n-back+i] = front + i
	}
	return nil
}

func (p EdgesFirst) check() error {
	if p.Edge >= 0 {
		return nil
	}
	return &ConfigError{Field: "Placement", Value: fmt.Sprintf("EdgesFirst{Edge: %d}", p.Edge), Rule: "Edge must be 0 (which means 2) or more"}
}

// Shuffled places the documents in a random order that depends on Seed and n
// alone: the control arm of an experiment. The same seed gives the same order on
// every platform and Go version. Derive a seed per request with SeedFor, and use
// Arranger.With. It costs O(n) and is safe for concurrent use.
type Shuffled struct{ Seed uint64 }

// String returns "shuffled", or "shuffled=7" for a Seed other than 0.
func (p Shuffled) String() string {
	if p.Seed == 0 {
		return "shuffled"
	}
	return fmt.Sprintf("shuffled=%d", p.Seed)
}

// Place implements Placement by the Fisher–Yates shuffle over a PCG generator.
// It returns no error.
func (p Shuffled) Place(slots []int, _ func(rank int) Origin) error {
	next := rand.NewPCG(p.Seed, 0).Uint64
	for i := len(slots) - 1; i > 0; i-- {
		j := random.Below(next, i+1)
		slots[i], slots[j] = slots[j], slots[i]
	}
	return nil
}

// SeedFor derives the seed of one request or question from the seed of an
// experiment and the request's ID: equal input gives the equal seed in every
// process and version. It is FNV-1a followed by the finalizer of SplitMix64; it
// is no cryptographic hash.
func SeedFor(seed uint64, id string) uint64 {
	h := uint64(14695981039346656037)
	for shift := 0; shift < 64; shift += 8 {
		h = (h ^ (seed >> shift & 0xff)) * 1099511628211
	}
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 1099511628211
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
