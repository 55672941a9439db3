package core_test

import (
	"math"
	"slices"

	"github.com/bookend-rag/bookend/core"
)

// reference ranks and admits by the words of the documentation, as plainly as can
// be: what core does is compared with it. It returns indices of docs by rank; ok
// is false where core has to fail.
func reference(c core.Config, docs []doc) (admitted, left []int, ok bool) {
	ranks := make([]int, len(docs))
	for i := range ranks {
		ranks[i] = i
	}
	better := func(a, b float64) bool {
		if c.Direction == core.LowerIsBetter {
			a, b = b, a
		}
		return a > b
	}
	known := func(s float64) bool { return !math.IsNaN(s) }
	if c.Rank == core.ByScore {
		// Insertion sort: slow, and stable beyond doubt.
		for i := range ranks {
			for j := i; j > 0; j-- {
				x, y := docs[ranks[j-1]].score, docs[ranks[j]].score
				if !(known(y) && !known(x) || known(x) && known(y) && better(y, x)) {
					break
				}
				ranks[j-1], ranks[j] = ranks[j], ranks[j-1]
			}
		}
	}

	pinned := func(i int) bool { return docs[i].id != "" && slices.Contains(c.Pins, docs[i].id) }
	var pins, others []int
	for _, i := range ranks {
		if pinned(i) {
			pins = append(pins, i)
		} else {
			others = append(others, i)
		}
	}
	// What is refused for itself comes first.
	if t := c.Threshold; t != nil {
		others = slices.DeleteFunc(others, func(i int) bool { return !known(docs[i].score) || better(*t, docs[i].score) })
	}
	same := func(i, j int) bool {
		a, b := docs[i], docs[j]
		return c.DropSameID && a.id != "" && a.id == b.id || c.DropSameText && a.text != "" && a.text == b.text
	}
	copyOf := func(i int, list []int) bool {
		return slices.ContainsFunc(list, func(j int) bool { return same(i, j) })
	}
	var first []int
	for _, i := range pins {
		if !copyOf(i, first) {
			first = append(first, i)
		}
	}
	pins = first
	maxBytes := c.MaxBytes
	if maxBytes == 0 && c.Budget > 0 {
		maxBytes = core.DefaultMaxBytes
	}
	if maxBytes > 0 {
		long := func(i int) bool { return len(docs[i].text) > maxBytes }
		if slices.ContainsFunc(pins, long) {
			return nil, nil, false
		}
		others = slices.DeleteFunc(others, long)
	}
	if c.TopK > 0 && len(pins) > c.TopK {
		return nil, nil, false
	}
	used := 0
	size := func(i int) int {
		if c.Budget == 0 {
			return 0
		}
		return len([]rune(docs[i].text))
	}
	for _, i := range pins {
		used += size(i)
	}
	if c.Budget > 0 && used > c.Budget {
		return nil, nil, false
	}
	firstOfAll := -1
	for _, i := range ranks {
		if slices.Contains(pins, i) || slices.Contains(others, i) {
			firstOfAll = i
			break
		}
	}
	// Each of the others enters unless a copy of it did, enough did, or it does not fit;
	// of copies that do not fit together count once to top-k.
	var fit, missed []int
	counted := len(pins)
	full := false
	for _, i := range others {
		if copyOf(i, pins) || copyOf(i, fit) {
			continue
		}
		standsIn := copyOf(i, missed)
		if c.TopK > 0 && counted >= c.TopK && !standsIn || full {
			continue
		}
		if !standsIn {
			counted++
		}
		if c.Budget > 0 && used+size(i) > c.Budget && !(c.KeepBest && i == firstOfAll) {
			full = c.Overflow != core.Skip
			missed = append(missed, i)
			continue
		}
		used += size(i)
		fit = append(fit, i)
	}
	others = fit
	for _, i := range ranks {
		if slices.Contains(pins, i) || slices.Contains(others, i) {
			admitted = append(admitted, i)
		} else {
			left = append(left, i)
		}
	}
	return admitted, left, true
}
