package traffic

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
)

var meaning = map[core.Shape]string{
	core.ShapeU:         "documents at both ends are used more than those in the middle",
	core.ShapeInverted:  "documents in the middle are used more than those at both ends",
	core.ShapePrimacy:   "documents at the start are used most",
	core.ShapeRecency:   "documents at the end are used most",
	core.ShapeFlat:      "all slots are used alike, to within a tenth",
	core.ShapeUndecided: "too few requests to tell the shape",
}

// finding says in one line what the curve is.
func (c Curve) finding() string {
	best, worst := c.Slots[0], c.Slots[0]
	for _, s := range c.Slots {
		if s.Used > best.Used {
			best = s
		}
		if s.Used < worst.Used {
			worst = s
		}
	}
	text := fmt.Sprintf("%s: %s. Slot %d is used %.2f times as much as the average, slot %d %.2f times (%d shuffled requests).",
		c.Verdict.Shape, meaning[c.Verdict.Shape], best.Slot, best.Used, worst.Slot, worst.Used, c.Requests)
	if c.Needed > 0 {
		text += fmt.Sprintf(" About %s more shuffled requests would settle it.", about(c.Needed))
	}
	if c.Drift.Changed() {
		text += fmt.Sprintf(" The curve changed between windows (p = %.2g): look at them one by one.", c.Drift.P)
	}
	return text
}

// about rounds to two digits.
func about(n int) string {
	unit := math.Pow(10, math.Max(math.Floor(math.Log10(float64(n)))-1, 0))
	return fmt.Sprintf("%.0f", math.Ceil(float64(n)/unit)*unit)
}
