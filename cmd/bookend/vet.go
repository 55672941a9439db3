package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// vetCommand holds the flags of `bookend vet`.
type vetCommand struct {
	Paths   []string `arg:"" optional:"" name:"file" help:"Files of YAML or JSON, or folders of them."`
	Format  string   `default:"text" enum:"text,json,sarif" help:"How the findings are printed: text, json or sarif."`
	FailOn  string   `default:"error" enum:"note,warning,error,never" help:"End with code 1 where there is a finding of this level or worse: note, warning, error or never."`
	Curve   string   `placeholder:"FILE" help:"A curve.json of bookend sweep, or the name of a published curve such as gpt-3.5-turbo: decides the warnings about orders."`
	Decay   float64  `default:"0.5" help:"For --curve: each rank holds the answer so many times as often as the one before."`
	Fix     bool     `help:"Write the fixes of Bookend's own settings and those that a curve decides. Others are printed, and the file is left alone."`
	Explain string   `placeholder:"RULE" help:"Print the page of a rule, such as BE101."`
}

// Help is the long text of `bookend vet --help`.
func (*vetCommand) Help() string {
	return `It looks at what happens to documents between retriever and model: in settings of Bookend, pipelines of Haystack, configurations of AutoRAG, apps of Dify, and files with a key such as chunk_order. Any other file is not recognised, and nothing is said of it. Errors are certain; warnings depend on the model, and say when they are fine. With --curve they are decided: an error where the curve shows a loss beyond noise, else nothing.

    bookend vet rag.yaml
    bookend vet --curve curve.json configs/
    bookend vet --explain BE101

It ends with 0 when nothing was found at the level of --fail-on, with 1 when something was, with 2 when a file that was named cannot be read, and with 3 after an interrupt. What cannot be read in a folder is skipped and counted.`
}

// foundError says that there are findings to fail on.
type foundError struct{}

func (foundError) Error() string { return "" }

// vetted is what a run has seen.
type vetted struct {
	read       int
	kinds      map[string]int // how many files were recognised as what
	recognised int
	findings   []vet.Finding
	skipped    []error // what could not be read in folders
	unreadable []error // files that were named
}

// Run runs `bookend vet`.
func (c *vetCommand) Run(ctx context.Context, s streams) error {
	if c.Explain != "" {
		rule, err := vet.Lookup(c.Explain)
		if err == nil {
			fmt.Fprint(s.out, narrow(rule.Page()))
		}
		return err
	}
	if len(c.Paths) == 0 {
		return usage("no file is given: name files or folders, or a rule by --explain")
	}
	if !(c.Decay > 0 && c.Decay <= 1) {
		return usage("--decay is %v: it must be above 0 and at most 1, such as 0.5", c.Decay)
	}
	options := vet.Options{Decay: c.Decay}
	if c.Curve != "" {
		curve, err := judge.Load(c.Curve)
		if errors.Is(err, fs.ErrNotExist) {
			return noCurve("--curve", c.Curve)
		}
		if err != nil {
			return &usageError{fmt.Errorf("bookend: --curve: %w", err)}
		}
		options.Curve = curve
	}
	paths, skipped, err := vetFiles(ctx, c.Paths)
	if err != nil {
		return &usageError{err}
	}
	seen := vetted{kinds: map[string]int{}, findings: []vet.Finding{}, skipped: skipped}
	for _, path := range paths {
		report, err := c.file(ctx, s, path.name, options)
		switch {
		case ctx.Err() != nil:
			return usage("interrupted: %w", ctx.Err())
		case err != nil && path.given:
			seen.unreadable = append(seen.unreadable, err)
			continue
		case err != nil:
			seen.skipped = append(seen.skipped, err)
			continue
		}
		seen.read++
		if len(report.Kinds) > 0 {
			seen.recognised++
		}
		for _, kind := range report.Kinds {
			seen.kinds[kind]++
		}
		seen.findings = append(seen.findings, report.Findings...)
	}
	if err := c.print(s, options, seen); err != nil {
		return err
	}
	if len(seen.unreadable) > 0 {
		return &usageError{errors.Join(seen.unreadable...)}
	}
	levels := []vet.Level{vet.Note, vet.Warning, vet.Error}
	for _, f := range seen.findings {
		if c.FailOn != "never" && slices.Index(levels, f.Level) >= slices.Index(levels, vet.Level(c.FailOn)) {
			return foundError{}
		}
	}
	return nil
}

