package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/page"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/journal"
)

// isComparison says whether a journal records a comparison.
func isComparison(path string) (bool, error) {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil || len(reading.Manifest) == 0 {
		return false, err
	}
	return compare.IsComparison(reading.Manifest[len(reading.Manifest)-1]), nil
}

// publishComparison prints the verdict, tables and the plot, and then writes the files.
// The error of an unfit comparison is
// an unfitError.
func publishComparison(to io.Writer, f folder, r compare.Result) error {
	if r.Unfit != nil && !f.unfitToo {
		r = withoutFigures(r)
	}
	printComparison(to, r)
	sentence, lines := table.NextComparison(r, f.path("settings.json"))
	printNext(to, sentence, lines)
	files, err := comparisonFiles(r)
	if err != nil {
		return err
	}
	if err := writeFiles(to, f, files); err != nil {
		return err
	}
	if r.Unfit != nil {
		return unfitError{r.Unfit}
	}
	return nil
}

// withoutFigures leaves out what an unfit comparison would say.
func withoutFigures(r compare.Result) compare.Result {
	r.Anyway, r.Strata, r.Kinds, r.Flips = "", nil, nil, nil
	r.Arms = slices.Clone(r.Arms)
	for i := range r.Arms {
		r.Arms[i].Against, r.Arms[i].Cost = nil, nil
	}
	return r
}

func printComparison(to io.Writer, r compare.Result) {
	grid := func(columns []string, rows [][]string) {
		if len(rows) > 0 {
			fmt.Fprintf(to, "\n%s\n", table.Text(columns, rows))
		}
	}
	note := func(text string) {
		if text != "" {
			tell(to, text)
		}
	}
	for _, w := range table.Warnings(r) {
		if r.Unfit != nil && w.Mark == table.Unfit {
			continue // the finding says the same
		}
		paragraph(to, w.Mark+": "+w.Meaning)
	}
	paragraph(to, r.Finding, table.BehindComparison(r))
	grid(table.Kinds(r))
	paragraph(to, table.AboutKinds(r)...)
	grid(table.Costs(r))
	paragraph(to, table.AboutCosts(r)...)
	grid(table.Differences(r))
	note(table.DifferencesNote(r))
	paragraph(to, table.Identical(r)...)
	printFlips(to, r)
	grid(table.Evidence(r))
	grid(table.Fixed(r))
	paragraph(to, table.How(r)...)
	grid(table.Compared(r))
	if len(r.Strata) > 0 {
		grid(table.Strata(r))
		note(table.StrataNote)
	}
	grid(table.ComparedCounts(r))
	note(table.CallRule(r))
	grid(table.Caching(r))
	paragraph(to, append(table.CachingCost(r), table.Spending(r))...)
	paragraph(to, r.Notes...)
	fmt.Fprintf(to, "\n%s\n", chart.ForestText(r))
}

// paragraph prints lines, if there are any, under an empty one.
func paragraph(to io.Writer, lines ...string) {
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintln(to)
		}
		tell(to, line)
	}
}

// comparisonFiles makes the files of a report.
func comparisonFiles(r compare.Result) ([]safefile.File, error) {
	csv, err := table.ComparisonCSV(r)
	if err != nil {
		return nil, err
	}
	summary, err := asJSON(r)
	if err != nil {
		return nil, err
	}
	svg, png, err := chart.Forest(r)
	if err != nil {
		return nil, err
	}
	html, err := page.Comparison(r)
	if err != nil {
		return nil, err
	}
	settings, err := asJSON(r.Settings)
	if err != nil {
		return nil, err
	}
	files := []safefile.File{{Name: "summary.csv", Data: csv}, {Name: "summary.json", Data: summary}}
	kinds, err := table.KindsCSV(r)
	if err != nil {
		return nil, err
	}
	flips, err := table.FlipsCSV(r)
	if err != nil {
		return nil, err
	}
	if flips != nil {
		files = append(files, safefile.File{Name: "flips.csv", Data: flips})
	}
	if kinds != nil {
		files = append(files, safefile.File{Name: "kinds.csv", Data: kinds})
	}
	if svg != nil {
		files = append(files, safefile.File{Name: "forest.svg", Data: svg}, safefile.File{Name: "forest.png", Data: png})
	}
	files = append(files, safefile.File{Name: "report.html", Data: html})
	if r.Unfit == nil {
		files = append(files, safefile.File{Name: "settings.json", Data: settings})
	}
	return files, nil
}
