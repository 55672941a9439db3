package page

import (
	"bytes"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/run"
)

type comparison struct {
	head
	Warnings   []table.Warning
	Name       string
	Finding    string
	Forests    []forest
	Key        []keyEntry
	Worthwhile string // names its line
	LeftOut    string

	Kinds      grid // no rows where there are none
	AboutKinds []string
	Costs      grid // no rows where they are not known, or not asked for
	AboutCosts []string
	Plots      []costPlot

	Behind                          string
	Accuracy, Differences, Evidence grid
	Fixed                           grid // no rows where the number of questions was not fixed
	DifferencesNote                 string
	Identical, How                  []string
	Strata                          grid // no columns where nothing is counted
	StrataNote                      string
	Counts                          grid
	CallRule                        string
	Spending                        string
	Caching                         grid
	CachingCost                     []string
	Notes                           []string
	Winner                          string // empty: no settings are written
	Changed                         bool   // the settings are those of a challenger
	Setup                           []run.Setting
	flipsPart
	Next next
}

type keyEntry struct{ Class, Name string }

// Comparison returns the page of a comparison. What comes from a model, a dataset or
// the command line stands in it as text alone.
func Comparison(r compare.Result) ([]byte, error) {
	d := chart.DifferencesOf(r)
	c := comparison{
		head:     newHead("Does reordering pay? " + d.Title()),
		Warnings: table.Warnings(r),
		Name:     d.Name,
		Finding:  together(show.Line(r.Finding)),
		Forests:  forests(d, table.Warnings(r)), Key: key(d), Worthwhile: d.WorthwhileName(), LeftOut: d.LeftOut(),
		Kinds: newGrid(table.Kinds(r)), AboutKinds: allTogether(table.AboutKinds(r)),
		Costs: newGrid(table.Costs(r)), AboutCosts: allTogether(table.AboutCosts(r)), Plots: costPlots(chart.CostsOf(r), table.Warnings(r)),
		Behind:   table.BehindComparison(r),
		Accuracy: newGrid(table.Compared(r)), Differences: newGrid(table.Differences(r)), Evidence: newGrid(table.Evidence(r)),
		Fixed: newGrid(table.Fixed(r)), Identical: table.Identical(r), DifferencesNote: table.DifferencesNote(r), How: allTogether(table.How(r)),
		StrataNote: table.StrataNote,
		Counts:     newGrid(table.ComparedCounts(r)), CallRule: table.CallRule(r),
		Spending: table.Spending(r), Caching: newGrid(table.Caching(r)), CachingCost: allTogether(table.CachingCost(r)),
		Winner: show.Line(r.Winner), Changed: len(r.Arms) > 0 && r.Winner != r.Arms[0].Name,
		Setup: setup(r.Setup), flipsPart: newFlips(r), Next: newNext(table.NextComparison(r, "settings.json")),
	}
	if len(r.Strata) > 0 {
		c.Strata = newGrid(table.Strata(r))
	}
	for _, note := range r.Notes {
		c.Notes = append(c.Notes, together(show.Line(note)))
	}
	if r.Unfit != nil {
		c.Winner = ""
	}
	var b bytes.Buffer
	if err := comparisonPage.Execute(&b, c); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// key says what the colors of the forest plot mean.
func key(d chart.Differences) []keyEntry {
	seen := map[string]bool{}
	for _, row := range d.Rows {
		switch {
		case row.Winner:
			seen["winner"] = true
		case row.Control:
			seen["control"] = true
		case row.Identical == "":
			seen["challenger"] = true
		}
	}
	var entries []keyEntry
	for _, e := range []keyEntry{
		{"winner", "the winner"},
		{"challenger", "challenger"},
		{"control", "control: the baseline's documents shuffled, or the baseline asked again"},
	} {
		if seen[e.Class] {
			entries = append(entries, e)
		}
	}
	return entries
}

func allTogether(lines []string) []string {
	for i, line := range lines {
		lines[i] = together(line)
	}
	return lines
}
