package traffic

import (
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
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
	// MaxDocuments documents in the prompt, NoRoom those of a curve or a window that
	// was one too many for the memory. Neither makes a curve.
	OtherSize int   `json:"other_size,omitempty"`
	NoRoom    int   `json:"no_room,omitempty"`
	Torn      int64 `json:"torn,omitempty"` // bytes of torn last lines
	// Curves go from the one with the most requests to the one with the fewest.
	Curves []Curve `json:"curves"`
}

// Curve is what the requests of one Key say.
type Curve struct {
	Key
	Requests  int `json:"requests"` // shuffled and answered
	Citations int `json:"citations"`
	// Slots and Verdict are empty where there are too few citations. The Questions of
	// the contrasts are requests.
	Slots   []Slot         `json:"slots,omitempty"`
	Verdict *shape.Verdict `json:"verdict,omitempty"`
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

// Drift says whether the curve changed between windows: a chi-squared test of what
// was cited in each slot and window against what the ranks of that window and the
// curve of all windows let expect. It errs on the safe side, since citations vary a
// little less than the test assumes. Used in a window that changed by itself, such
// as the citations an answer, is no drift.
type Drift struct {
	Windows   int     `json:"windows"` // with enough citations
	Statistic float64 `json:"statistic"`
	Freedom   int     `json:"freedom"`
	P         float64 `json:"p"`
}

// Changed says whether the test rejects at 5 %.
func (d *Drift) Changed() bool { return d != nil && d.P < 0.05 }
