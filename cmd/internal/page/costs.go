package page

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/table"
)

// costPlot is what each arm gains against what it costs, as the numbers of an inline SVG.
type costPlot struct {
	Class         string // "wide" or "narrow"
	Width, Height float64
	Left, Right   float64
	Top, Bottom   float64
	Title         string
	XName, YName  string
	YNameAt       float64
	Rows, Columns []tick
	Zero, Margin  float64
	MarginName    string
	Margined      bool
	Points        []costPoint
	Stamps        []words
}

type costPoint struct {
	Class, Label   string
	Anchor         string
	X, Y           float64
	Low, High      float64
	LabelX, LabelY float64
}

func costPlots(c chart.Costs, warnings []table.Warning) []costPlot {
	if len(c.Points) == 0 {
		return nil
	}
	return []costPlot{
		newCostPlot(costPlot{Class: "wide", Width: 960, Height: 460}, c, warnings),
		newCostPlot(costPlot{Class: "narrow", Width: 380, Height: 380}, c, warnings),
	}
}

func newCostPlot(f costPlot, c chart.Costs, warnings []table.Warning) costPlot {
	f.Top = 10
	for _, w := range warnings {
		f.Stamps = append(f.Stamps, words{f.Top + 8, w.Mark})
		f.Top += 22
	}
	f.YNameAt = f.Top + 12
	f.Top += 26
	f.Left, f.Right, f.Bottom = 48, f.Width-26, f.Height-54
	f.Title, f.XName, f.YName = c.Title, c.XName, c.YName
	x := func(v float64) float64 { return round(f.Left + (v-c.Cheap)/(c.Dear-c.Cheap)*(f.Right-f.Left)) }
	y := func(v float64) float64 { return round(f.Bottom - (v-c.Low)/(c.High-c.Low)*(f.Bottom-f.Top)) }
	for _, at := range c.Ticks {
		f.Rows = append(f.Rows, tick{y(at), chart.TickName(round(at))})
	}
	every := int(math.Ceil(float64(len(c.CostTicks)) * 44 / (f.Right - f.Left)))
	for i, at := range c.CostTicks {
		t := tick{At: x(at)}
		if i%every == 0 {
			t.Label = chart.CostName(at)
		}
		f.Columns = append(f.Columns, t)
	}
	f.Zero = y(0)
	if f.Margined = c.Margin < 0; f.Margined {
		f.Margin, f.MarginName = y(c.Margin), c.MarginName()
	}
	for _, p := range c.Points {
		at := costPoint{Class: "challenger", Label: p.Name, X: x(p.Cost), Y: y(p.At), Low: y(p.Low), High: y(p.High)}
		switch {
		case p.Winner:
			at.Class = "winner"
		case p.Baseline:
			at.Class = "control"
		}
		f.Points = append(f.Points, at)
	}
	f.label()
	return f
}

// label puts the name of each point beside it, and lower where another name stands.
func (f *costPlot) label() {
	type box struct{ left, right, at float64 }
	var taken []box
	const high = 16
	order := make([]*costPoint, len(f.Points)) // from above, so that a name moves past each other once
	for i := range f.Points {
		order[i] = &f.Points[i]
	}
	slices.SortStableFunc(order, func(a, b *costPoint) int { return cmp.Compare(a.Y, b.Y) })
	for _, p := range order {
		width := character * float64(utf8.RuneCountInString(p.Label))
		p.Anchor, p.LabelX, p.LabelY = "start", p.X+9, p.Y+4
		b := box{p.LabelX, p.LabelX + width, p.LabelY}
		if b.right > f.Right {
			p.Anchor, p.LabelX = "end", p.X-9
			b.left, b.right = p.LabelX-width, p.LabelX
		}
		slices.SortFunc(taken, func(s, t box) int { return cmp.Compare(s.at, t.at) })
		for _, t := range taken {
			if b.left < t.right && t.left < b.right && b.at < t.at+high && t.at < b.at+high {
				b.at = t.at + high
			}
		}
		p.LabelY = round(b.at)
		taken = append(taken, b)
	}
}

// Middle is that of the axis.
func (f costPlot) Middle() float64 { return round((f.Left + f.Right) / 2) }

// StampAt is the middle of the picture.
func (f costPlot) StampAt() float64 { return f.Width / 2 }

// TickEnd is the lower end of a tick.
func (f costPlot) TickEnd() float64 { return f.Bottom + 5 }
