// Package page writes the report of a sweep, a comparison, a count of reuse or the curves
// of traffic as one page of HTML. It needs no script and no network, and suits light and
// dark, wide and narrow screens.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

var (
	//go:embed parts.html
	partsText string
	//go:embed page.html
	sweepText string
	//go:embed comparison.html
	comparisonText string
	//go:embed reuse.html
	reuseText string
	//go:embed traffic.html
	trafficText string
	//go:embed style.css
	style string

	parts           = template.Must(template.New("parts").Parse(partsText))
	sweepPage       = template.Must(template.Must(parts.Clone()).New("sweep").Parse(sweepText))
	comparisonPage  = template.Must(template.Must(parts.Clone()).New("comparison").Parse(comparisonText))
	trafficTemplate = template.Must(template.Must(parts.Clone()).New("traffic").Parse(trafficText))
	reuseTemplate   = template.Must(template.Must(parts.Clone()).New("reuse").Funcs(template.FuncMap{"number": func(i int) int { return i + 1 }}).Parse(reuseText))
)

// head is what the pages have in common.
type head struct {
	Policy string
	Style  template.CSS
	Title  string
}

func newHead(title string) head {
	return head{policy(), template.CSS(style), title} // the style is our own, embedded
}

// grid is a table.
type grid struct {
	Columns []string
	Rows    [][]string
}

// Label names the table for whoever cannot see it.
func (g grid) Label() string { return "Table: " + strings.Join(g.Columns, ", ") }

// next is what to do with a result; without a sentence nothing.
type next struct{ Sentence, Lines string }

func newNext(sentence string, lines []string) next {
	return next{together(sentence), strings.Join(lines, "\n")}
}

func newGrid(columns []string, rows [][]string) grid { return grid{columns, rows} }

// policy lets the page load nothing and run nothing. Its one style sheet is allowed
// by its hash.
func policy() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// TickEnd is the lower end of a tick.
func (f figure) TickEnd() float64 { return f.Bottom + 5 }

// YTurn turns the name of the axis upright.
func (f figure) YTurn() string { return fmt.Sprintf("translate(13 %g) rotate(-90)", f.YNameAt) }

// Named says whether the levels have room for their names beside the plot.
func (f figure) Named() bool { return f.Class == "wide" }

type document struct {
	head
	Simulated string // why the page is marked; empty for a measurement
	Unfit     bool   // some run can tell nothing
	Many      bool
	Figures   []figure
	Baselines []baseline
	Sections  []section
}

type baseline struct{ Name, Share, Meaning string }

type section struct {
	Letter, Class, Name, Finding string
	Drawn                        bool
	Result                       sweep.Result
	Behind                       string
	Accuracy, Contrasts, Counts  grid
	Statistics                   []string
	CountRule                    string
	Examples                     []example
	Beside                       grid
	Spending                     string
	Next                         next
	Setup                        []run.Setting
	Notes                        []string
}

type example struct{ Arm, Wanted, Got string }

// HTML returns the page of one or more results. What comes from a model, a dataset
// or the command line stands in it as text alone.
func HTML(results []sweep.Result) ([]byte, error) {
	d := document{
		head: newHead("Where the answer is read: " + chart.Title(results)), Many: len(results) > 1,
		Simulated: simulated(results),
		Figures:   figures(results),
	}
	drawn := 0
	for i, r := range results {
		d.Unfit = d.Unfit || r.Unfit != nil
		s := newSection(r, chart.CurveFile(results, i))
		s.Letter = chart.Letter(i)
		if s.Drawn {
			s.Letter, s.Class = chart.Letter(i), fmt.Sprintf("c%d", drawn%palette)
			drawn++
		}
		d.Sections = append(d.Sections, s)
	}
	if len(results) == 1 {
		for _, b := range chart.Baselines(results[0]) {
			d.Baselines = append(d.Baselines, baseline{b.Name, show.Percent(b.Share), meaning[b.Name]})
		}
	}
	var b bytes.Buffer
	if err := sweepPage.Execute(&b, d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var meaning = map[string]string{"oracle": "the gold document alone", "closed-book": "no documents"}

func simulated(results []sweep.Result) string {
	var names []string
	baselines := ""
	for _, r := range results {
		if !r.Simulated {
			continue
		}
		names = append(names, chart.Name(r))
		if r.ClosedBook != nil || r.Oracle != nil {
			baselines = " " + table.SimulatedBaselines
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == len(results):
		return table.NotMeasured + baselines
	}
	return "In part: a simulated reader gave the answers of " + strings.Join(names, ", ") + ". That is no measurement." + baselines
}

// newSection returns the part of a page about a result, whose curve stands in file.
func newSection(r sweep.Result, file string) section {
	s := section{
		Name: chart.Name(r), Finding: together(show.Line(r.Finding)), Drawn: len(chart.Drawable([]sweep.Result{r})) > 0, Result: r,
		Behind: show.Line(table.Behind(r)), CountRule: table.CountRule,
		Accuracy: newGrid(table.Accuracy(r)), Counts: newGrid(table.Counts(r)),
		Contrasts:  newGrid(table.Contrasts(r)),
		Statistics: table.Statistics(r), Setup: setup(r.Setup),
		Beside: beside(r), Spending: table.SweepSpending(r), Next: newNext(table.NextSweep(r, file)),
	}
	for i, line := range s.Statistics {
		s.Statistics[i] = together(line)
	}
	for _, e := range r.Examples {
		s.Examples = append(s.Examples, example{e.Arm, show.Line(strings.Join(e.Wanted, " | ")), show.Lines(e.Got)})
	}
	for _, note := range r.Notes {
		s.Notes = append(s.Notes, show.Line(note))
	}
	return s
}

func setup(settings []run.Setting) []run.Setting {
	var shown []run.Setting
	for _, s := range settings {
		shown = append(shown, run.Setting{Name: show.Line(s.Name), Value: show.Lines(s.Value)})
	}
	return shown
}

// together keeps a percent sign on the line of its number.
func together(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") }
