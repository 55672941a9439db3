package page

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/traffic"
)

type trafficPage struct {
	head
	Counts []string
	Curves []use
	More   string // curves that are not shown
}

// use is one curve of use.
type use struct {
	Name, Finding  string
	About          string
	Figures        []figure
	Slots, Between grid
	Next           next
}

// maxUses is how many curves a page shows: those with the most requests.
const maxUses = 26

// Traffic returns the page of the curves that traffic made; counts say what was read. What
// comes from a file stands in it as text alone.
func Traffic(r traffic.Result, counts []string) ([]byte, error) {
	p := trafficPage{head: newHead("How much each slot is used")}
	for _, line := range counts {
		p.Counts = append(p.Counts, together(show.Line(line)))
	}
	for i, c := range r.Curves {
		if i == maxUses {
			p.More = show.Count(len(r.Curves)-i, "further curve") + " stand in traffic.csv alone."
			break
		}
		u := use{Name: show.Line(chart.UseName(c)), Finding: together(show.Line(c.Finding)), About: table.UseNote, Next: newNext(table.NextUse(c, chart.UseFile(r.Curves, i)))}
		if c.Slots != nil {
			u.Figures = []figure{newUseFigure("wide", 960, 460, c), newUseFigure("narrow", 380, 340, c)}
			columns, rows := table.Use(c)
			u.Slots.Columns = columns[:len(columns)-1] // without the bars, which the picture shows
			for _, row := range rows {
				u.Slots.Rows = append(u.Slots.Rows, row[:len(row)-1])
			}
			u.Between = newGrid(table.UseContrasts(c))
		}
		p.Curves = append(p.Curves, u)
	}
	var b bytes.Buffer
	if err := trafficTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// newUseFigure draws the slots' use, 1 for the average slot.
func newUseFigure(class string, width, height float64, c traffic.Curve) figure {
	f := figure{
		Class: class, Width: width, Height: height, Left: 68, Right: width - 14, Top: 20, Bottom: height - 52,
		Title: "How much each slot is used: " + show.Line(chart.UseName(c)), XName: "slot (1 is the top of the prompt)", YName: "citations, average slot = 1",
	}
	f.Middle, f.YNameAt = (f.Left+f.Right)/2, (f.Top+f.Bottom)/2
	high := 1.5
	for _, s := range c.Slots {
		high = max(high, s.High)
	}
	step := math.Max(math.Ceil(high/5)/2, 0.5)
	high = math.Ceil(high/step) * step
	x := func(slot int) float64 {
		return round(f.Left + 10 + float64(slot)/float64(max(c.Documents-1, 1))*(f.Right-f.Left-20))
	}
	y := func(used float64) float64 { return round(f.Bottom - used/high*(f.Bottom-f.Top)) }
	for v := 0.0; v <= high+step/2; v += step {
		f.Rows = append(f.Rows, tick{y(v), fmt.Sprintf("%g", v)})
	}
	every := int(math.Ceil(float64(c.Documents) * 30 / (f.Right - f.Left)))
	var line, up, down []string
	drawn := curve{Class: "c0"}
	for i, s := range c.Slots {
		t := tick{At: x(s.Slot)}
		if i%every == 0 {
			t.Label = strconv.Itoa(s.Slot + 1)
		}
		f.Columns = append(f.Columns, t)
		line = append(line, fmt.Sprintf("%g,%g", t.At, y(s.Used)))
		up = append(up, fmt.Sprintf("%g,%g", t.At, y(s.High)))
		down = append([]string{fmt.Sprintf("%g,%g", t.At, y(max(s.Low, 0)))}, down...)
		drawn.Points = append(drawn.Points, point{t.At, y(s.Used), fmt.Sprintf("slot %d: %.2f, 95 %% interval %.2f to %.2f", s.Slot+1, s.Used, s.Low, s.High)})
	}
	drawn.Line, drawn.Band = strings.Join(line, " "), strings.Join(append(up, down...), " ")
	f.Curves = []curve{drawn}
	f.Levels = []level{{Class: "closed-book", At: y(1), LabelAt: y(1)}}
	return f
}
