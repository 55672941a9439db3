package traffic

import (
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/fitness"
)

// Result is what a Collector found.
type Result struct {
	Together bool   `json:"together"` // models and prompt sizes in one curve
	Window   string `json:"window"`   // such as "24h0m0s"
	// First and Last are the times of the earliest and the latest entry.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Shuffled and Configured count all entries; only the shuffled make curves.
	Shuffled   Arm `json:"shuffled"`
	Configured Arm `json:"configured"`
	// OtherSize counts shuffled and answered requests with fewer than 2 or more than
	// MaxDocuments documents in the prompt, NoRoom those for which there was no memory.
	// Neither makes a curve.
	OtherSize int   `json:"other_size,omitempty"`
	NoRoom    int   `json:"no_room,omitempty"`
	Torn      int64 `json:"torn,omitempty"` // bytes of torn last lines
	// Curves go from the one with the most requests to the one with the fewest.
	Curves []Curve `json:"curves"`
}

// Curve is what the requests of one Key say.
type Curve struct {
	Key
	Requests int `json:"requests"` // shuffled and answered
	// OutOfOrder counts further ones whose documents do not stand in the order of the
	// recorded seed: grouped by source, or left as ranked. They make no curve.
	OutOfOrder int `json:"out_of_order,omitempty"`
	// Units is how many of the requests are independent: those of one ID or one question
	// are one unit, and count as one in everything below.
	Units     int `json:"units"`
	Citations int `json:"citations"`
	// Unfit says why the requests can make no curve however many there are, with the
	// figures; else nil. Slots and Verdict are empty then, and where there are too few
	// citations.
	Unfit   *fitness.Unfit `json:"unfit,omitempty"`
	Slots   []Slot         `json:"slots,omitempty"`
	Verdict *Verdict       `json:"verdict,omitempty"`
	// Needed is about how many more shuffled requests would settle an undecided
	// shape, or give a first estimate; 0 where it is settled, or cannot be told.
	Needed  int      `json:"needed,omitempty"`
	Windows []Window `json:"windows"`
	Drift   *Drift   `json:"drift,omitempty"` // nil for fewer than two windows with enough citations
	Finding string   `json:"finding"`
	// Curve is the file for core.Measured.
	Curve *core.Curve `json:"-"`
}

// Window is what one span of time says, without intervals.
type Window struct {
	Start     time.Time `json:"start"`
	Requests  int       `json:"requests"`
	Citations int       `json:"citations"`
	// Used runs by slot, as Slot.Used; empty where a slot expects too few citations.
	Used []float64 `json:"used,omitempty"`
}

// Drift says whether the curve changed between windows. It may be looked at as often as
// one likes, and errs on the safe side. It is no drift where answers cite more or
// less altogether: Used is relative to each window's own citations.
type Drift struct {
	Windows int `json:"windows"` // with enough citations
	// Evidence is an e-value against one curve in all windows, 1e9 at most.
	Evidence float64 `json:"evidence"`
}

// Changed says whether the evidence reaches 20.
func (d *Drift) Changed() bool { return d != nil && d.Evidence >= nameAt }
