package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// QuestionKind is a part of the questions that has a verdict of its own: those with one
// value of the field of dataset.Rules.By, or with one of several rare ones.
type QuestionKind struct {
	Name   string   `json:"name"` // the value; empty for questions without one
	Values []string `json:"values"`
	// Pooled says that these are the rare values, together.
	Pooled bool `json:"pooled,omitempty"`
	// Late says that the kind came after a look at the others: its evidence counts a
	// quarter, as that of an arm does that is added later.
	Late bool `json:"late,omitempty"`
}

const (
	// leastOfKind is how many questions a value needs for a verdict of its own: with
	// fewer even a gain of 12 points is hardly ever seen.
	leastOfKind = 50
	mostKinds   = 20

	pooledName = "(other)"
)

// split splits the questions of the plan: the values with enough questions, the largest
// first, and all others together. at is the kind of each question, in plan order.
func (p *Plan) split() (kinds []QuestionKind, at []int, err error) {
	if p.dataset.Report().By == "" {
		return nil, nil, nil
	}
	counts := map[string]int{}
	values := make([]string, len(p.order)) // of each question
	for n, i := range p.order {
		c, err := p.dataset.Case(i)
		if err != nil {
			return nil, nil, err
		}
		values[n] = c.Kind
		counts[c.Kind]++
	}
	largest := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	pooled := QuestionKind{Name: pooledName, Pooled: true}
	for _, value := range largest {
		if counts[value] >= leastOfKind && len(kinds) < mostKinds {
			kinds = append(kinds, QuestionKind{Name: value, Values: []string{value}})
			continue
		}
		pooled.Values = append(pooled.Values, value)
	}
	if len(pooled.Values) > 0 {
		slices.Sort(pooled.Values)
		kinds = append(kinds, pooled)
	}
	byValue := kindsByValue(kinds)
	for _, value := range values {
		at = append(at, byValue[value])
	}
	return kinds, at, nil
}

// keepKinds returns the kinds of an earlier run, with the values that it did not have
// among the rare ones: who splits the questions anew after a look has one more chance to
// be wrong.
func keepKinds(earlier, now []QuestionKind) []QuestionKind {
	if len(earlier) == 0 {
		return now
	}
	kinds := slices.Clone(earlier)
	at := kindsByValue(kinds)
	pooled := slices.IndexFunc(kinds, func(k QuestionKind) bool { return k.Pooled })
	for _, k := range now {
		for _, value := range k.Values {
			if _, known := at[value]; known {
				continue
			}
			if pooled < 0 {
				pooled, kinds = len(kinds), append(kinds, QuestionKind{Name: pooledName, Pooled: true, Late: true})
			}
			at[value] = pooled
			kinds[pooled].Values = append(slices.Clone(kinds[pooled].Values), value)
		}
	}
	return kinds
}

// kindsByValue says which kind a value belongs to.
func kindsByValue(kinds []QuestionKind) map[string]int {
	at := map[string]int{}
	for i, k := range kinds {
		for _, value := range k.Values {
			at[value] = i
		}
	}
	return at
}

// Title names a kind for people.
func (k QuestionKind) Title() string {
	if k.Name == "" && !k.Pooled {
		return "(none)"
	}
	return k.Name
}

// kindsLine says what a plan is split by.
func kindsLine(by string, kinds []QuestionKind) string {
	if len(kinds) == 0 {
		return ""
	}
	var names []string
	for _, k := range kinds {
		name := k.Title()
		if k.Pooled {
			name += ", which joins the rarer values: " + joined(k.Values)
		}
		names = append(names, name)
	}
	return fmt.Sprintf("\nA verdict for each %s: %s.", by, strings.Join(names, ", "))
}

// joined lists values, ten at most.
func joined(values []string) string {
	const most = 10
	var names []string
	for _, v := range values[:min(most, len(values))] {
		if v == "" {
			v = "(none)"
		}
		names = append(names, v)
	}
	if more := len(values) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}
