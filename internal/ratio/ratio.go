// Package ratio compares the cost of two funcs on a machine whose clock speed
// varies: the two run in turn, and the median of the pairs' ratios is reported.
package ratio

import (
	"slices"
	"time"
)

// pairs is the number of interleaved pairs; odd, so that the median is one of
// them.
const pairs = 31

// Median returns the median over interleaved pairs of the time that f takes
// divided by the time that base takes. Each measurement repeats its func for about
// 30 milliseconds.
func Median(f, base func()) float64 {
	n, m := repeats(f), repeats(base)
	ratios := make([]float64, pairs)
	for i := range ratios {
		ratios[i] = perCall(f, n) / perCall(base, m)
	}
	slices.Sort(ratios)
	return ratios[pairs/2]
}

// repeats returns how often f runs in about 30 milliseconds, at least once. The
// fastest of three trials counts, since a busy machine interrupts some.
func repeats(f func()) int {
	const window = 30 * time.Millisecond
	for n := 1; ; n *= 2 {
		fastest := min(perCall(f, n), perCall(f, n), perCall(f, n))
		if fastest*float64(n) >= float64(window) {
			return n
		}
	}
}

func perCall(f func(), n int) float64 {
	start := time.Now()
	for range n {
		f()
	}
	return float64(time.Since(start)) / float64(n)
}
