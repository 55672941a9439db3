package rank

import (
	"math"
	"math/big"
	"slices"
	"strconv"
)

// sums computes and compares the sums of weight / (K + rank), exactly: a and b are
// equal for it where mathematics says so, whatever floats make of their parts.
// Weights and K count as the decimals that they print as, so that 0.1 and 0.2 are
// 0.3 together.
//
// Floats decide all but the few comparisons that are too close for them.
type sums struct {
	k       float64
	slack   float64 // how far from each other two floats are close, as a share of their sum
	weights []float64
	same    []uint64 // for each list, the first list of the same weight
	parts   []uint64 // of each row, as many as lists: same<<32 | rank from 1, ascending, none last
	exacts  map[int]*big.Rat
}

// none stands for a list that does not hold the document.
const none = math.MaxUint64

func newSums(k float64, weights []float64, rows int) *sums {
	s := &sums{
		k: k, slack: float64(len(weights)+8) * 0x1p-52, weights: weights, same: make([]uint64, len(weights)),
		parts: make([]uint64, rows*len(weights)), exacts: map[int]*big.Rat{},
	}
	for list, w := range weights {
		s.same[list] = uint64(slices.Index(weights, w))
	}
	return s
}

// add takes the ranks of a row, -1 for none, and returns the sum as a float. It does
// not depend on the order of the lists.
func (s *sums) add(row int, ranks []int) float64 {
	parts := s.of(row)
	for list, rank := range ranks {
		parts[list] = none
		if rank >= 0 {
			parts[list] = s.same[list]<<32 | uint64(rank+1)
		}
	}
	slices.Sort(parts)
	sum := 0.0
	for _, part := range parts {
		if part == none {
			break
		}
		sum += s.weights[part>>32] / (s.k + float64(uint32(part)))
	}
	return sum
}

func (s *sums) of(row int) []uint64 {
	lists := len(s.weights)
	return s.parts[row*lists : (row+1)*lists]
}

// close says that rounding may decide which of two floats is larger. Each part is off
// by four roundings at most, and each addition by one. Infinities are close to
// everything, and so is what is too small to be rounded relatively.
func (s *sums) close(a, b float64) bool {
	return !(math.Abs(a-b) > s.slack*(a+b)+0x1p-1000)
}

// compare compares two rows whose floats are close.
func (s *sums) compare(a, b int) int {
	if slices.Equal(s.of(a), s.of(b)) {
		return 0
	}
	return s.exact(a).Cmp(s.exact(b))
}

func (s *sums) exact(row int) *big.Rat {
	if sum := s.exacts[row]; sum != nil {
		return sum
	}
	sum, k := new(big.Rat), decimal(s.k)
	for _, part := range s.of(row) {
		if part == none {
			break
		}
		below := new(big.Rat).SetInt64(int64(uint32(part)))
		below.Add(below, k)
		sum.Add(sum, below.Quo(decimal(s.weights[part>>32]), below))
	}
	s.exacts[row] = sum
	return sum
}

// decimal returns the number that a finite float prints as.
func decimal(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r
}
