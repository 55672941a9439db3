package page

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/replay"
)

type reusePage struct {
	head
	Finding, Behind, Columns string
	Plots                    []scatter
	Names                    []string // of the dots, by number
	Settings                 grid
	Notes                    []string
}

// Reuse returns the page of a count of reuse. What comes from a file or the command
// line stands in it as text alone.
func Reuse(r replay.Result) ([]byte, error) {
	p := reusePage{
		head:    newHead("What does the prompt cache save? " + show.Line(r.Source)),
		Finding: together(show.Line(r.Finding)), Behind: show.Line(r.Behind()), Columns: table.ReuseNote(r),
		Plots: scatters(r), Settings: newGrid(table.Reuse(r)),
	}
	for _, row := range r.Rows {
		p.Names = append(p.Names, show.Line(row.Name))
	}
	for _, note := range r.Notes {
		p.Notes = append(p.Notes, together(show.Line(note)))
	}
	var b bytes.Buffer
	if err := reuseTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// scatter is one dot for each setting, as the numbers of an inline SVG: the share from
// the cache against the points given up.
type scatter struct {
	Class         string // "wide" or "narrow"
	Width, Height float64
	Left, Right   float64
	Top, Bottom   float64
	Title         string
	Rows, Columns []tick
	Dots          []dot
}

type dot struct {
	X, Y           float64
	Own            bool
	Label, Tip     string
	LabelX, LabelY float64
	Anchor         string
}

// Middle is that of the axis, for its name.
func (s scatter) Middle() float64 { return (s.Left + s.Right) / 2 }

// YTurn turns the name of the other axis upright.
func (s scatter) YTurn() string {
	return fmt.Sprintf("translate(13 %g) rotate(-90)", (s.Top+s.Bottom)/2)
}

// TickEnd is the lower end of a tick.
func (s scatter) TickEnd() float64 { return s.Bottom + 5 }

// scatters are nil without a curve, which alone knows points.
func scatters(r replay.Result) []scatter {
	if r.Curve == "" || len(r.Rows) == 0 {
		return nil
	}
	return []scatter{newScatter("wide", 960, 460, r), newScatter("narrow", 380, 340, r)}
}

func newScatter(class string, width, height float64, r replay.Result) scatter {
	s := scatter{
		Class: class, Width: width, Height: height, Left: 68, Right: width - 24, Top: 22, Bottom: height - 52,
		Title: "Share of the prompts' tokens from the cache, by points of accuracy given up",
	}
	points := make([]float64, len(r.Rows))
	shares := make([]float64, len(r.Rows))
	for i, row := range r.Rows {
		points[i], shares[i] = 100**row.Loss, 100*row.Share
	}
	across, up := axis(points), axis(shares)
	x := func(v float64) float64 {
		return round(s.Left + 10 + (v-across[0])/(across[len(across)-1]-across[0])*(s.Right-s.Left-20))
	}
	y := func(v float64) float64 {
		return round(s.Bottom - (v-up[0])/(up[len(up)-1]-up[0])*(s.Bottom-s.Top))
	}
	for _, v := range across {
		s.Columns = append(s.Columns, tick{x(v), strconv.FormatFloat(v, 'g', 4, 64)})
	}
	for _, v := range up {
		s.Rows = append(s.Rows, tick{y(v), strconv.FormatFloat(v, 'g', 4, 64) + " %"})
	}
	for i, row := range r.Rows {
		d := dot{
			X: x(points[i]), Y: y(shares[i]), Own: i == 0, Label: strconv.Itoa(i + 1), Anchor: "start",
			Tip: fmt.Sprintf("%s: %s from the cache, %s points given up", show.Line(row.Name), show.Percent(row.Share), show.Signed(points[i])),
		}
		if class == "wide" {
			d.Label = show.Cut(show.Line(row.Name), 28)
		}
		s.Dots = append(s.Dots, d)
	}
	s.label()
	return s
}

// label puts the name of each dot on the side where the next one is farther off.
func (s *scatter) label() {
	for i := range s.Dots {
		d := &s.Dots[i]
		left, right := d.X-s.Left, s.Right-d.X
		for j, other := range s.Dots {
			if gap := other.X - d.X; j != i && math.Abs(other.Y-d.Y) < lineHeight {
				if gap >= 0 {
					right = min(right, gap)
				}
				if gap <= 0 {
					left = min(left, -gap)
				}
			}
		}
		d.LabelX, d.LabelY = d.X+9, d.Y+4
		if left > right {
			d.LabelX, d.Anchor = d.X-9, "end"
		}
	}
	s.spread()
}

// spread moves labels of one side down where they would stand on each other.
func (s *scatter) spread() {
	order := make([]int, len(s.Dots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Dots[a].Y, s.Dots[b].Y) })
	last := map[string]float64{"start": math.Inf(-1), "end": math.Inf(-1)}
	for _, i := range order {
		d := &s.Dots[i]
		d.LabelY = max(d.LabelY, last[d.Anchor]+lineHeight)
		last[d.Anchor] = d.LabelY
	}
}

// axis returns four to eight round ticks that hold all values.
func axis(values []float64) []float64 {
	low, high := slices.Min(values), slices.Max(values)
	if high-low < 1 {
		low, high = low-0.5, high+0.5
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, more := range []float64{2, 2.5, 2} { // 1, 2, 5, 10 of it
		if (high-low)/step <= 6 {
			break
		}
		step *= more
	}
	var ticks []float64
	for k := math.Floor(low / step); ; k++ {
		v := math.Round(k*step*1e6) / 1e6
		ticks = append(ticks, v)
		if v >= high {
			return ticks
		}
	}
}
