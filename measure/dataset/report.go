package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
)

// Reason says why a line of a dataset is not among its cases.
type Reason string

// The reasons, in the order in which they are looked for: a line is left out for
// the first that applies.
const (
	NotForm           Reason = "not a line of the file's form"        // a key is missing or has a value of another type
	EmptyQuestion     Reason = "empty question"                       // the question or the key is blank
	NoAnswer          Reason = "no answer"                            // no answers, or nothing but articles and punctuation in them
	TooFewDocuments   Reason = "too few documents"                    // fewer than Rules.MinDocuments
	EmptyDocument     Reason = "empty document"                       // a passage without text
	NoGold            Reason = "no gold document"                     // none is marked, or no record has the key
	TwoGolds          Reason = "two gold documents"                   // two or more are marked, or two records have the key
	AnswerNotInGold   Reason = "answer absent from the gold document" // neither its text nor its title holds any of the answers
	DuplicateQuestion Reason = "duplicate question"                   // an earlier case has the same ID
	NotChosen         Reason = "not chosen"                           // Rules.Choose does not want it
)

// Reasons returns every reason, in the order in which they are looked for. The
// caller may change the slice.
func Reasons() []Reason {
	return []Reason{
		NotForm, EmptyQuestion, NoAnswer, TooFewDocuments, EmptyDocument,
		NoGold, TwoGolds, AnswerNotInGold, DuplicateQuestion, NotChosen,
	}
}

// LeftOut lists the lines that one reason left out.
type LeftOut struct {
	Reason Reason `json:"reason"`
	Lines  []int  `json:"lines"` // from 1, ascending
	// Why says what is wrong with the first of them, where the reason does not.
	Why string `json:"why,omitempty"`
}

// Report says what became of every line of a dataset: Lines is always Kept plus
// the lines in LeftOut.
type Report struct {
	Path  string `json:"path"` // empty for generated cases
	Task  Task   `json:"task"`
	Lines int    `json:"lines"` // lines that are not blank
	Blank int    `json:"blank"` // blank lines, which mean nothing
	Kept  int    `json:"kept"`  // the cases
	// LeftOut has one entry for each reason that occurred, in the order of Reasons.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// AnswerElsewhere lists the kept cases, by line, in which the file itself marks
	// another document with "hasanswer", or another record has the wanted value.
	// They flatten a curve: the answer can be read where the gold document is not.
	AnswerElsewhere []int `json:"answer_elsewhere,omitempty"`
	// Lists says that the cases are lists of a retriever (Rules.Lists), and
	// WithoutGold and ManyGolds count those with no gold document and with several.
	Lists       bool `json:"lists,omitempty"`
	WithoutGold int  `json:"without_gold,omitempty"`
	ManyGolds   int  `json:"many_golds,omitempty"`
	// Clusters is how many independent units the cases make: a cluster counts as one.
	// 0: each case is one.
	Clusters int `json:"clusters,omitempty"`
	// By is Rules.By, and Kinds counts the cases of each kind.
	By    string         `json:"by,omitempty"`
	Kinds map[string]int `json:"kinds,omitempty"`
	// Labels tells Rules.Labels apart, by a hash of them; empty: there were none.
	Labels string `json:"labels,omitempty"`
	// MinDocuments and MaxDocuments are the least and the most documents of a kept
	// case.
	MinDocuments int `json:"min_documents"`
	MaxDocuments int `json:"max_documents"`
}

// maxNamed is how many line numbers String names before it abbreviates.
const maxNamed = 10

// String sums the report up in one line, for people. It names the first ten lines
// of each reason; LeftOut has them all.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d kept", text.Count(r.Lines, "line"), r.Kept)
	for _, l := range r.LeftOut {
		if l.Reason == NotChosen { // on purpose
			fmt.Fprintf(&b, "; %d left out: %s", len(l.Lines), l.Reason)
			continue
		}
		fmt.Fprintf(&b, "; %d left out: %s (%s", len(l.Lines), l.Reason, lineList(l.Lines))
		if l.Why != "" && len(l.Lines) > 1 {
			fmt.Fprintf(&b, "; line %d", l.Lines[0])
		}
		if l.Why != "" {
			b.WriteString(": " + l.Why)
		}
		b.WriteByte(')')
	}
	if len(r.AnswerElsewhere) > 0 {
		fmt.Fprintf(&b, "; %d kept although another document also holds an answer (%s)",
			len(r.AnswerElsewhere), lineList(r.AnswerElsewhere))
	}
	if r.Clusters > 0 {
		fmt.Fprintf(&b, "; questions that hang together count as one, which makes %d", r.Clusters)
	}
	if r.WithoutGold > 0 {
		fmt.Fprintf(&b, "; in %s no document holds the answer", text.Count(r.WithoutGold, "list"))
	}
	if r.ManyGolds > 0 {
		fmt.Fprintf(&b, "; in %s several documents hold the answer", text.Count(r.ManyGolds, "list"))
	}
	return b.String()
}

func (r *Report) leaveOut(reason Reason, line int, why string) {
	i := slices.IndexFunc(r.LeftOut, func(l LeftOut) bool { return l.Reason == reason })
	if i < 0 {
		i = len(r.LeftOut)
		r.LeftOut = append(r.LeftOut, LeftOut{Reason: reason, Why: why})
	}
	r.LeftOut[i].Lines = append(r.LeftOut[i].Lines, line)
}

func (r *Report) keep(c Case, answerElsewhere bool) {
	r.Kept++
	if r.By != "" {
		if r.Kinds == nil {
			r.Kinds = map[string]int{}
		}
		r.Kinds[c.Kind]++
	}
	if n := len(c.Documents); r.Kept == 1 {
		r.MinDocuments, r.MaxDocuments = n, n
	} else {
		r.MinDocuments, r.MaxDocuments = min(r.MinDocuments, n), max(r.MaxDocuments, n)
	}
	switch {
	case !r.Lists:
	case len(c.Golds) == 0:
		r.WithoutGold++
	case len(c.Golds) > 1:
		r.ManyGolds++
	}
	if answerElsewhere {
		r.AnswerElsewhere = append(r.AnswerElsewhere, c.Line)
	}
}

// finish refuses a dataset without a case.
func (r *Report) finish() error {
	order := Reasons()
	slices.SortFunc(r.LeftOut, func(a, b LeftOut) int {
		return slices.Index(order, a.Reason) - slices.Index(order, b.Reason)
	})
	switch {
	case r.Lines == 0:
		return &Error{Rule: "is empty", Err: ErrNoCase}
	case r.Kept == 0:
		return &Error{Rule: "has no usable case: " + r.String(), Err: ErrNoCase}
	}
	return r.checkKinds()
}

// clone keeps the caller's hands off the dataset's own report.
func (r Report) clone() Report {
	r.LeftOut = slices.Clone(r.LeftOut)
	for i := range r.LeftOut {
		r.LeftOut[i].Lines = slices.Clone(r.LeftOut[i].Lines)
	}
	r.AnswerElsewhere = slices.Clone(r.AnswerElsewhere)
	r.Kinds = maps.Clone(r.Kinds)
	return r
}

func lineList(lines []int) string {
	named := make([]string, 0, maxNamed+1)
	for _, line := range lines[:min(len(lines), maxNamed)] {
		named = append(named, strconv.Itoa(line))
	}
	if more := len(lines) - maxNamed; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	if len(lines) == 1 {
		return "line " + named[0]
	}
	return "lines " + strings.Join(named, ", ")
}
