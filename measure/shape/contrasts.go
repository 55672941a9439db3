package shape

import (
	"math"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/stats"
)

// Contrast compares two zones of a curve. For each question the mean score in one zone
// is subtracted from that in the other; the contrast is the mean of these differences.
// All of it holds however often one looked, for independent questions.
type Contrast struct {
	// Questions is the number of independent values behind it: questions, or clusters
	// of questions that hang together. 0 says that there is no such contrast, because
	// no slot of one of the zones was asked.
	Questions int     `json:"questions"`
	Mean      float64 `json:"mean"` // from -1 to 1; above 0 when the first zone is read better
	// LogAbove and LogBelow are the evidence that it is above 0, and below 0: natural
	// logarithms of e-values.
	LogAbove float64 `json:"log_above"`
	LogBelow float64 `json:"log_below"`
	// Up and Down say that this evidence reaches 10, which counts once some contrast
	// is surely not 0. Small says that a contrast of Margin or more is excluded, to
	// either side.
	Up    bool `json:"up"`
	Down  bool `json:"down"`
	Small bool `json:"small"`
	// Interval is the confidence sequence at 95 %, of this contrast alone.
	stats.Interval
}

// Contrasts are the three contrasts that a shape is judged by. The start of a
// prompt is its slots up to 15 % of the way, the end those from 85 %, the middle
// those from 25 to 75 %; slots between the zones belong to none.
type Contrasts struct {
	StartMiddle Contrast `json:"start_middle"` // start minus middle
	EndMiddle   Contrast `json:"end_middle"`   // end minus middle
	StartEnd    Contrast `json:"start_end"`    // start minus end
}

const (
	// flatMargin is how close to 0 every contrast must surely be for a curve to be
	// called flat.
	flatMargin = 0.05
	alpha      = 0.05
)

var (
	namesLimit = -math.Log(alpha) // for any contrast at all, and for each side of a small one
	eachLimit  = math.Log(10)     // for each contrast of a shape
)

// difference is the running evidence about one contrast.
type difference struct{ evidence.Mean }

func (d *difference) up() bool   { return d.LogAbove(0) >= eachLimit }
func (d *difference) down() bool { return d.LogBelow(0) >= eachLimit }
func (d *difference) small() bool {
	return d.LogBelow(flatMargin) >= namesLimit && d.LogAbove(-flatMargin) >= namesLimit
}

// known says whether it is clear what the contrast is.
func (d *difference) known() bool { return d.up() || d.down() || d.small() }

func (d *difference) contrast() Contrast {
	if d.Len() == 0 {
		return Contrast{}
	}
	interval, _ := d.Interval(alpha) // the error is that of another alpha
	return Contrast{
		Questions: d.Len(), Mean: d.Value(), LogAbove: d.LogAbove(0), LogBelow: d.LogBelow(0),
		Up: d.up(), Down: d.down(), Small: d.small(), Interval: interval,
	}
}