// file checks one file. With --fix it returns what is left to find.
func (c *vetCommand) file(ctx context.Context, s streams, path string, options vet.Options) (vet.Report, error) {
	file, err := doctree.Read(ctx, path)
	if err != nil {
		return vet.Report{}, err
	}
	report, err := vet.Check(ctx, file, options)
	if err != nil || !c.Fix {
		return report, err
	}
	fixed, count := vet.Apply(file, report.Findings)
	if count == 0 {
		return report, nil
	}
	if err := rewrite(path, fixed); err != nil {
		return vet.Report{}, err
	}
	fmt.Fprintf(s.err, "%s: %s written\n", show.Line(path), show.Count(count, "change"))
	if file, err = doctree.Parse(ctx, path, fixed); err != nil {
		return vet.Report{}, err
	}
	return vet.Check(ctx, file, options)
}

// rewrite puts a new content into a file, whole or not at all, with its old mode.
func rewrite(path string, data []byte) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &safefile.LinkError{Path: path, Want: "regular file"}
	}
	if err := safefile.Stream(path, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}

// print writes the findings in the format that was asked for.
func (c *vetCommand) print(s streams, options vet.Options, seen vetted) error {
	curve := ""
	if options.Curve != nil {
		curve = options.Curve.String()
	}
	if c.Format == "sarif" {
		text, err := vetSARIF(seen.findings, options)
		fmt.Fprintf(s.out, "%s", text)
		return err
	}
	if c.Format == "json" {
		report := struct {
			Files      int            `json:"files"` // that were read
			Recognised int            `json:"recognised"`
			Kinds      map[string]int `json:"kinds"`
			Curve      string         `json:"curve,omitempty"`
			Decay      float64        `json:"decay,omitempty"`
			Findings   []vet.Finding  `json:"findings"`
			Skipped    []string       `json:"skipped,omitempty"`
			Unreadable []string       `json:"unreadable,omitempty"`
		}{seen.read, seen.recognised, seen.kinds, curve, 0, seen.findings, messages(seen.skipped), messages(seen.unreadable)}
		if curve != "" {
			report.Decay = c.Decay
		}
		text, err := asJSON(report)
		fmt.Fprintf(s.out, "%s", text)
		return err
	}
	if curve != "" {
		tell(s.out, fmt.Sprintf("Curve: %s. Each rank is taken to hold the answer %v times as often as the one before it (--decay).", curve, c.Decay))
		fmt.Fprintln(s.out)
	}
	vetText(s.out, seen.findings)
	if len(seen.findings) > 0 {
		fmt.Fprintln(s.out)
	}
	tell(s.out, seen.summary())
	if len(seen.findings) > 0 {
		fmt.Fprintf(s.out, "bookend vet --explain %s tells more.\n", seen.findings[0].Rule)
	}
	left := 0
	for _, f := range seen.findings {
		if f.Fix != nil && !f.Fix.Known {
			left++
		}
	}
	if c.Fix && left > 0 {
		fmt.Fprintf(s.out, "%s printed above and not written: the file is another program's, and no curve decides.\n", show.Count(left, "change"))
	}
	return nil
}

// summary is the last line. Where nothing was recognised it counts no errors, since
// none was looked for.
func (v vetted) summary() string {
	text := show.Count(v.read, "file") + " read"
	for _, kind := range slices.Sorted(maps.Keys(v.kinds)) {
		text += fmt.Sprintf(", %d as %s", v.kinds[kind], kind)
	}
	if other := v.read - v.recognised; other > 0 {
		text += fmt.Sprintf(", %d not recognised", other)
	}
	if len(v.skipped) > 0 {
		text += fmt.Sprintf(", %d skipped that cannot be read", len(v.skipped))
	}
	if len(v.unreadable) > 0 {
		text += ". " + show.Count(len(v.unreadable), "file") + " cannot be read"
	}
	if v.recognised == 0 {
		return text + ". Nothing was recognised, so nothing was checked: bookend vet --help says what is known."
	}
	counts := map[vet.Level]int{}
	for _, f := range v.findings {
		counts[f.Level]++
	}
	text += fmt.Sprintf(": %s, %s, %s.", show.Count(counts[vet.Error], "error"), show.Count(counts[vet.Warning], "warning"), show.Count(counts[vet.Note], "note"))
	return text
}

func messages(errs []error) []string {
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}
