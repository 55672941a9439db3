// Package random makes numbers that depend on a seed alone, on every platform and in
// every version of Go.
package random

import "math/bits"

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Join folds a key into a seed.
func Join(seed, key uint64) uint64 { return mix(mix(seed+golden) ^ (key+1)*golden) }

// Open is above 0 and below 1: with one bit more the highest would round to 1.
func Open(draw uint64) float64 { return (float64(draw>>12) + 0.5) / (1 << 52) }

// Share is from 0 to below 1.
func Share(draw uint64) float64 { return float64(draw>>11) / (1 << 53) }

// Below is from 0 to n-1, without bias (Lemire 2019). It asks next for a number, and
// hardly ever for another. It is written out because what a seed gives must not change
// with the Go version.
func Below(next func() uint64, n int) int {
	bound := uint64(n)
	high, low := bits.Mul64(next(), bound)
	for threshold := -bound % bound; low < threshold; {
		high, low = bits.Mul64(next(), bound)
	}
	return int(high)
}

// Stream is SplitMix64 from a seed. It is not safe for concurrent use.
type Stream struct{ state uint64 }

// From returns the stream of a seed.
func From(seed uint64) *Stream { return &Stream{seed} }

// Next returns the next number.
func (s *Stream) Next() uint64 {
	s.state += golden
	return mix(s.state)
}
