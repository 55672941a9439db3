package random

import (
	"math"
	"testing"
)

// The first numbers of SplitMix64 from the seed 1234567, as its authors' code gives
// them.
func TestStreamIsSplitMix64(t *testing.T) {
	t.Parallel()
	s := From(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := s.Next(); got != want {
			t.Errorf("number %d: got %d, want %d", i, got, want)
		}
	}
}

// A 0 or a 1 would make a difficulty infinite.
func TestOpenIsInside(t *testing.T) {
	t.Parallel()
	for _, x := range []uint64{0, 1, math.MaxUint64 - 1, math.MaxUint64} {
		if u := Open(x); !(u > 0 && u < 1) {
			t.Errorf("Open(%d) is %g, want it above 0 and below 1", x, u)
		}
	}
}

// A number that would favour some results is asked for again, and each result comes as
// often as the others.
func TestBelowHasNoBias(t *testing.T) {
	t.Parallel()
	draws := []uint64{0, 1 << 63}
	next := func() uint64 { d := draws[0]; draws = draws[1:]; return d }
	if got := Below(next, 3); got != 1 || len(draws) != 0 {
		t.Errorf("got %d with %d numbers left, want 1 of the second number", got, len(draws))
	}
	counts := make([]int, 6)
	s := From(7)
	for range 60_000 {
		counts[Below(s.Next, 6)]++
	}
	for i, n := range counts {
		if n < 9_600 || n > 10_400 {
			t.Errorf("%d came %d times of 60,000", i, n)
		}
	}
}
