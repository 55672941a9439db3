package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/sweep"
)

const (
	pictureWidth  = 9 * vg.Inch
	pictureHeight = 5.4 * vg.Inch
	pngDPI        = 120
)

// colors tell curves apart, for most kinds of colour vision too (Okabe and Ito).
var colors = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
	{0x66, 0x66, 0x66, 0xff},
}

// Picture draws the curves as an SVG and as a PNG file. Both are nil where there is
// no curve to draw.
func Picture(results []sweep.Result) (svg, png []byte, err error) {
	shown := Drawable(results)
	if len(shown) == 0 {
		return nil, nil, nil
	}
	p, err := picture(results, shown)
	if err != nil {
		return nil, nil, err
	}
	return files(p, pictureWidth, pictureHeight)
}

// files draws a plot as an SVG and as a PNG file.
func files(p *plot.Plot, width, height vg.Length) (svg, png []byte, err error) {
	vector := vgsvg.New(width, height)
	paper(draw.New(vector))
	p.Draw(inside(draw.New(vector)))
	var b bytes.Buffer
	if _, err := vector.WriteTo(&b); err != nil {
		return nil, nil, err
	}
	pixels := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))
	p.Draw(inside(draw.New(pixels)))
	var c bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: pixels}).WriteTo(&c); err != nil {
		return nil, nil, err
	}
	return named(b.Bytes(), p.Title.Text), c.Bytes(), nil
}

// named gives an SVG a role and a title, for whoever cannot see it.
func named(svg []byte, title string) []byte {
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(title)) // a buffer takes everything
	start := bytes.Index(svg, []byte("<svg"))
	end := start + bytes.IndexByte(svg[start:], '>')
	return slices.Concat(svg[:end], []byte(` role="img" aria-label="`), text.Bytes(), []byte(`">`+"\n<title>"), text.Bytes(), []byte("</title>"), svg[end+1:])
}

// paper paints the whole picture white.
func paper(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// inside leaves a margin.
func inside(c draw.Canvas) draw.Canvas { return draw.Crop(c, 8, -16, 8, -10) }

func picture(results, shown []sweep.Result) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = Title(results)
	p.Title.TextStyle.Font.Size = 14
	p.Title.Padding = 10
	p.BackgroundColor = color.White
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = 12
		axis.Label.Padding = 8
		axis.Tick.Label.Font.Size = 11
	}
	p.X.Label.Text = XName(shown)
	p.Y.Label.Text = "right answers, %"
	same := SameSize(shown)
	low, high := Range(shown, true)
	axis := span{low, high}
	p.Y.Min, p.Y.Max = 100*axis.low, 100*axis.high
	p.Y.Tick.Marker = plot.ConstantTicks(percentTicks(axis))
	p.X.Min, p.X.Max = 0, 1
	if same {
		p.X.Max = float64(shown[0].Documents - 1)
		p.X.Tick.Marker = plot.ConstantTicks(slotTicks(shown[0]))
	}
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.NRGBA{0, 0, 0, 0x22}
	p.Add(grid)

	p.Legend.Top = false
	p.Legend.Left = true
	p.Legend.TextStyle.Font.Size = 11
	p.Legend.Padding = 3
	p.Legend.ThumbnailWidth = 24

	for i, r := range shown {
		if err := addCurve(p, r, i, same, len(shown) == 1); err != nil {
			return nil, err
		}
	}
	// Room below the curves, so that the legend covers none of them.
	room := 0.055 * float64(legendLines(shown)+1) * (p.Y.Max - p.Y.Min)
	p.Y.Min -= room
	return p, nil
}

func legendLines(shown []sweep.Result) int {
	if len(shown) > 1 {
		return len(shown)
	}
	return 2 + len(Baselines(shown[0]))
}

func addCurve(p *plot.Plot, r sweep.Result, i int, same, single bool) error {
	paint := colors[i%len(colors)]
	x := func(slot int) float64 {
		if same {
			return float64(slot)
		}
		return float64(slot) / float64(r.Documents-1)
	}
	var line plotter.XYs
	var band plotter.XYs
	for _, a := range r.Slots {
		value, within := r.Accuracy(a)
		line = append(line, plotter.XY{X: x(a.Slot), Y: 100 * value})
		band = append(band, plotter.XY{X: x(a.Slot), Y: 100 * within.High})
	}
	for j := len(r.Slots) - 1; j >= 0; j-- {
		_, within := r.Accuracy(r.Slots[j])
		band = append(band, plotter.XY{X: x(r.Slots[j].Slot), Y: 100 * within.Low})
	}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	light := paint
	light.A = 0x38
	if !single {
		light.A = 0x18
	}
	area.Color, area.LineStyle.Width = light, 0
	curve, points, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	curve.Color, curve.Width = paint, 2
	if i >= len(colors) {
		curve.Dashes = []vg.Length{6, 3}
	}
	points.Color, points.Shape, points.Radius = paint, draw.CircleGlyph{}, 3
	p.Add(area, curve, points)
	if !single {
		p.Legend.Add(Letter(i)+"  "+show.Cut(Name(r), 70), curve, points)
		return nil
	}
	p.Legend.Add("right in the "+r.JudgedBy, curve, points)
	p.Legend.Add("95 % interval of each slot (Wilson)", area)
	last := x(r.Documents - 1)
	for _, b := range Baselines(r) {
		level, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 100 * b.Share}, {X: last, Y: 100 * b.Share}})
		if err != nil {
			return err
		}
		level.Width, level.Color = 1.5, color.NRGBA{0x33, 0x33, 0x33, 0xff}
		level.Dashes = map[string][]vg.Length{"oracle": {10, 4}, "closed-book": {2, 3}}[b.Name]
		p.Add(level)
		p.Legend.Add(fmt.Sprintf("%s, %.1f %%", baselineName[b.Name], 100*b.Share), level)
	}
	return nil
}

var baselineName = map[string]string{
	"oracle":      "oracle (the gold document alone)",
	"closed-book": "closed-book (no documents)",
}

func percentTicks(s span) []plot.Tick {
	var ticks []plot.Tick
	for p := int(100*s.low + 0.5); p <= int(100*s.high+0.5); p += 10 {
		ticks = append(ticks, plot.Tick{Value: float64(p), Label: strconv.Itoa(p)})
	}
	return ticks
}

// maxSlotTicks is how many labels the width has room for.
const maxSlotTicks = 26

// slotTicks marks the measured slots and labels as many as fit.
func slotTicks(r sweep.Result) []plot.Tick {
	var ticks []plot.Tick
	least, at := (r.Documents+maxSlotTicks-1)/maxSlotTicks, -r.Documents
	last := r.Documents - 1
	for _, a := range r.Slots {
		tick := plot.Tick{Value: float64(a.Slot)}
		if a.Slot == last || a.Slot-at >= least && last-a.Slot >= least {
			tick.Label, at = strconv.Itoa(a.Slot+1), a.Slot
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
