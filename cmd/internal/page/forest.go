package page

import (
	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/table"
)

// forest is a forest plot as the numbers of an inline SVG, like figure.
type forest struct {
	Class            string // "wide" or "narrow"
	Width, Height    float64
	Left, Right      float64 // of the axis
	Top, Bottom      float64
	Title, Axis      string
	Middle           float64 // of the axis, for its name
	Ticks            []tick
	Zero, Worthwhile float64
	Rows             []forestRow
	Stamps           []stamp
}

// stamp is a warning in the picture.
type stamp struct {
	At   float64
	Text string
}

type forestRow struct {
	Class         string // "challenger", "winner" or "control"
	Label, Value  string
	Anchor        string // of the label: "end" or "start"
	LabelX        float64
	LabelY        float64
	ValueX        float64
	ValueAnchor   string
	Y             float64
	At, Low, High float64
	Drawn         bool // false where there is nothing but the value
	Cover         bool // the words stand where the lines of the axis pass
}

func forests(d chart.Differences, warnings []table.Warning) []forest {
	if len(d.Rows) == 0 {
		return nil
	}
	return []forest{newForest("wide", d, warnings), newForest("narrow", d, warnings)}
}

// newForest puts name and numbers beside the bars where there is room, else above
// them.
func newForest(class string, d chart.Differences, warnings []table.Warning) forest {
	wide := class == "wide"
	f := forest{Class: class, Title: d.Title() + ": " + d.Verdict, Axis: d.Axis, Top: 10}
	for _, w := range warnings {
		f.Stamps = append(f.Stamps, stamp{f.Top + 8, w.Mark})
		f.Top += 22
	}
	width, rowHeight, left, right, bar := 380.0, 48.0, 14.0, 366.0, 32.0
	if wide {
		width, rowHeight, left, right, bar = 960.0, 34.0, 270.0, 740.0, 17.0
	}
	f.Width, f.Left, f.Right, f.Middle = width, left, right, (left+right)/2
	f.Bottom = f.Top + rowHeight*float64(len(d.Rows))
	f.Height = f.Bottom + 52
	x := func(at float64) float64 { return round(left + (at-d.Low)/(d.High-d.Low)*(right-left)) }
	f.Zero, f.Worthwhile = x(0), x(d.Worthwhile)
	for _, at := range d.Ticks {
		f.Ticks = append(f.Ticks, tick{x(at), chart.TickName(at)})
	}
	for i, row := range d.Rows {
		top := f.Top + rowHeight*float64(i)
		r := forestRow{
			Class: "challenger", Label: row.Label(), Value: row.Value(),
			Anchor: "start", LabelX: left, LabelY: top + 16, ValueX: right, ValueAnchor: "end",
			Y: top + bar, At: x(row.At), Low: x(row.Low), High: x(row.High), Drawn: row.Identical == "", Cover: !wide,
		}
		if wide {
			r.Anchor, r.LabelX, r.LabelY, r.ValueX, r.ValueAnchor = "end", left-14, r.Y+4, right+14, "start"
		}
		switch {
		case row.Winner:
			r.Class = "winner"
		case row.Control:
			r.Class = "control"
		}
		f.Rows = append(f.Rows, r)
	}
	return f
}

// TickEnd is the lower end of a tick.
func (f forest) TickEnd() float64 { return f.Bottom + 5 }

// StampAt is the middle of the picture.
func (f forest) StampAt() float64 { return f.Width / 2 }

// CoverTop is where the words begin that are above the bar.
func (r forestRow) CoverTop() float64 { return r.LabelY - 15 }

// CapTop is the upper end of the caps of an interval.
func (r forestRow) CapTop() float64 { return r.Y - 5 }

// CapEnd is their lower end.
func (r forestRow) CapEnd() float64 { return r.Y + 5 }
