package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/page"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// reportCommand holds the flags of `bookend report`.
type reportCommand struct {
	Dirs []string `arg:"" name:"dir" help:"Folders that --out of sweeps named, whose curves are drawn in one plot, or the one of a comparison."`
	judging
	Data   string `placeholder:"FILE" help:"What was asked: the texts of the questions whose answers are listed then stand in the report, in place of their IDs. A journal holds none."`
	Labels string `placeholder:"FILE" help:"The answers of --data, where the comparison had them from --labels."`
	Out    string `placeholder:"DIR" help:"Folder for the files. The one that is read unless given; needed for several sweeps."`
	Force  bool   `help:"Overwrite files that differ and are not those of an earlier report of the same answers."`
}

// Help is the long text of `bookend report --help`.
func (*reportCommand) Help() string {
	return `Everything is computed from DIR/journal.jsonl alone. With --score or --first-line the same answers are judged otherwise.

    bookend report DIR --score token-f1 --out OTHER
    bookend report FIRST SECOND --out BOTH

From the folder of a comparison it makes the report of the comparison, with its verdict and settings.json.`
}

// maxSweeps is how many curves one report may show.
const maxSweeps = 26

// Run runs `bookend report`.
func (c *reportCommand) Run(ctx context.Context, s streams) error {
	scorer, err := c.scorer()
	if err != nil {
		return err
	}
	out := c.Out
	switch {
	case c.Labels != "" && c.Data == "":
		return usage("--labels are the answers of --data: give both")
	case len(c.Dirs) > maxSweeps:
		return usage("%d folders are given: one report shows %d sweeps at most", len(c.Dirs), maxSweeps)
	case out == "" && len(c.Dirs) > 1:
		return usage("several sweeps make one report: name a folder for it by --out; a comparison has a report of its own")
	case out == "":
		out = c.Dirs[0]
	}
	judged := func(j *judge.Judging) {
		if scorer != nil {
			j.Scorer = scorer
		}
		j.FirstLine = j.FirstLine || c.FirstLine
	}
	var results []sweep.Result
	for _, dir := range c.Dirs {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(dir, journalName)
		comparison, err := isComparison(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return usage("%s has no %s: name a folder that --out of another command wrote to", dir, journalName)
		case err != nil:
			return err
		case comparison && len(c.Dirs) > 1:
			return usage("%s holds a comparison, which has a report of its own: name that folder alone", dir)
		case comparison:
			r, err := compare.SummarizeJournal(path, judged)
			if err == nil && c.Data != "" {
				err = c.open(true, func(data *dataset.Dataset) error { return fillComparison(&r, data) })
			}
			if err != nil {
				return err
			}
			return publishComparison(s.out, c.folder(out, r.Scorer+", "+r.JudgedBy), r)
		}
		r, err := sweep.SummarizeJournal(path, judged)
		if err == nil && c.Data != "" {
			err = c.open(false, func(data *dataset.Dataset) error { return fillSweep(&r, data) })
		}
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	return publish(s.out, c.folder(out, judgedBy(results)), results)
}

// open opens --data for as long as use takes.
func (c *reportCommand) open(asLists bool, use func(*dataset.Dataset) error) error {
	rules := dataset.Rules{}
	from := lists{c.Data, c.Labels}
	if asLists {
		var err error
		if rules, err = from.rules(judge.BestSubspan); err != nil {
			return err
		}
	}
	data, err := from.openLists(rules, c.Data)
	if err != nil {
		return err
	}
	defer data.Close()
	return use(data)
}

// judgedBy says how the answers of the sweeps are judged.
func judgedBy(results []sweep.Result) string {
	var all []string
	for _, r := range results {
		all = append(all, r.Scorer+", "+r.JudgedBy)
	}
	return strings.Join(all, "\n")
}

// folder is where the files of a report go.
type folder struct {
	dir      string
	force    bool   // overwrites files that differ
	unfitToo bool   // shows the figures of a run that can tell nothing
	about    string // what the report is about, by about
	part     bool   // of something that goes on by itself: no next step is told
}

// path is how the reader of a report names one of its files.
func (f folder) path(name string) string { return f.dir + "/" + name }

func (c *reportCommand) folder(dir string, judged string) folder {
	return folder{dir: dir, force: c.Force, unfitToo: c.ForceVerdict, about: about(dir, c.Dirs, judged)}
}

// publish prints table and plot, and then writes the files. The error of an unfit sweep is an unfitError.
func publish(to io.Writer, f folder, results []sweep.Result) error {
	var unfit error
	for i := range results {
		if why := results[i].Unfit; why != nil {
			unfit = unfitError{why}
		}
		if !f.unfitToo {
			results[i].Anyway = nil
		}
	}
	if slices.ContainsFunc(results, func(r sweep.Result) bool { return r.Simulated }) {
		paragraph(to, "SIMULATED: "+table.NotMeasured)
	}
	for i, r := range results {
		fmt.Fprintln(to)
		if len(results) > 1 {
			tell(to, chart.Letter(i)+": "+r.Finding)
		} else {
			tell(to, r.Finding)
		}
	}
	fmt.Fprintf(to, "\n%s\n", chart.Text(results))
	for i, r := range results {
		letter := ""
		if len(results) > 1 {
			letter = chart.Letter(i)
		}
		printResult(to, letter, r)
	}
	for i, r := range results {
		if f.part {
			break
		}
		sentence, lines := table.NextSweep(r, f.path(chart.CurveFile(results, i)))
		if len(results) > 1 && sentence != "" {
			sentence = chart.Letter(i) + ": " + sentence
		}
		printNext(to, sentence, lines)
	}
	files, err := files(results)
	if err != nil {
		return err
	}
	if err := writeFiles(to, f, files); err != nil {
		return err
	}
	return unfit
}

func printResult(to io.Writer, letter string, r sweep.Result) {
	name := chart.Name(r)
	if letter != "" {
		name = letter + ": " + name
	}
	fmt.Fprintln(to)
	tell(to, name)
	tell(to, table.Behind(r))
	if r.Simulated && (r.ClosedBook != nil || r.Oracle != nil) {
		tell(to, table.SimulatedBaselines)
	}
	fmt.Fprintf(to, "\n%s\n\n%s\n", table.Text(table.Accuracy(r)), table.Text(table.Counts(r)))
	if columns, rows := table.Contrasts(r); rows != nil {
		fmt.Fprintf(to, "\n%s\n", table.Text(columns, rows))
	}
	paragraph(to, table.Statistics(r)...)
	if columns, rows := table.Beside(r); rows != nil {
		paragraph(to, "The same question with its answer in other slots:")
		fmt.Fprintf(to, "\n%s\n", table.Text(columns, rows))
	}
	paragraph(to, table.SweepSpending(r))
	paragraph(to, r.Notes...)
}

// files makes the files of a report.
func files(results []sweep.Result) ([]safefile.File, error) {
	var files []safefile.File
	add := func(name string, data []byte, err error) error {
		if err == nil && data != nil {
			files = append(files, safefile.File{Name: name, Data: data})
		}
		return err
	}
	csv, err := table.CSV(results)
	if err := add("summary.csv", csv, err); err != nil {
		return nil, err
	}
	var summary any = results
	if len(results) == 1 {
		summary = results[0]
	}
	text, err := asJSON(summary)
	if err := add("summary.json", text, err); err != nil {
		return nil, err
	}
	for i, r := range results {
		if r.Curve == nil {
			continue
		}
		text, err := asJSON(r.Curve)
		if err := add(chart.CurveFile(results, i), text, err); err != nil {
			return nil, err
		}
	}
	svg, png, err := chart.Picture(results)
	if err := errors.Join(add("sweep.svg", svg, err), add("sweep.png", png, nil)); err != nil {
		return nil, err
	}
	html, err := page.HTML(results)
	return files, errors.Join(add("report.html", html, err))
}

func asJSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(show.JSON(text), '\n'), err
}
