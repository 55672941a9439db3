package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/safefile"
	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/vet"
)

// vetCommand holds the flags of `bookend vet`.
type vetCommand struct {
	Paths   []string `arg:"" optional:"" name:"file" help:"Files of YAML or JSON, or folders of them."`
	Format  string   `default:"text" enum:"text,json,sarif" help:"How the findings are printed: text, json or sarif."`
	FailOn  string   `default:"error" enum:"note,warning,error,never" help:"The level from which on findings end with code 1: note, warning, error or never."`
	Curve   string   `placeholder:"FILE" help:"A curve.json of bookend sweep, or the name of a published curve such as gpt-3.5-turbo: decides the warnings about orders."`
	Decay   float64  `default:"0.5" help:"How probable each rank is to hold the answer, in parts of the rank before; for --curve."`
	Fix     bool     `help:"Write the fixes that the file's own program is known to take, and nothing else."`
	Explain string   `placeholder:"RULE" help:"Print the page of a rule, such as BE101."`
}

// Help is the long text of `bookend vet --help`.
func (*vetCommand) Help() string {
	return `Finds faults of layout in the configuration of any RAG program. Errors are certain; warnings depend on the model, and say when they are fine. With --curve they are decided: an error where the curve shows a loss beyond noise, else nothing.

    bookend vet rag.yaml
    bookend vet --curve curve.json configs/
    bookend vet --explain BE101

It ends with 0 when nothing was found at the level of --fail-on, with 1 when something was, and with 2 when a file cannot be read.`
}

// foundError says that there are findings to fail on.
type foundError struct{}

func (foundError) Error() string { return "" }

// Run runs `bookend vet`.
func (c *vetCommand) Run(s streams) error {
	if c.Explain != "" {
		rule, err := vet.Lookup(c.Explain)
		if err == nil {
			fmt.Fprint(s.out, rule.Page())
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
		curve, err := vet.LoadCurve(c.Curve)
		if err != nil {
			return &usageError{fmt.Errorf("bookend: --curve: %w", err)}
		}
		options.Curve = curve
	}
	paths, err := vet.Files(c.Paths)
	if err != nil {
		return &usageError{err}
	}
	var (
		findings   = []vet.Finding{}
		unreadable []error
	)
	for _, path := range paths {
		found, err := c.file(s, path, options)
		if err != nil {
			unreadable = append(unreadable, err)
			continue
		}
		findings = append(findings, found...)
	}
	if err := c.print(s, options, len(paths), findings, unreadable); err != nil {
		return err
	}
	if len(unreadable) > 0 {
		return &usageError{errors.Join(unreadable...)}
	}
	for _, f := range findings {
		if c.FailOn != "never" && f.Level >= map[string]vet.Level{"note": vet.Note, "warning": vet.Warning, "error": vet.Error}[c.FailOn] {
			return foundError{}
		}
	}
	return nil
}

// file checks one file. With --fix it returns what is left to find.
func (c *vetCommand) file(s streams, path string, options vet.Options) ([]vet.Finding, error) {
	file, err := doctree.Read(path)
	if err != nil {
		return nil, err
	}
	findings, err := vet.Check(file, options)
	if err != nil || !c.Fix {
		return findings, err
	}
	fixed, count := vet.Apply(file, findings)
	if count == 0 {
		return findings, nil
	}
	if err := rewrite(path, fixed); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.err, "%s: %s written\n", show.Line(path), show.Count(count, "fix"))
	file, err = doctree.Parse(path, fixed)
	if err != nil {
		return nil, err
	}
	return vet.Check(file, options)
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
func (c *vetCommand) print(s streams, options vet.Options, files int, findings []vet.Finding, unreadable []error) error {
	curve := ""
	if options.Curve != nil {
		curve = options.Curve.String()
	}
	switch c.Format {
	case "sarif":
		text, err := vet.SARIF(findings, options)
		fmt.Fprintf(s.out, "%s", text)
		return err
	case "json":
		report := struct {
			Files      int           `json:"files"`
			Curve      string        `json:"curve,omitempty"`
			Decay      float64       `json:"decay,omitempty"`
			Findings   []vet.Finding `json:"findings"`
			Unreadable []string      `json:"unreadable,omitempty"`
		}{Files: files, Curve: curve, Findings: findings}
		if curve != "" {
			report.Decay = c.Decay
		}
		for _, err := range unreadable {
			report.Unreadable = append(report.Unreadable, err.Error())
		}
		text, err := asJSON(report)
		fmt.Fprintf(s.out, "%s", text)
		return err
	}
	if curve != "" {
		fmt.Fprintf(s.out, "Curve: %s. Decay %v: each rank holds the answer %v times as often as the one before it.\n\n", show.Line(curve), c.Decay, c.Decay)
	}
	vet.Text(s.out, findings)
	if len(findings) > 0 {
		fmt.Fprintln(s.out)
	}
	counts := map[vet.Level]int{}
	for _, f := range findings {
		counts[f.Level]++
	}
	fmt.Fprintf(s.out, "%s: %s, %s, %s.", show.Count(files, "file"), show.Count(counts[vet.Error], "error"), show.Count(counts[vet.Warning], "warning"), show.Count(counts[vet.Note], "note"))
	if len(unreadable) > 0 {
		fmt.Fprintf(s.out, " %s cannot be read.", show.Count(len(unreadable), "file"))
	}
	if len(findings) > 0 {
		fmt.Fprintf(s.out, " bookend vet --explain %s tells more.", findings[0].Rule)
	}
	fmt.Fprintln(s.out)
	return nil
}
