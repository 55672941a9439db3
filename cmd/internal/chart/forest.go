package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Differences are the rows and the axis of a forest plot: each arm of a comparison
// against its baseline. All numbers are points. Every text is safe to print.
type Differences struct {
	Marks   string // what has to stand in front; empty for an honest measurement
	Name    string // model, n and date
	Verdict string
	Axis    string // names the axis
	Drawn   string // names the interval that is drawn

	Rows       []Difference // challengers, then controls
	More       int          // arms that are left out, because a plot has its limits
	Worthwhile float64
	Low, High  float64 // of the axis
	Ticks      []float64
}

// Difference is a row of a forest plot.
type Difference struct {
	Name      string
	Control   bool
	Winner    bool
	Identical string // the arm that it equals; there is then no mark to draw
	At        float64
	stats.Interval
}

// Value says a row's numbers in words.
func (d Difference) Value() string {
	if d.Identical != "" {
		return "identical to " + d.Identical
	}
	return fmt.Sprintf("%s [%s, %s]", show.Signed(d.At), show.Signed(d.Low), show.Signed(d.High))
}

// Label names a row, with a word for the winner.
func (d Difference) Label() string {
	if d.Winner {
		return d.Name + " (winner)"
	}
	return d.Name
}

// maxRows is how many arms a plot has room for.
const maxRows = 60

// nameWidth is how many characters of an arm's name a plot shows.
const nameWidth = 40

// short leaves out the middle of a name that is too long: names of arms begin with
// the placement and end with the number of documents.
func short(name string) string {
	name = show.Line(name)
	if r := []rune(name); len(r) > nameWidth {
		return string(r[:nameWidth-16]) + "…" + string(r[len(r)-15:])
	}
	return name
}

// Longest returns how many characters the longest label and value have, at least
// those of common ones.
func (d Differences) Longest() (label, value int) {
	label, value = 18, 22
	for _, row := range d.Rows {
		label = max(label, utf8.RuneCountInString(row.Label()))
		value = max(value, utf8.RuneCountInString(row.Value()))
	}
	return label, value
}

// DifferencesOf returns what a forest plot shows; no rows where nothing is counted.
func DifferencesOf(r compare.Result) Differences {
	d := Differences{
		Marks: table.Marks(r), Verdict: table.Verdict(r), Worthwhile: 100 * r.Worthwhile,
		Name: fmt.Sprintf("%s, n = %d", show.Cut(show.Line(strings.TrimPrefix(r.Model, model.SimulatedPrefix)), 60), r.Questions.Counted),
	}
	if r.Date != "" {
		d.Name += ", " + show.Line(r.Date)
	}
	if r.Questions.Counted == 0 || len(r.Arms) == 0 {
		return d
	}
	d.Axis, d.Drawn = "points against "+short(r.Arms[0].Name), "with "+table.RangeName(r)
	for _, controls := range []bool{false, true} {
		for _, a := range r.Arms {
			control := a.Kind != compare.Challenger
			if a.Against == nil || control != controls {
				continue
			}
			if len(d.Rows) == maxRows {
				d.More++
				continue
			}
			within := a.Against.Sequence
			d.Rows = append(d.Rows, Difference{
				Name: short(a.Name), Control: control, Winner: a.Name == r.Winner,
				Identical: short(a.Identical), At: 100 * a.Against.Difference,
				Interval: stats.Interval{Low: 100 * within.Low, High: 100 * within.High},
			})
		}
	}
	d.scale()
	return d
}

// scale makes the axis hold all intervals, zero and the worthwhile gain.
func (d *Differences) scale() {
	d.Low, d.High = -1, max(1, d.Worthwhile)
	for _, row := range d.Rows {
		if row.Identical == "" {
			d.Low, d.High = min(d.Low, row.At, row.Low), max(d.High, row.At, row.High)
		}
	}
	step := 50.0
	for _, finer := range []float64{25, 20, 10, 5, 2, 1, 0.5} {
		if (d.High-d.Low)/finer <= 8 {
			step = finer
		}
	}
	first, last := math.Floor(d.Low/step+1e-9), math.Ceil(d.High/step-1e-9)
	d.Low, d.High = first*step, last*step
	for i := first; i <= last; i++ {
		d.Ticks = append(d.Ticks, i*step)
	}
}

// Title is the name with its marks in front.
func (d Differences) Title() string {
	if d.Marks == "" {
		return d.Name
	}
	return d.Marks + ": " + d.Name
}

// WorthwhileName names the line at the smallest gain that matters.
func (d Differences) WorthwhileName() string {
	return fmt.Sprintf("worthwhile gain: +%.3g", d.Worthwhile)
}

// Labelled says which ticks have room for their number: all, or every second one and
// so on, zero among them. need is what a number takes, as a share of the axis.
func (d Differences) Labelled(need float64) []bool {
	every := max(1, int(math.Ceil(need*float64(len(d.Ticks)-1))))
	zero := slices.Index(d.Ticks, 0)
	labelled := make([]bool, len(d.Ticks))
	for i := range labelled {
		labelled[i] = (i-zero)%every == 0
	}
	return labelled
}

// TickName is what stands at a tick.
func TickName(at float64) string {
	return strings.Replace(fmt.Sprintf("%g", at), "-", "−", 1)
}

// LeftOut says which arms are missing; empty for none.
func (d Differences) LeftOut() string {
	if d.More == 0 {
		return ""
	}
	return fmt.Sprintf("%s more stand in the table alone", show.Count(d.More, "arm"))
}

// hasControls says whether any arm is a control.
func (d Differences) hasControls() bool {
	for _, row := range d.Rows {
		if row.Control {
			return true
		}
	}
	return false
}
