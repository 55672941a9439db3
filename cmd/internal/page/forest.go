package page

import (
	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
)

// forest is a forest plot as the numbers of an inline SVG, like figure.
type forest struct {
	Class            string // "wide" or "narrow"
	Width, Height    float64
	Left, Right      float64 // of the axis
	Top, Bottom      float64
	Title            string
	Ticks            []tick
	Zero, Worthwhile float64
	Rows             []forestRow
	Cover            float64 // height of the words above a bar, where the lines of the axis stop; 0: they stand beside it
	Axis, Stamps     []words
}

// words are a line of text in the middle of the axis or of the picture.
type words struct {
	At   float64
	Text string
}

type forestRow struct {
	Class               string // "challenger", "winner" or "control"
	Label, Value        string
	Anchor, ValueAnchor string
	LabelX, LabelY      float64
	ValueX, ValueY      float64
	Y                   float64
	At, Low, High       float64
	Drawn               bool // false where there is nothing but the value
}

func forests(d chart.Differences, warnings []table.Warning) []forest {
	if len(d.Rows) == 0 {
		return nil
	}
	return []forest{wideForest(d, warnings), narrowForest(d, warnings)}
}

// The room in the pictures that a character takes, and the number at a tick.
const (
	character = 7.4
	tickWidth = 34
)

// wideForest has names and numbers beside the bars.
func wideForest(d chart.Differences, warnings []table.Warning) forest {
	label, value := d.Longest()
	const rowHeight, gap = 34, 14
	f := forest{Class: "wide", Width: 960}
	f.Left, f.Right = max(150, 30+character*float64(label)), f.Width-gap-character*float64(value)
	f.stamp(warnings)
	f.frame(d, rowHeight)
	f.Axis = []words{{f.Bottom + 44, d.Axis + ", " + d.Drawn}}
	f.Height = f.Bottom + 54
	for i := range f.Rows {
		r := &f.Rows[i]
		r.Y = f.Top + rowHeight*(float64(i)+0.5)
		r.Anchor, r.LabelX, r.LabelY = "end", f.Left-gap, r.Y+4
		r.ValueAnchor, r.ValueX, r.ValueY = "start", f.Right+gap, r.Y+4
	}
	return f
}

// narrowForest has them above the bars, on one line where there is room.
func narrowForest(d chart.Differences, warnings []table.Warning) forest {
	f := forest{Class: "narrow", Width: 380, Left: 14, Right: 366, Cover: 21}
	label, value := d.Longest()
	two := character*float64(label+value) > f.Right-f.Left
	rowHeight := 48.0
	if two {
		f.Cover, rowHeight = 39, 66
	}
	f.stamp(warnings)
	f.frame(d, rowHeight)
	f.Axis = []words{{f.Bottom + 42, d.Axis}, {f.Bottom + 59, d.Drawn}}
	f.Height = f.Bottom + 68
	for i := range f.Rows {
		r := &f.Rows[i]
		top := f.Top + rowHeight*float64(i)
		r.Y = top + rowHeight - 16
		r.Anchor, r.LabelX, r.LabelY = "start", f.Left, top+16
		r.ValueAnchor, r.ValueX, r.ValueY = "end", f.Right, top+16
		if two {
			r.ValueAnchor, r.ValueX, r.ValueY = "start", f.Left, top+34
			r.Value = show.Cut(r.Value, int((f.Right-f.Left)/6.8))
		}
	}
	return f
}

// stamp writes the warnings above the plot.
func (f *forest) stamp(warnings []table.Warning) {
	f.Top = 10
	for _, w := range warnings {
		f.Stamps = append(f.Stamps, words{f.Top + 8, w.Mark})
		f.Top += 22
	}
}

// frame lays out the axis and what is drawn upon it.
func (f *forest) frame(d chart.Differences, rowHeight float64) {
	f.Title = d.Title() + ": " + d.Verdict
	f.Bottom = f.Top + rowHeight*float64(len(d.Rows))
	x := func(at float64) float64 { return round(f.Left + (at-d.Low)/(d.High-d.Low)*(f.Right-f.Left)) }
	f.Zero, f.Worthwhile = x(0), x(d.Worthwhile)
	labelled := d.Labelled(tickWidth / (f.Right - f.Left))
	for i, at := range d.Ticks {
		t := tick{At: x(at)}
		if labelled[i] {
			t.Label = chart.TickName(at)
		}
		f.Ticks = append(f.Ticks, t)
	}
	for _, row := range d.Rows {
		r := forestRow{
			Class: "challenger", Label: row.Label(), Value: row.Value(),
			At: x(row.At), Low: x(row.Low), High: x(row.High), Drawn: row.Identical == "",
		}
		switch {
		case row.Winner:
			r.Class = "winner"
		case row.Control:
			r.Class = "control"
		}
		f.Rows = append(f.Rows, r)
	}
}

// Middle is that of the axis.
func (f forest) Middle() float64 { return round((f.Left + f.Right) / 2) }

// StampAt is the middle of the picture.
func (f forest) StampAt() float64 { return f.Width / 2 }

// TickEnd is the lower end of a tick.
func (f forest) TickEnd() float64 { return f.Bottom + 5 }

// CoverTop is where the words begin that stand above the bar.
func (r forestRow) CoverTop() float64 { return r.LabelY - 15 }

// CapTop is the upper end of the caps of an interval.
func (r forestRow) CapTop() float64 { return r.Y - 5 }

// CapEnd is their lower end.
func (r forestRow) CapEnd() float64 { return r.Y + 5 }
