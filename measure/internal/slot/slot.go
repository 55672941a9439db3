package slot

import (
	"fmt"

	"github.com/bookend-rag/bookend/core"
)

// All returns 0 to n-1.
func All(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Check returns a *core.ConfigError unless slots are one or more of a prompt of that
// many documents, 2 or more, each once and ascending.
func Check(documents int, slots []int) error {
	if documents < 2 {
		return &core.ConfigError{Field: "documents", Value: documents, Rule: "a curve needs 2 or more"}
	}
	if len(slots) == 0 {
		return &core.ConfigError{Field: "slots", Value: slots, Rule: "at least one slot must be measured"}
	}
	for i, slot := range slots {
		if slot < 0 || slot >= documents {
			return &core.ConfigError{
				Field: "slots", Value: slot,
				Rule: fmt.Sprintf("slots of %d documents go from 0 to %d", documents, documents-1),
			}
		}
		if i > 0 && slot <= slots[i-1] {
			return &core.ConfigError{Field: "slots", Value: slots, Rule: "each slot must be given once, in ascending order"}
		}
	}
	return nil
}
