package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/bookend-rag/bookend/measure/compare"
)

const (
	forestRow   = 0.34 * vg.Inch
	forestRest  = 1.3 * vg.Inch // title and axis
	forestMarks = 0.25 * vg.Inch
)

var (
	challengerColor = colors[0]
	winnerColor     = colors[2]
	controlColor    = color.NRGBA{0x9a, 0x9a, 0x9a, 0xff}
	worthwhileColor = colors[1]
	zeroColor       = color.NRGBA{0x33, 0x33, 0x33, 0xff}
)

// Forest draws a comparison as an SVG and as a PNG file: for each arm its difference
// to the baseline with an interval, challengers first. Both are nil where nothing is
// counted yet.
func Forest(r compare.Result) (svg, png []byte, err error) {
	d := DifferencesOf(r)
	if len(d.Rows) == 0 {
		return nil, nil, nil
	}
	p, err := d.picture()
	if err != nil {
		return nil, nil, err
	}
	width, _ := d.widths()
	height := forestRest + forestRow*vg.Length(p.Y.Max-p.Y.Min)
	if d.Marks != "" {
		height += forestMarks
	}
	return files(p, width, height)
}

// widths returns the width of the picture, and that of the numbers as a share of the
// axis: names and numbers have the room that they need.
func (d Differences) widths() (picture vg.Length, numbers float64) {
	const axis, margins, character = 4.2 * vg.Inch, 0.6 * vg.Inch, 5.3
	label, value := d.Longest()
	words := character * vg.Length(label+value)
	picture = max(pictureWidth, axis+margins+words)
	return picture, float64(character * vg.Length(value) / (picture - margins - words))
}

func (d Differences) picture() (*plot.Plot, error) {
	p := plot.New()
	title := d.Name + "\n" + d.Verdict
	if d.Marks != "" {
		title = d.Marks + "\n" + title
	}
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 14
	p.Title.Padding = 10
	p.BackgroundColor = color.White
	p.X.Label.Text = d.Axis + ", " + d.Drawn
	if more := d.LeftOut(); more != "" {
		p.X.Label.Text += "; " + more
	}
	p.X.Label.TextStyle.Font.Size = 12
	p.X.Label.Padding = 8
	p.X.Tick.Label.Font.Size = 11
	p.Y.Tick.Label.Font.Size = 11
	p.X.LineStyle.Width = 0
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width, p.Y.Tick.Length = 0, 0, 0

	last := float64(len(d.Rows) - 1)
	y := func(i int) float64 { return last - float64(i) }
	// Beside the axis there is room for the numbers, and above the rows for the legend.
	_, numbersShare := d.widths()
	p.X.Min, p.X.Max = d.Low, d.High+numbersShare*(d.High-d.Low)
	p.Y.Min, p.Y.Max = -0.6, last+3.3
	var ticks []plot.Tick
	for _, at := range d.Ticks {
		ticks = append(ticks, plot.Tick{Value: at, Label: TickName(at)})
		if err := d.upright(p, at, last, draw.LineStyle{Width: 0.5, Color: color.NRGBA{0, 0, 0, 0x22}}); err != nil {
			return nil, err
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	ticks = nil
	for i, row := range d.Rows {
		ticks = append(ticks, plot.Tick{Value: y(i), Label: row.Label()})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)

	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 11
	p.Legend.Padding = 3
	p.Legend.ThumbnailWidth = 24
	if err := d.upright(p, 0, last, draw.LineStyle{Width: 1, Color: zeroColor}); err != nil {
		return nil, err
	}
	dashed := draw.LineStyle{Width: 1.5, Color: worthwhileColor, Dashes: []vg.Length{5, 3}}
	if err := d.upright(p, d.Worthwhile, last, dashed); err != nil {
		return nil, err
	}
	numbers := plotter.XYLabels{}
	for i, row := range d.Rows {
		numbers.XYs = append(numbers.XYs, plotter.XY{X: d.High + 0.02*(d.High-d.Low), Y: y(i)})
		numbers.Labels = append(numbers.Labels, row.Value())
	}
	labels, err := plotter.NewLabels(numbers)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size = 11
		labels.TextStyle[i].YAlign = -0.35
	}
	p.Add(labels)
	for _, kind := range []struct {
		name  string
		paint color.NRGBA
		of    func(Difference) bool
	}{
		{"challenger", challengerColor, func(row Difference) bool { return !row.Control && !row.Winner }},
		{"winner", winnerColor, func(row Difference) bool { return row.Winner }},
		{"control", controlColor, func(row Difference) bool { return row.Control }},
	} {
		if err := d.marks(p, kind.name, kind.paint, y, kind.of); err != nil {
			return nil, err
		}
	}
	sample := &plotter.Line{LineStyle: dashed}
	p.Legend.Add(d.WorthwhileName(), sample)
	return p, nil
}

// upright draws a line across all rows.
func (d Differences) upright(p *plot.Plot, at, last float64, style draw.LineStyle) error {
	line, err := plotter.NewLine(plotter.XYs{{X: at, Y: -0.6}, {X: at, Y: last + 0.6}})
	if err != nil {
		return err
	}
	line.LineStyle = style
	p.Add(line)
	return nil
}

// marks draws the rows of one kind, and names the kind in the legend.
func (d Differences) marks(p *plot.Plot, name string, paint color.NRGBA, y func(int) float64, of func(Difference) bool) error {
	var at struct {
		plotter.XYs
		plotter.XErrors
	}
	for i, row := range d.Rows {
		if row.Identical == "" && of(row) {
			at.XYs = append(at.XYs, plotter.XY{X: row.At, Y: y(i)})
			at.XErrors = append(at.XErrors, struct{ Low, High float64 }{row.At - row.Low, row.High - row.At})
		}
	}
	if len(at.XYs) == 0 {
		return nil
	}
	bars, err := plotter.NewXErrorBars(at)
	if err != nil {
		return err
	}
	bars.LineStyle = draw.LineStyle{Width: 2, Color: paint}
	points, err := plotter.NewScatter(at.XYs)
	if err != nil {
		return err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: paint, Radius: 4, Shape: draw.CircleGlyph{}}
	p.Add(bars, points)
	p.Legend.Add(name, &plotter.Line{LineStyle: bars.LineStyle}, points)
	return nil
}
