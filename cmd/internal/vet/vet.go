// Package vet finds faults of layout in the configuration of any program that
// retrieves documents for a model, with no knowledge of the program itself: files of
// Bookend, Haystack, AutoRAG and Dify by their documented keys, others by words that
// can only mean one thing.
//
// What is certainly wrong is an error. What depends on the model is a warning that
// says when it is fine, and that a measured curve turns into an error or into
// silence.
package vet

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
)

// Level says how sure a finding is.
type Level uint8

// The levels.
const (
	Note    Level = iota + 1 // too few documents for it to matter
	Warning                  // depends on the model
	Error                    // certain
)

// String names the level as the flag --fail-on does.
func (l Level) String() string { return [...]string{"", "note", "warning", "error"}[l] }

// MarshalJSON writes the name.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// fewDocuments is the number below which the place of a document hardly matters.
const fewDocuments = 5

// Options say what is known besides the files.
type Options struct {
	// Curve decides the warnings about orders; nil: none.
	Curve *Curve
	// Decay is how much less often each rank holds the answer than the one before.
	Decay float64
}

// Finding is one fault.
type Finding struct {
	Rule   string `json:"rule"`
	Level  Level  `json:"level"`
	File   string `json:"file"`
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 1, in characters
	Length int    `json:"length"` // characters of what is wrong, 0 if that is no one word
	Title  string `json:"title"`
	// Message says what happens to the documents here.
	Message string `json:"message"`
	// Picture draws the slots, a line each.
	Picture []string `json:"picture,omitempty"`
	Fix     *Fix     `json:"fix,omitempty"`
	Advice  string   `json:"advice,omitempty"` // where no single value mends it
	Fine    string   `json:"fine"`             // when the setting is right as it is
	source  string   // the line
}

// Fix changes one value of a line and nothing else.
type Fix struct {
	Line string `json:"line"` // the changed line
	Old  string `json:"old"`
	New  string `json:"new"`
	// Known says that the program behind the file is known to take the new value;
	// only then is it written.
	Known      bool `json:"known"`
	start, end int  // bytes of the file
	quoted     bool // the value stands in quotes
}

// maxFindings is how many findings of a file are told; one with more is a hostile one.
const maxFindings = 200

// longLine is a line that is not shown as a whole.
const longLine = 1000

// checker runs the rules over the chains of one file.
type checker struct {
	file *doctree.File
	Options
	findings []Finding
}

// Check returns the findings of a file, by line. Equal input gives equal output.
func Check(file *doctree.File, o Options) ([]Finding, error) {
	c, rules := &checker{file: file, Options: o}, Rules()
	for _, doc := range file.Docs {
		for _, chain := range chains(doc) {
			for _, rule := range rules {
				if len(c.findings) >= maxFindings {
					break
				}
				if err := rule.check(c, rule, chain); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	// What an alias repeats is one place of the file, and one finding.
	return slices.CompactFunc(c.findings, func(a, b Finding) bool {
		return a.Line == b.Line && a.Column == b.Column && a.Rule == b.Rule
	}), nil
}

// report adds a finding at a value.
func (c *checker) report(rule *Rule, at *doctree.Node, f Finding) {
	if len(c.findings) >= maxFindings {
		return
	}
	f.Rule, f.Title, f.File = rule.ID, rule.Title, c.file.Name
	f.Fine = cmp.Or(f.Fine, rule.Fine)
	f.Level = cmp.Or(f.Level, rule.Level)
	if f.Line == 0 {
		f.Line = at.Line
	}
	f.Column = 1
	if f.source = c.file.Line(f.Line); len(f.source) > longLine {
		f.source = ""
	}
	if f.Line == at.Line {
		f.Column = at.Column
		if start, end, ok := c.file.Scalar(at); ok {
			f.Length = len([]rune(string(c.file.Source[start:end])))
		}
	} else {
		f.Column += len([]rune(f.source)) - len([]rune(strings.TrimLeft(f.source, " \t")))
	}
	c.findings = append(c.findings, f)
}

// fix returns the change of a value, or nil if it does not stand in the file as it
// is.
func (c *checker) fix(at *doctree.Node, value string, known bool) *Fix {
	start, end, ok := c.file.Scalar(at)
	if !ok || value == "" {
		return nil
	}
	begin, ok := c.file.Offset(at.Line, 1)
	if !ok {
		return nil
	}
	changed := value
	if line := c.file.Line(at.Line); len(line) <= longLine {
		changed = line[:start-begin] + value + line[end-begin:]
	}
	return &Fix{
		Line: changed,
		Old:  string(c.file.Source[start:end]), New: value, Known: known, start: start, end: end,
		quoted: start > 0 && (c.file.Source[start-1] == '"' || c.file.Source[start-1] == '\''),
	}
}

// Apply returns the file with the fixes of its findings that are known to be taken,
// and how many there are. Everything else keeps every byte.
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
