// Package vet finds faults in what happens to documents between a retriever and a
// model, in files whose kind is known by their own marks: settings of Bookend,
// pipelines of Haystack, configurations of AutoRAG, apps of Dify, and any file with a
// key that says outright what the order is, such as chunk_order. Of every other file
// it says nothing.
//
// An error is certain. What depends on the model is a warning that says when it is
// fine, and that a measured curve turns into an error or into silence.
package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/cmd/internal/judge"
	"github.com/bookend-rag/bookend/core"
)

// Level says how sure a finding is.
type Level string

// The levels.
const (
	Note    Level = "note"    // too few documents for it to matter, or a guess
	Warning Level = "warning" // depends on the model
	Error   Level = "error"   // certain
)

// Options say what is known besides the files.
type Options struct {
	Curve *judge.Curve // decides the warnings about orders; nil: none
	Decay float64      // how much less often each rank holds the answer than the one before
}

// Report is what one file was known as, and what was found in it.
type Report struct {
	Kinds    []string // such as Haystack; empty: the file is not recognised
	Findings []Finding
}

// Finding is one fault.
type Finding struct {
	Rule    string   `json:"rule"`
	Level   Level    `json:"level"`
	File    string   `json:"file"`
	Line    int      `json:"line"`   // from 1
	Column  int      `json:"column"` // from 1, in characters
	Length  int      `json:"length"` // characters of what is wrong, 0 if that is no one word
	Title   string   `json:"title"`
	Message string   `json:"message"`           // what happens to the documents here
	Picture []string `json:"picture,omitempty"` // the slots, a line each
	Fix     *Fix     `json:"fix,omitempty"`
	Advice  string   `json:"advice,omitempty"` // where no single value mends it
	Fine    string   `json:"fine"`             // when the setting is right as it is
	Source  string   `json:"-"`                // the line
}

// Fix changes one value of a line and nothing else.
type Fix struct {
	Line       string `json:"line"` // the changed line
	Old        string `json:"old"`
	New        string `json:"new"`
	Known      bool   `json:"known"` // the file is Bookend's own, or a curve decides: only then is it written
	start, end int    // bytes of the file
}

// The limits of what is told and done for one file. Work is counted in bytes of
// templates; a value costs one of them, and a step of a chain stepWork.
const (
	maxFindings = 200
	maxMessage  = 1000    // characters of a fault of settings
	maxName     = 60      // and of the name of a step
	maxWork     = 1 << 16 // and as much for each byte of the file as workPerByte
	workPerByte = 3
	stepWork    = 8
)

// checker runs the rules over one file.
type checker struct {
	ctx  context.Context
	file *doctree.File
	Options
	report   Report
	told     map[string]bool        // findings that were reported
	seen     map[*doctree.Node]bool // nodes that were walked, and keys
	verdicts map[core.Placement]judge.Verdict
	work     int
	full     bool // a limit was met
}

// Check looks through one file. Equal input gives equal output, and the cost grows
// with the size of the file, whatever is in it. An error is that of the context.
func Check(ctx context.Context, file *doctree.File, o Options) (Report, error) {
	c := &checker{
		ctx: ctx, file: file, Options: o,
		told: map[string]bool{}, seen: map[*doctree.Node]bool{}, verdicts: map[core.Placement]judge.Verdict{},
	}
	if len(file.Docs) > 0 && isSettings(file.Docs[0]) {
		c.known(bookend)
		c.settings()
	} else {
		for _, doc := range file.Docs {
			a := &around{}
			c.walk(doc, a)
			c.checkAround(a)
		}
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	if c.full {
		c.tell(notChecked, &doctree.Node{Line: 1, Column: 1}, Finding{
			Message: fmt.Sprintf("The file has more than %d findings, or takes far more work than its size. What is not listed was not checked.", maxFindings),
			Advice:  "Mend what is listed, or check the parts of the file one by one.",
		})
	}
	slices.SortStableFunc(c.report.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return c.report, nil
}

// check runs the rules over a chain.
func (c *checker) check(chain *Chain) {
	if c.spend(stepWork * (1 + len(chain.Steps))) {
		arrives := !c.checkSequence(chain)
		c.checkOrder(chain, arrives)
		c.checkLayouts(chain)
		c.checkCount(chain)
	}
}

// known notes that the file has something of a kind.
func (c *checker) known(kind string) {
	if !slices.Contains(c.report.Kinds, kind) {
		c.report.Kinds = append(c.report.Kinds, kind)
	}
}

// spend takes so many steps from what the file may cost, and says whether to go on.
func (c *checker) spend(steps int) bool {
	c.work += steps
	c.full = c.full || c.work > maxWork+workPerByte*len(c.file.Source)
	return !c.full && c.ctx.Err() == nil
}

// tell adds a finding at a value. The same finding at the same place is told once.
func (c *checker) tell(id string, at *doctree.Node, f Finding) {
	rule, _ := Lookup(id)
	f.Rule, f.Title, f.Fine, f.File = id, rule.Title, rule.Fine, c.file.Name
	f.Level = cmp.Or(f.Level, rule.Level)
	f.Line = cmp.Or(f.Line, at.Line)
	f.Source = c.file.Line(f.Line)
	if f.Line == at.Line {
		f.Column = at.Column
		if start, end, ok := c.file.Scalar(at); ok {
			f.Length = utf8.RuneCount(c.file.Source[start:end])
		}
	} else {
		f.Column = 1 + len(f.Source) - len(strings.TrimLeft(f.Source, " \t"))
	}
	key := fmt.Sprint(f.Rule, f.Line, f.Column, f.Message)
	switch {
	case c.told[key]:
	case len(c.told) == maxFindings && id != notChecked:
		c.full = true
	default:
		c.told[key] = true
		c.report.Findings = append(c.report.Findings, f)
	}
}

// fix returns the change of a value, or nil if it does not stand in the file as it is.
func (c *checker) fix(at *doctree.Node, value string, known bool) *Fix {
	start, end, ok := c.file.Scalar(at)
	begin, inside := c.file.Offset(at.Line, 1)
	if !ok || !inside || value == "" {
		return nil
	}
	changed := value
	if line := c.file.Line(at.Line); end-begin <= len(line) {
		changed = line[:start-begin] + value + line[end-begin:]
	}
	return &Fix{Line: changed, Old: string(c.file.Source[start:end]), New: value, Known: known, start: start, end: end}
}

// Apply returns the file with the fixes of its findings that are certain, and how
// many there are. Everything else keeps every byte.
func Apply(file *doctree.File, findings []Finding) ([]byte, int) {
	var fixes []*Fix
	for _, f := range findings {
		if f.Fix != nil && f.Fix.Known {
			fixes = append(fixes, f.Fix)
		}
	}
	slices.SortFunc(fixes, func(a, b *Fix) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	done, count := 0, 0
	for _, fix := range fixes {
		if fix.start < done {
			continue // two rules about one value: the first is applied, and the next run sees the rest
		}
		out = append(append(out, file.Source[done:fix.start]...), fix.New...)
		done = fix.end
		count++
	}
	return append(out, file.Source[done:]...), count
}
