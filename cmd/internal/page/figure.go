package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// figure is the curve as the numbers of an inline SVG. The template writes them;
// colors come from the style sheet, so that they follow the reader's theme.
type figure struct {
	Class         string // "wide" or "narrow"
	Width, Height float64
	Left, Right   float64 // of the plot
	Top, Bottom   float64
	Title         string
	XName, YName  string
	Middle        float64 // of the plot, for the axis name
	YNameAt       float64
	Rows          []tick
	Columns       []tick
	Levels        []level
	Curves        []curve
	Simulated     bool
}

type tick struct {
	At    float64
	Label string
}

type level struct {
	Class, Label string
	At, LabelAt  float64
}

type curve struct {
	Class  string // c0 and so on
	Band   string
	Line   string
	Points []point
}

type point struct {
	X, Y  float64
	Label string // shown when pointed at
}

func figures(results []sweep.Result) []figure {
	shown := chart.Drawable(results)
	if len(shown) == 0 {
		return nil
	}
	return []figure{
		newFigure("wide", 960, 460, results, shown),
		newFigure("narrow", 380, 340, results, shown),
	}
}

func newFigure(class string, width, height float64, results, shown []sweep.Result) figure {
	f := figure{
		Class: class, Width: width, Height: height,
		Left: 68, Right: width - 14, Top: 34, Bottom: height - 52,
		Title: chart.Title(results), XName: chart.XName(shown), YName: "right answers",
	}
	if len(shown) == 1 && class == "wide" {
		f.Right = width - 150 // the names of the baselines
	}
	f.Middle, f.YNameAt = (f.Left+f.Right)/2, (f.Top+f.Bottom)/2
	for _, r := range results {
		f.Simulated = f.Simulated || r.Simulated
	}
	low, high := chart.Range(shown, true)
	same := chart.SameSize(shown)
	x := func(r sweep.Result, slot int) float64 {
		return round(f.Left + 10 + float64(slot)/float64(r.Documents-1)*(f.Right-f.Left-20))
	}
	y := func(share float64) float64 {
		return round(f.Bottom - (share-low)/(high-low)*(f.Bottom-f.Top))
	}
	for p := int(math.Round(low * 10)); p <= int(math.Round(high*10)); p++ {
		f.Rows = append(f.Rows, tick{y(float64(p) / 10), strconv.Itoa(10*p) + " %"})
	}
	if same {
		f.Columns = slotTicks(shown[0], x, map[string]float64{"wide": 30, "narrow": 28}[class])
	} else {
		f.Columns = []tick{{f.Left + 10, "top"}, {f.Right - 10, "end"}}
	}
	if len(shown) == 1 {
		f.Levels = levels(shown[0], y, f.Top)
	}
	for i, r := range shown {
		f.Curves = append(f.Curves, newCurve(i, r, x, y))
	}
	return f
}

func newCurve(i int, r sweep.Result, x func(sweep.Result, int) float64, y func(float64) float64) curve {
	c := curve{Class: "c" + strconv.Itoa(i%palette)}
	var line, up, down []string
	for _, a := range r.Slots {
		value, within := r.Accuracy(a)
		at := x(r, a.Slot)
		line = append(line, fmt.Sprintf("%g,%g", at, y(value)))
		up = append(up, fmt.Sprintf("%g,%g", at, y(within.High)))
		down = append([]string{fmt.Sprintf("%g,%g", at, y(within.Low))}, down...)
		c.Points = append(c.Points, point{at, y(value), fmt.Sprintf("slot %d: %.1f %% of %d, 95 %% interval %.1f to %.1f %%",
			a.Slot+1, 100*value, a.N, 100*within.Low, 100*within.High)})
	}
	c.Line = strings.Join(line, " ")
	c.Band = strings.Join(append(up, down...), " ")
	return c
}

// palette is how many colors the style sheet has.
const palette = 7

// lineHeight keeps the names of two near levels apart.
const lineHeight = 17

func levels(r sweep.Result, y func(float64) float64, top float64) []level {
	var ls []level
	for _, b := range chart.Baselines(r) {
		at := y(b.Share)
		ls = append(ls, level{Class: b.Name, Label: fmt.Sprintf("%s %.1f %%", b.Name, 100*b.Share), At: at, LabelAt: max(at+4, top+4)})
	}
	if len(ls) == 2 {
		upper, lower := &ls[0], &ls[1]
		if upper.At > lower.At {
			upper, lower = lower, upper
		}
		if lower.LabelAt-upper.LabelAt < lineHeight {
			middle := (lower.LabelAt + upper.LabelAt) / 2
			upper.LabelAt, lower.LabelAt = middle-lineHeight/2, middle+lineHeight/2+1
		}
	}
	return ls
}

// slotTicks labels as many of the measured slots as fit, the last always.
func slotTicks(r sweep.Result, x func(sweep.Result, int) float64, room float64) []tick {
	var ticks []tick
	end := x(r, r.Documents-1)
	at := math.Inf(-1)
	for _, a := range r.Slots {
		t := tick{At: x(r, a.Slot)}
		if a.Slot == r.Documents-1 || t.At-at >= room && end-t.At >= room {
			t.Label, at = strconv.Itoa(a.Slot+1), t.At
		}
		ticks = append(ticks, t)
	}
	return ticks
}

func round(v float64) float64 { return math.Round(v*10) / 10 }
