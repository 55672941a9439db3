package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/bookend-rag/bookend/cmd/internal/chart"
	"github.com/bookend-rag/bookend/cmd/internal/page"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// curveCommand holds the flags of `bookend curve`.
type curveCommand struct {
	Traffic []string `required:"" sep:"none" placeholder:"FILE" help:"A file that core/record wrote; may be given again."`
	Files   []string `arg:"" optional:"" name:"file" help:"Further files."`

	Together bool          `help:"Make one curve of all models and prompt lengths. Prompts with another number of documents always have one of their own."`
	Window   time.Duration `default:"24h" help:"The curve of each span of time of this length is held against the others, to see whether it changes."`

	Out   string `placeholder:"DIR" help:"Folder for curve, table and plot. Without it they are only shown."`
	Force bool   `help:"Overwrite files that differ."`
}

// Help is the long text of `bookend curve --help`.
func (*curveCommand) Help() string {
	return `A share of requests got its documents in random order (core.Share), and core/record wrote down where they stood and what the answers cited. How much the model uses a slot is how often documents there are cited, held against how often documents of the same ranks are cited anywhere. No labels are needed.

    bookend curve --traffic monday.jsonl tuesday.jsonl --out DIR

Look as often as you like: what is said holds at every look. Requests of one ID or one question count as one.

Where no request was shuffled yet, it says how many answers cite, and about how many shuffled requests a curve needs.`
}

