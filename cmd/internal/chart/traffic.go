package chart

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// UseName names a curve of use in one line.
func UseName(c traffic.Curve) string {
	name := fmt.Sprintf("%s, n = %d", show.Cut(show.Line(c.Key.String()), 80), c.Requests)
	if c.Units < c.Requests {
		name += fmt.Sprintf(" (%d independent)", c.Units)
	}
	return name
}

// UseFile is the name of the file for curve i: they are numbered from the second one on.
func UseFile(curves []traffic.Curve, i int) string {
	number := 1
	for _, c := range curves[:i] {
		if c.Curve != nil {
			number++
		}
	}
	if number == 1 {
		return "curve.json"
	}
	return fmt.Sprintf("curve-%d.json", number)
}

// maxUse is how many curves one picture shows.
const maxUse = 7

// UsePicture draws how much each slot is used, with the intervals, as an SVG and as
// a PNG file: the curves with the most requests. Both are nil where there is none.
func UsePicture(curves []traffic.Curve) (svg, png []byte, err error) {
	var shown []traffic.Curve
	for _, c := range curves {
		if c.Slots != nil && len(shown) < maxUse {
			shown = append(shown, c)
		}
	}
	if len(shown) == 0 {
		return nil, nil, nil
	}
	p := plot.New()
	p.Title.Text = "How much each slot is used"
	if len(shown) == 1 {
		p.Title.Text = UseName(shown[0])
	}
	p.Title.TextStyle.Font.Size = 14
	p.Title.Padding = 10
	p.BackgroundColor = color.White
	p.X.Label.Text = "place of the document, from the top of the prompt to its end"
	p.Y.Label.Text = "citations, average slot = 1"
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = 12
		axis.Label.Padding = 8
		axis.Tick.Label.Font.Size = 11
	}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.NRGBA{0, 0, 0, 0x22}
	p.Add(grid)
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = 11
	p.Legend.Padding = 3
	p.Legend.ThumbnailWidth = 24

	same, high := true, 1.0
	for _, c := range shown {
		same = same && c.Documents == shown[0].Documents
	}
	last := 1.0
	if same {
		last = float64(shown[0].Documents - 1)
		p.X.Label.Text = "slot (1 is the top of the prompt)"
		p.X.Tick.Marker = plot.ConstantTicks(useTicks(shown[0].Documents))
	}
	for i, c := range shown {
		x := func(slot int) float64 { return float64(slot) / float64(c.Documents-1) * last }
		var line, band plotter.XYs
		for _, s := range c.Slots {
			line = append(line, plotter.XY{X: x(s.Slot), Y: s.Used})
			band = append(band, plotter.XY{X: x(s.Slot), Y: s.High})
			high = max(high, s.High)
		}
		for j := len(c.Slots) - 1; j >= 0; j-- {
			band = append(band, plotter.XY{X: x(c.Slots[j].Slot), Y: c.Slots[j].Low})
		}
		area, err := plotter.NewPolygon(band)
		if err != nil {
			return nil, nil, err
		}
		light := colors[i%len(colors)]
		light.A = 0x30
		area.Color, area.LineStyle.Width = light, 0
		curve, points, err := plotter.NewLinePoints(line)
		if err != nil {
			return nil, nil, err
		}
		curve.Color, curve.Width = colors[i%len(colors)], 2
		points.Color, points.Shape, points.Radius = colors[i%len(colors)], draw.CircleGlyph{}, 3
		p.Add(area, curve, points)
		if len(shown) > 1 {
			p.Legend.Add(UseName(c), curve, points)
		} else {
			p.Legend.Add("how much each slot is used", curve, points)
			p.Legend.Add("its 95 % interval, which holds at every look", area)
		}
	}
	level, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 1}, {X: last, Y: 1}})
	if err != nil {
		return nil, nil, err
	}
	level.Width, level.Dashes, level.Color = 1.5, []vg.Length{2, 3}, color.NRGBA{0x33, 0x33, 0x33, 0xff}
	p.Add(level)
	p.Legend.Add("average slot", level)
	p.X.Min, p.X.Max = 0, last
	p.Y.Min, p.Y.Max = 0, math.Ceil(high*4)/4+0.12*float64(max(len(shown), 2)+1) // room for the legend
	var ticks []plot.Tick
	step := math.Max(math.Ceil(high/5)/2, 0.5)
	for v := 0.0; v <= p.Y.Max; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%g", v)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	return files(p, pictureWidth, pictureHeight)
}

func useTicks(documents int) []plot.Tick {
	var ticks []plot.Tick
	step := (documents + maxSlotTicks - 1) / maxSlotTicks
	for slot := 0; slot < documents; slot += step {
		ticks = append(ticks, plot.Tick{Value: float64(slot), Label: fmt.Sprint(slot + 1)})
	}
	return ticks
}
