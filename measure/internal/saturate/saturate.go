// Package saturate counts what comes from outside without wrapping: a sum that an int
// cannot hold stays at the largest one, so that it never looks small.
package saturate

import "math"

// Add returns a + b of two numbers that are 0 or more, or the largest int.
func Add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Mul returns a · b of two numbers that are 0 or more, or the largest int.
func Mul(a, b int) int {
	if b > 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}