// Run runs `bookend curve`.
func (c *curveCommand) Run(ctx context.Context, s streams) error {
	collector, err := traffic.NewCollector(traffic.Options{Together: c.Together, Window: c.Window})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, path := range append(c.Traffic, c.Files...) {
		if clean := filepath.Clean(path); seen[clean] {
			return usage("%s is given twice: its requests would count twice", path)
		} else {
			seen[clean] = true
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := unlessSoon(s, "Reading "+path, func() error {
			_, err := collector.ReadFile(path)
			return err
		}); errors.Is(err, fs.ErrNotExist) || errors.Is(err, record.ErrNotRecord) {
			return &usageError{err}
		} else if err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var r traffic.Result
	_ = unlessSoon(s, "Drawing the intervals", func() error {
		r = collector.Result()
		return nil
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	printTraffic(s.out, r)
	if c.Out != "" {
		if err := publishTraffic(s.out, folder{dir: c.Out, force: c.Force, about: about(c.Out, append(c.Traffic, c.Files...), "traffic")}, r); err != nil {
			return err
		}
	}
	return unfitTraffic(r)
}

// unfitTraffic is the error where curves are unfit and none was made, else nil.
func unfitTraffic(r traffic.Result) error {
	var unfit error
	for _, c := range r.Curves {
		switch {
		case c.Verdict != nil:
			return nil
		case c.Unfit != nil && unfit == nil:
			unfit = unfitError{c.Unfit}
		}
	}
	return unfit
}

// maxCurves is how many curves are shown one by one.
const maxCurves = 26

func printTraffic(to io.Writer, r traffic.Result) {
	for i, c := range r.Curves {
		if i == maxCurves {
			fmt.Fprintf(to, "%s are not shown.\n\n", show.Count(len(r.Curves)-i, "further curve"))
			break
		}
		tell(to, c.Finding)
		paragraph(to, chart.UseName(c))
		if c.Units < c.Requests {
			tell(to, fmt.Sprintf("Requests of one ID or one question count as one, which makes %d independent ones.", c.Units))
		}
		if c.OutOfOrder > 0 && c.Unfit == nil {
			fmt.Fprintf(to, "%s left out: not in the random order of the recorded seed.\n", show.Count(c.OutOfOrder, "further request"))
		}
		if c.Slots != nil {
			fmt.Fprintf(to, "\n%s\n", table.Text(table.Use(c)))
			tell(to, table.UseNote)
			fmt.Fprintf(to, "\n%s\n", table.Text(table.UseContrasts(c)))
			tell(to, table.UseContrastsNote)
		}
		if len(c.Windows) > 1 {
			fmt.Fprintf(to, "\n%s\n", table.Text(table.Windows(c, r.Window)))
		}
		if d := c.Drift; d != nil {
			word := "no drift is found"
			if d.Changed() {
				word = "the curve changed"
			}
			paragraph(to, fmt.Sprintf("Between %d spans of time %s (evidence %s; 20 are needed to say that it changed).", d.Windows, word, table.Evalue(d.Evidence)))
		}
		fmt.Fprintln(to)
	}
	for _, line := range trafficCounts(r) {
		tell(to, line)
	}
}

// usefulCitations in a slot make its standard error 7 % or less.
const usefulCitations = 200

// trafficCounts says what is in the files, and how large a share would do.
func trafficCounts(r traffic.Result) []string {
	all := r.Shuffled
	all.Requests += r.Configured.Requests
	all.Answered += r.Configured.Answered
	all.CitedNothing += r.Configured.CitedNothing
	all.CitedUnknown += r.Configured.CitedUnknown
	all.Citations += r.Configured.Citations
	all.Shown += r.Configured.Shown
	lines := []string{fmt.Sprintf("%s, %d of them shuffled; %d answered.", show.Count(all.Requests, "recorded request"), r.Shuffled.Requests, all.Answered)}
	if all.Answered > 0 {
		lines = append(lines, fmt.Sprintf("%s of the answers cite nothing, and %s cite only labels that do not exist. An answer cites %.2f documents on average.",
			show.Percent(float64(all.CitedNothing)/float64(all.Answered)), show.Percent(float64(all.CitedUnknown)/float64(all.Answered)), float64(all.Citations)/float64(all.Answered)))
	}
	if need := all.NeededFor(usefulCitations); need > 0 {
		line := fmt.Sprintf("About %d shuffled and answered requests of different questions give every slot a standard error of 7 %%, which is an interval of about ±18 %% at every look.", need)
		if days := r.Last.Sub(r.First).Hours() / 24; days > 0.2 { // less says little about a day
			line += fmt.Sprintf(" At this rate of %.0f answers a day, a share of 1 %% takes %.1f days for it.", float64(all.Answered)/days, float64(need)/(0.01*float64(all.Answered)/days))
		}
		lines = append(lines, line)
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{r.OtherSize, fmt.Sprintf("left out: fewer than 2 documents or more than %d", traffic.MaxDocuments)},
		{r.NoRoom, "left out: there is no memory for more; read fewer files at once"},
	} {
		if left.n > 0 {
			lines = append(lines, fmt.Sprintf("%d shuffled requests are %s.", left.n, left.what))
		}
	}
	if r.Torn > 0 {
		lines = append(lines, fmt.Sprintf("%d bytes of torn last lines were left out.", r.Torn))
	}
	return lines
}

// publishTraffic writes the files.
func publishTraffic(to io.Writer, f folder, r traffic.Result) error {
	text, err := asJSON(r)
	if err != nil {
		return err
	}
	files := []safefile.File{{Name: "traffic.json", Data: text}}
	csv, err := table.UseCSV(r)
	if err != nil {
		return err
	}
	files = append(files, safefile.File{Name: "traffic.csv", Data: csv})
	for i, c := range r.Curves {
		if c.Curve == nil {
			continue
		}
		text, err := asJSON(c.Curve)
		if err != nil {
			return err
		}
		files = append(files, safefile.File{Name: chart.UseFile(r.Curves, i), Data: text})
	}
	svg, png, err := chart.UsePicture(r.Curves)
	if err != nil {
		return err
	}
	if svg != nil {
		files = append(files, safefile.File{Name: "traffic.svg", Data: svg}, safefile.File{Name: "traffic.png", Data: png})
	}
	for i, c := range r.Curves[:min(len(r.Curves), maxCurves)] {
		sentence, lines := table.NextUse(c, f.path(chart.UseFile(r.Curves, i)))
		if len(r.Curves) > 1 && sentence != "" {
			sentence = chart.UseName(c) + ": " + sentence
		}
		printNext(to, sentence, lines)
	}
	html, err := page.Traffic(r, trafficCounts(r))
	if err != nil {
		return err
	}
	return writeFiles(to, f, append(files, safefile.File{Name: "report.html", Data: html}))
}
