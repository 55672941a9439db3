package sweep

import "math/bits"

// The random numbers here are of our own, so that a seed means the same numbers
// under every version of Go: SplitMix64 (Steele, Lea and Flood 2014), as a stream
// and as a hash.

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// join folds a key into a seed.
func join(seed, key uint64) uint64 { return mix(mix(seed+golden) ^ (key+1)*golden) }

// uniform is above 0 and below 1: with one bit more the highest would round to 1.
func uniform(x uint64) float64 { return (float64(x>>12) + 0.5) / (1 << 52) }

// stream is SplitMix64.
type stream struct{ state uint64 }

func (s *stream) next() uint64 {
	s.state += golden
	return mix(s.state)
}

// below returns a number from 0 to n-1, evenly to within n in 2^64.
func (s *stream) below(n int) int {
	high, _ := bits.Mul64(s.next(), uint64(n))
	return int(high)
}
