package dataset

import (
	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
)

// QuestionOrder returns the order in which a seed asks the n questions of a dataset:
// a permutation of 0 … n-1, the same under every version of Go.
func QuestionOrder(n int, seed uint64) []int {
	order, draw := slot.All(n), random.From(random.Join(seed, 0x7155))
	for i := n - 1; i > 0; i-- {
		j := random.Below(draw.Next, i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
