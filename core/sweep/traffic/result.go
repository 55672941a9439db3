package traffic

import (
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep"
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
	Verdict *sweep.Verdict `json:"verdict,omitempty"`
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

func newWindow(start time.Time, g *groups) Window {
	n := g.n
	w := Window{Start: start, Requests: int(g.sum[n*n+2*n])}
	for _, c := range g.sum[n*n : n*n+n] {
		w.Citations += int(c)
	}
	cited, expected, used := make([]float64, n), make([]float64, n), make([]float64, n)
	g.sum.floats().estimate(n, cited, expected, used)
	for _, e := range expected {
		if e < minExpected {
			return w
		}
	}
	w.Used = used
	return w
}

func drift(n int, shown []Window, windows map[int64]*groups, slots []Slot) *Drift {
	d := &Drift{}
	cited, expected, used := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, w := range shown {
		if w.Used == nil {
			continue
		}
		windows[w.Start.Unix()].sum.floats().estimate(n, cited, expected, used)
		d.Windows++
		for slot, e := range expected {
			if want := e * slots[slot].Used; want > 0 {
				d.Statistic += square(cited[slot]-want) / want
			}
		}
	}
	if d.Windows < 2 {
		return nil
	}
	d.Freedom = (d.Windows - 1) * (n - 1)
	d.P = distuv.ChiSquared{K: float64(d.Freedom)}.Survival(d.Statistic)
	return d
}

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
