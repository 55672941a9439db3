package dataset

import (
	"fmt"
	"slices"
)

// New makes a dataset of cases in memory, by the rules that a file obeys: what cannot
// be used is left out, and Report says which, where a case counts as a line. A case
// needs Question, Answers and Documents; ID, Task and Line are filled in. Gold are the
// documents of Golds, or the one of Gold where that is nil; with Rules.Lists, where
// Golds is nil, they are looked for as in a file without marks.
//
// The cases are copied: the caller may change theirs. The error is an *Error: a limit
// of the rules that is passed, an index in Golds or Gold that no document has, no
// usable case. Close has nothing to do.
func (r Rules) New(cases ...Case) (*Dataset, error) {
	r, err := r.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(cases) > r.MaxLines {
		return nil, &Error{Rule: fmt.Sprintf("has %d cases; %d are allowed", len(cases), r.MaxLines), Err: ErrLimit}
	}
	d := &Dataset{rules: r, report: Report{Task: QuestionAnswer, Lists: r.Lists, Labels: r.Labels.sum(), By: r.By, Lines: len(cases)}}
	var kept []Case
	seen := map[[8]byte]struct{}{}
	for i, c := range cases {
		c = c.clone()
		c.ID, c.Task, c.Line = questionID(c.Question), QuestionAnswer, i+1
		if c.Golds == nil && !r.Lists && c.Gold >= 0 {
			c.Golds = []int{c.Gold}
		}
		slices.Sort(c.Golds)
		c.Golds = slices.Compact(c.Golds)
		marks := make([]*bool, len(c.Documents))
		for _, gold := range c.Golds {
			if gold < 0 || gold >= len(c.Documents) {
				return nil, &Error{Line: i + 1, Rule: fmt.Sprintf("has the gold document %d, from 0, of %d", gold, len(c.Documents)), Err: ErrOtherFormat}
			}
			yes := true
			marks[gold] = &yes
		}
		if r.Lists && c.Golds != nil { // none of the others is gold, whatever it says
			for g := range marks {
				if marks[g] == nil {
					marks[g] = new(bool)
				}
			}
		}
		reason := c.complete(marks, r)
		if d.take(seen, c, false, reason, "") {
			kept = append(kept, c)
		}
	}
	if err := d.finish(); err != nil {
		return nil, err
	}
	d.generate = func(i int) Case { return kept[i].clone() }
	return d, nil
}

// New makes a dataset of cases in memory, each with one gold document. It is
// Rules{}.New.
func New(cases ...Case) (*Dataset, error) { return Rules{}.New(cases...) }

// clone shares nothing with the case.
func (c Case) clone() Case {
	c.Answers, c.Documents, c.Golds = slices.Clone(c.Answers), slices.Clone(c.Documents), slices.Clone(c.Golds)
	for i, d := range c.Documents {
		if d.Position != nil {
			position := *d.Position
			c.Documents[i].Position = &position
		}
	}
	return c
}
