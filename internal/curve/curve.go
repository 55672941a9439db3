// Package curve lays a curve that was measured at some slots along a prompt.
package curve

import (
	"cmp"
	"slices"
)

// At returns the value in one slot of a prompt of n documents: linear between the measured
// slots of a prompt of so many documents, with the ends laid on the ends. slots are
// ascending, 0 and documents-1 among them, and values run parallel to them. It costs
// O(log slots).
func At(slots []int, values []float64, documents, slot, n int) float64 {
	x := float64(slot) / float64(max(n-1, 1)) * float64(documents-1)
	i, exact := slices.BinarySearchFunc(slots, x, func(slot int, x float64) int { return cmp.Compare(float64(slot), x) })
	if exact {
		return values[i]
	}
	left, right := float64(slots[i-1]), float64(slots[i])
	return values[i-1] + (values[i]-values[i-1])*(x-left)/(right-left)
}
