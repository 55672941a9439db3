package worth

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/curve"
)

// AccuracyBySlot returns the measured accuracy of a curve in each slot of a prompt
// of n documents, as shares: linear between the measured slots, with the ends laid
// on the ends. With another n than its own the curve is stretched, and nobody
// measured it at that size. The error is that of a curve that breaks a rule, or a
// *core.ConfigError for an n below 1. It costs O(n log slots).
func AccuracyBySlot(c *core.Curve, n int) ([]float64, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, &core.ConfigError{Field: "n", Value: n, Rule: "a prompt needs 1 document or more"}
	}
	return Along(c.Slots, c.Accuracy, c.Documents, n), nil
}

// Along returns the accuracy in each slot of a prompt of n documents, 1 or more: linear
// between measured slots of a prompt of so many documents, with the ends laid on the
// ends. slots are 2 or more, ascending, 0 and documents-1 among them. It is nil for an
// n below 1.
func Along(slots []int, accuracy []float64, documents, n int) []float64 {
	if n < 1 {
		return nil
	}
	laid := make([]float64, n)
	for slot := range laid {
		laid[slot] = curve.At(slots, accuracy, documents, slot, n)
	}
	return laid
}

// Expected returns the accuracy that an order of documents gives, when accuracy
// holds that of each slot, order the rank that stands in each slot, as core.Order
// has it, and gold how probable it is that a rank has the answer. If gold
// sums to less than 1, the rest is the probability that no document has the answer, which
// counts as wrong.
//
// It is arithmetic, not a measurement, and assumes two things: one document has the
// answer, and a document is read as well beside any others. The three run
// parallel, one value a document; else the error is a *core.ConfigError, as for an
// order that is no permutation and for values that are no shares. It costs O(n).
func Expected(accuracy []float64, order []int, gold []float64) (float64, error) {
	n := len(accuracy)
	if n == 0 || len(order) != n || len(gold) != n {
		return 0, &core.ConfigError{
			Field: "order", Value: fmt.Sprintf("%d accuracies, %d slots, %d ranks", n, len(order), len(gold)),
			Rule: "accuracy, order and gold need one value a document each",
		}
	}
	sum := 0.0
	for _, values := range [][]float64{accuracy, gold} {
		for _, v := range values {
			if !(v >= 0 && v <= 1) {
				return 0, &core.ConfigError{Field: "share", Value: v, Rule: "must be from 0 to 1"}
			}
		}
	}
	for _, p := range gold {
		sum += p
	}
	if sum > 1+1e-9 {
		return 0, &core.ConfigError{Field: "gold", Value: sum, Rule: "must add up to at most 1"}
	}
	seen, expected := make([]bool, n), 0.0
	for slot, rank := range order {
		if rank < 0 || rank >= n || seen[rank] {
			return 0, &core.ConfigError{Field: "order", Value: order, Rule: fmt.Sprintf("must hold each of the ranks 0 to %d once", n-1)}
		}
		seen[rank] = true
		expected += gold[rank] * accuracy[slot]
	}
	return expected, nil
}
