// Package chart draws curves and comparisons: as text for a terminal, and as a picture.
package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/sweep"
)

const (
	textRows    = 13
	textColumns = 55 // at most, for the slots
	textMargin  = 8  // "100 % ┤ "
)

// Text draws the curves as text, in 20 lines at most and without a line end behind
// the last. A single curve has its interval and its baselines; several are told
// apart by letters. A result without a complete question is left out; where none is
// left, the text says so.
func Text(results []sweep.Result) string {
	shown := Drawable(results)
	if len(shown) == 0 {
		if slices.ContainsFunc(results, func(r sweep.Result) bool { return r.Unfit != nil }) {
			return "No plot: the run can tell nothing."
		}
		return "No plot: no question was answered in every measured slot."
	}
	low, high := Range(shown, len(shown) == 1)
	g := newGrid(span{low, high})
	legend := ""
	if len(shown) == 1 {
		legend = g.one(shown[0])
	} else {
		legend = g.several(shown)
	}
	lines := []string{Title(results)}
	for row := range textRows {
		label, mark := g.label(row)
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%*s %c %s", textMargin-3, label, mark, g.line(row)), " "))
	}
	lines = append(lines, g.axis(shown), g.ticks(shown), strings.Repeat(" ", textMargin)+XName(shown))
	return strings.Join(append(lines, legend), "\n")
}

// Drawable are the results with a curve, in their order.
func Drawable(results []sweep.Result) []sweep.Result {
	var drawable []sweep.Result
	for _, r := range results {
		if r.Shown() != nil && r.Questions.Complete > 0 {
			drawable = append(drawable, r)
		}
	}
	return drawable
}

// Title says what is drawn, and first of all when it is simulated.
func Title(results []sweep.Result) string {
	if len(results) == 1 {
		return Name(results[0])
	}
	title := fmt.Sprintf("%d sweeps", len(results))
	simulated := 0
	for _, r := range results {
		if r.Simulated {
			simulated++
		}
	}
	switch simulated {
	case 0:
		return title
	case len(results):
		return "SIMULATED: " + title
	}
	return "SIMULATED in part: " + title
}

// Name names a result in one line: model, size, n and date.
func Name(r sweep.Result) string {
	name := fmt.Sprintf("%s, %d documents, n = %d", show.Cut(show.Line(strings.TrimPrefix(r.Model, model.SimulatedPrefix)), 60), r.Documents, r.Questions.Complete)
	if r.Date != "" {
		name += ", " + r.Date
	}
	if r.Unfit != nil {
		name = "UNFIT: " + name
	}
	if r.Simulated {
		return "SIMULATED: " + name
	}
	return name
}

// XName names the axis of slots.
func XName(shown []sweep.Result) string {
	if SameSize(shown) {
		return "slot of the answer (1 is the top of the prompt)"
	}
	return "place of the answer, from the top of the prompt to its end"
}

// SameSize says whether all prompts have as many documents.
func SameSize(shown []sweep.Result) bool {
	for _, r := range shown {
		if r.Documents != shown[0].Documents {
			return false
		}
	}
	return true
}

// span is a range of shares.
type span struct{ low, high float64 }

// Range is that of all that is drawn, with bands or without, rounded out to whole
// tens of percent.
func Range(shown []sweep.Result, bands bool) (low, high float64) {
	s := span{1, 0}
	hold := func(low, high float64) { s.low, s.high = min(s.low, low), max(s.high, high) }
	for _, r := range shown {
		for _, a := range r.Slots {
			value, within := r.Accuracy(a)
			hold(value, value)
			if bands {
				hold(within.Low, within.High)
			}
		}
		if len(shown) > 1 {
			continue
		}
		for _, b := range Baselines(r) {
			hold(b.Share, b.Share)
		}
	}
	s.low, s.high = math.Floor(s.low*10+1e-9)/10, math.Ceil(s.high*10-1e-9)/10
	for s.high-s.low < 0.39 { // four steps of ten points, so that noise looks like noise
		if s.high < 0.99 {
			s.high += 0.1
		}
		if s.low > 0.01 && s.high-s.low < 0.39 {
			s.low -= 0.1
		}
	}
	return s.low, s.high
}

// Baseline is a line across a chart.
type Baseline struct {
	Name  string // "closed-book" or "oracle"
	Share float64
}

// Baselines are those of a result that were answered.
func Baselines(r sweep.Result) []Baseline {
	var lines []Baseline
	for _, b := range []struct {
		name string
		arm  *sweep.ArmResult
	}{{"oracle", r.Oracle}, {"closed-book", r.ClosedBook}} {
		if b.arm != nil && b.arm.N > 0 {
			lines = append(lines, Baseline{b.name, r.Judged(*b.arm).Accuracy})
		}
	}
	return lines
}

