package chart

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/measure/compare"
)

const (
	columns      = 80 // of a line at most, unless a name leaves no room
	mostColumns  = 40 // of the plot itself
	leastColumns = 20
)

// forestText is a plot of so many columns.
type forestText struct {
	Differences
	columns int
}

// ForestText draws a comparison as text, one line an arm and without a line end
// behind the last. Where nothing is counted yet, the text says so.
func ForestText(r compare.Result) string {
	d := forestText{DifferencesOf(r), mostColumns}
	switch {
	case len(d.Rows) > 0:
	case r.Unfit != nil:
		return "No plot: the run can tell nothing."
	default:
		return "No plot: no question is complete in every arm."
	}
	margin, value := 0, 0
	for _, row := range d.Rows {
		margin = max(margin, utf8.RuneCountInString(row.Label()))
		value = max(value, utf8.RuneCountInString(row.Value()))
	}
	d.columns = max(leastColumns, min(mostColumns, columns-margin-value-4))
	lines := []string{d.Title(), d.Verdict}
	for _, row := range d.Rows {
		space := strings.Repeat(" ", margin-utf8.RuneCountInString(row.Label()))
		line := row.Label() + space + "  "
		if row.Identical == "" {
			line += d.bar(row) + "  "
		}
		lines = append(lines, line+row.Value())
	}
	indent := strings.Repeat(" ", margin+2)
	legend := "● difference  ├─┤ interval  ┆ " + d.WorthwhileName()
	if d.hasControls() {
		legend += "  ○ control"
	}
	lines = append(lines, indent+d.rule(), indent+d.tickLine())
	for _, text := range []string{d.Axis + ", " + d.Drawn, legend, d.LeftOut()} {
		if text != "" {
			lines = append(lines, strings.Repeat(" ", max(0, min(margin+2, columns-utf8.RuneCountInString(text))))+text)
		}
	}
	return strings.Join(lines, "\n")
}

// column is the place of a value on the axis.
func (d forestText) column(at float64) int {
	c := math.Round((at - d.Low) / (d.High - d.Low) * float64(d.columns-1))
	return int(min(max(c, 0), float64(d.columns-1)))
}

func (d forestText) bar(row Difference) string {
	line := []rune(strings.Repeat(" ", d.columns))
	line[d.column(d.Worthwhile)] = '┆'
	line[d.column(0)] = '│'
	for c := d.column(row.Low); c <= d.column(row.High); c++ {
		line[c] = '─'
	}
	line[d.column(row.Low)], line[d.column(row.High)] = '├', '┤'
	line[d.column(row.At)] = map[bool]rune{false: '●', true: '○'}[row.Control]
	return string(line)
}

func (d forestText) rule() string {
	line := []rune(strings.Repeat("─", d.columns))
	for _, at := range d.Ticks {
		line[d.column(at)] = '┴'
	}
	return string(line)
}

// tickWidth is the room that the number at a tick needs.
const tickWidth = 5

// tickLine centres the numbers under their ticks.
func (d forestText) tickLine() string {
	labelled := d.Labelled(float64(tickWidth) / float64(d.columns-1))
	line := ""
	for i, at := range d.Ticks {
		if !labelled[i] {
			continue
		}
		name := TickName(at)
		place := max(0, d.column(at)-(utf8.RuneCountInString(name)-1)/2)
		line += strings.Repeat(" ", max(0, place-utf8.RuneCountInString(line))) + name
	}
	return line
}
