package core

import (
	"fmt"
	"slices"

	"github.com/bookend-rag/bookend/internal/nilvalue"
)

// Order returns the 0-based rank that stands in each slot when p places n
// documents given best first: Order(HeadTail, 5) is [0 2 4 3 1]. Nothing is
// known of where the documents come from, so DocumentOrder gives the ranked
// order. An n below 0 or above 10 million, and a nil pointer as p, is a *ConfigError;
// what p does wrong is a *PlacementError. A nil p means HeadTail.
func Order(p Placement, n int) ([]int, error) {
	if n < 0 || n > maxOrder {
		return nil, &ConfigError{Field: "n", Value: n, Rule: fmt.Sprintf("the number of documents must be from 0 to %d", maxOrder)}
	}
	if p == nil {
		p = HeadTail
	}
	if err := validatePlacement(p); err != nil {
		return nil, err
	}
	return place(p, n, func(int) Origin { return Origin{} })
}

// place runs p over n documents and checks the result.
func place(p Placement, n int, origin func(rank int) Origin) ([]int, error) {
	slots := make([]int, n)
	for i := range slots {
		slots[i] = i
	}
	ours := false // a permutation by construction
	switch p.(type) {
	case StandardPlacement, EdgesFirst, Shuffled, Measured:
		ours = true
	}
	from := origin
	if !ours {
		from = func(rank int) Origin {
			if rank < 0 || rank >= n {
				return Origin{}
			}
			return origin(rank)
		}
	}
	if err := p.Place(slots, from); err != nil {
		return nil, &PlacementError{Placement: placementName(p), Err: err}
	}
	if ours {
		return slots, nil
	}
	if err := checkPermutation(p, slots); err != nil {
		return nil, err
	}
	return slots, nil
}

// validatePlacement finds what is wrong with a placement before it is used.
func validatePlacement(p Placement) error {
	switch p := p.(type) {
	case StandardPlacement:
		return p.check()
	case EdgesFirst:
		return p.check()
	case Measured:
		return p.check()
	case Shuffled, Choice:
	default:
		if nilvalue.Is(p) {
			return errNilPlacement(p)
		}
	}
	return nil
}

// maxOrder bounds a number of documents that nobody has yet, such as one that a
// file gives.
const maxOrder = 10_000_000

func checkPermutation(p Placement, slots []int) error {
	slotOf := make([]int, len(slots)) // slot+1 of each rank seen
	for slot, rank := range slots {
		if rank < 0 || rank >= len(slots) {
			return &PlacementError{Placement: placementName(p), Err: &notPermutation{slot, rank, len(slots), -1}}
		}
		if first := slotOf[rank]; first != 0 {
			return &PlacementError{Placement: placementName(p), Err: &notPermutation{slot, rank, len(slots), first - 1}}
		}
		slotOf[rank] = slot + 1
	}
	return nil
}

func placementName(p Placement) string {
	if s, ok := p.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", p)
}

// placeGroups runs p over whole groups, so that the chunks of one source stay
// together in reading order. A group ranks as its best member. It returns the
// number of groups, too.
func placeGroups(p Placement, n int, origin func(rank int) Origin) (slots []int, count int, err error) {
	groups := groupBySource(n, origin)
	order, err := place(p, len(groups), func(g int) Origin { return origin(slices.Min(groups[g])) })
	if err != nil {
		return nil, 0, err
	}
	placed := make([][]int, len(groups))
	for slot, g := range order {
		placed[slot] = groups[g]
	}
	return flatten(placed), len(groups), nil
}
