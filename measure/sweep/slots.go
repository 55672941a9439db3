package sweep

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
)

// DenseSlots picks k slots of a prompt of that many documents, ascending: both
// ends, and the others closer together the nearer they are to an end, where curves
// bend. From k = 3 on, one at least stands in the middle half. The choice is
// symmetric. The error is a *core.ConfigError unless 2 <= k <= documents.
func DenseSlots(documents, k int) ([]int, error) {
	if k < 2 || k > documents {
		return nil, &core.ConfigError{
			Field: "slots", Value: k, Rule: fmt.Sprintf("must be 2, for both ends, to %d, the number of documents", documents),
		}
	}
	last, half := documents-1, k/2
	limit := (last - 1) / 2 // of the left half, which the right one mirrors
	if k%2 == 1 {
		limit = last/2 - 1
	}
	slots := make([]int, k)
	for i := range half {
		x := (1 - math.Cos(math.Pi*float64(i)/float64(k-1))) / 2
		slot := int(math.Round(x * float64(last)))
		if i > 0 {
			slot = max(slot, slots[i-1]+1)
		}
		if k == 4 && i == 1 {
			slot = max(slot, (last+3)/4) // into the middle half
		}
		slot = min(slot, limit-(half-1-i)) // leaves room for the rest
		slots[i], slots[k-1-i] = slot, last-slot
	}
	if k%2 == 1 {
		slots[half] = last / 2
	}
	return slots, nil
}

// ParseSlots reads the slots to measure in a prompt of that many documents: "all"
// or nothing, a number for DenseSlots, or a list such as "1,5,10", a single one with a
// comma, "5,". A list counts slots from 1, as people do; what is returned counts from 0.
// The error is a *core.ConfigError.
func ParseSlots(text string, documents int) ([]int, error) {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "all") {
		return slot.All(max(documents, 0)), nil
	}
	fault := &core.ConfigError{Field: "slots", Value: text, Rule: "use all, a number of slots, or a list of slots such as 1,5,10"}
	if !strings.Contains(text, ",") {
		k, err := strconv.Atoi(text)
		if err != nil {
			return nil, fault
		}
		return DenseSlots(documents, k)
	}
	var slots []int
	for _, word := range strings.Split(strings.TrimSuffix(text, ","), ",") {
		slot, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fault
		}
		if slot < 1 || slot > documents {
			return nil, &core.ConfigError{Field: "slots", Value: text, Rule: fmt.Sprintf("the slots of %d documents go from 1 to %d", documents, documents)}
		}
		slots = append(slots, slot-1)
	}
	if err := slot.Check(documents, slots); err != nil {
		fault.Rule = "each slot must be given once, in ascending order"
		return nil, fault
	}
	return slots, nil
}