// grid holds one character a place.
type grid struct {
	span  span
	cells [textRows][textColumns + 1]rune
	notes [textRows]string // behind a row
}

func newGrid(s span) *grid {
	g := &grid{span: s}
	for row := range g.cells {
		for column := range g.cells[row] {
			g.cells[row][column] = ' '
		}
	}
	return g
}

func (g *grid) row(share float64) int {
	row := math.Round((g.span.high - share) / (g.span.high - g.span.low) * (textRows - 1))
	return int(min(max(row, 0), textRows-1))
}

// label names the row that is nearest to a multiple of ten percent.
func (g *grid) label(row int) (label string, mark rune) {
	for tens := range 11 {
		share := float64(tens) / 10
		if share > g.span.low-0.01 && share < g.span.high+0.01 && g.row(share) == row {
			return fmt.Sprintf("%d %%", 10*tens), '┤'
		}
	}
	return "", '│'
}

func (g *grid) line(row int) string {
	return strings.TrimRight(string(g.cells[row][:]), " ") + g.notes[row]
}

// column spreads the slots evenly, in whole steps where there is room for all.
func column(slot, documents int) int {
	last := documents - 1
	if step := textColumns / last; step > 0 {
		return slot * step
	}
	return slot * textColumns / last
}

func (g *grid) one(r sweep.Result) (legend string) {
	width := column(r.Documents-1, r.Documents)
	legend = strings.Repeat(" ", textMargin) + "● accuracy  │ its 95 % interval"
	for _, b := range Baselines(r) {
		mark := map[string]rune{"oracle": '─', "closed-book": '┄'}[b.Name]
		row := g.row(b.Share)
		for c := range width + 1 {
			g.cells[row][c] = mark
		}
		if g.notes[row] != "" { // two would be wider than a terminal
			row += map[bool]int{true: 1, false: -1}[row == 0]
		}
		g.notes[row] += fmt.Sprintf(" %s %.0f %%", b.Name, 100*b.Share)
		legend += fmt.Sprintf("  %c %s", mark, b.Name)
	}
	for _, a := range r.Slots {
		t, c := r.Judged(a), column(a.Slot, r.Documents)
		for row := g.row(t.High); row <= g.row(t.Low); row++ {
			g.cells[row][c] = '│'
		}
		g.cells[g.row(t.Accuracy)][c] = '●'
	}
	return legend
}

// CurveFile is the name of the file for the curve of the i-th result.
func CurveFile(results []sweep.Result, i int) string {
	if len(results) == 1 {
		return "curve.json"
	}
	return "curve-" + Letter(i) + ".json"
}

// Letter is the name of the i-th of several curves.
func Letter(i int) string { return string(rune('A' + i%26)) }

func (g *grid) several(shown []sweep.Result) (legend string) {
	for i, r := range shown {
		for _, a := range r.Slots {
			row, c := g.row(r.Judged(a).Accuracy), column(a.Slot, r.Documents)
			if !SameSize(shown) {
				c = int(math.Round(float64(a.Slot) / float64(r.Documents-1) * textColumns))
			}
			if g.cells[row][c] == ' ' {
				g.cells[row][c] = []rune(Letter(i))[0]
			} else {
				g.cells[row][c] = '*'
			}
		}
	}
	return strings.Repeat(" ", textMargin) + "letters as above; * where several meet"
}

func (g *grid) axis(shown []sweep.Result) string {
	line := []rune(strings.Repeat("─", g.width(shown)+1))
	if SameSize(shown) {
		for _, a := range shown[0].Slots {
			line[column(a.Slot, shown[0].Documents)] = '┴'
		}
	}
	return strings.Repeat(" ", textMargin-2) + "└─" + string(line)
}

func (g *grid) width(shown []sweep.Result) int {
	if SameSize(shown) {
		return column(shown[0].Documents-1, shown[0].Documents)
	}
	return textColumns
}

// ticks names as many measured slots as fit.
func (g *grid) ticks(shown []sweep.Result) string {
	if !SameSize(shown) {
		return strings.Repeat(" ", textMargin) + "0 %" + strings.Repeat(" ", textColumns-6) + "100 %"
	}
	documents := shown[0].Documents
	last := documents - 1
	line := strings.Repeat(" ", textMargin)
	end := textMargin + column(last, documents)
	for _, a := range shown[0].Slots {
		label := strconv.Itoa(a.Slot + 1)
		at := textMargin + column(a.Slot, documents)
		if gap := at - utf8.RuneCountInString(line); gap < 1 && a.Slot > 0 || a.Slot < last && at+len(label)+1 > end && a.Slot > 0 {
			if a.Slot < last {
				continue
			}
		}
		if at < utf8.RuneCountInString(line) {
			continue
		}
		line += strings.Repeat(" ", at-utf8.RuneCountInString(line)) + label
	}
	return line
}
