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
	ids, texts := map[string]bool{"": false}, map[string]bool{"": false}
	unique := func(list []int) (out []int) {
		for _, i := range list {
			d := docs[i]
			if c.DropSameID && d.id != "" && ids[d.id] || c.DropSameText && d.text != "" && texts[d.text] {
				continue
			}
			ids[d.id], texts[d.text] = true, true
			out = append(out, i)
		}
		return out
	}
	pins = unique(pins)
	others = unique(others)

	if t := c.Threshold; t != nil {
		others = slices.DeleteFunc(others, func(i int) bool { return !known(docs[i].score) || better(*t, docs[i].score) })
	}
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
	if c.TopK > 0 {
		if len(pins) > c.TopK {
			return nil, nil, false
		}
		others = others[:min(len(others), c.TopK-len(pins))]
	}
	if c.Budget > 0 {
		used := 0
		for _, i := range pins {
			used += len([]rune(docs[i].text))
		}
		if used > c.Budget {
			return nil, nil, false
		}
		firstOfAll := -1
		for _, i := range ranks {
			if slices.Contains(pins, i) || slices.Contains(others, i) {
				firstOfAll = i
				break
			}
		}
		var fit []int
		for _, i := range others {
			size := len([]rune(docs[i].text))
			if used+size > c.Budget && !(c.KeepBest && i == firstOfAll) {
				if c.Overflow == core.Skip {
					continue
				}
				break
			}
			used += size
			fit = append(fit, i)
		}
		others = fit
	}
	for _, i := range ranks {
		if slices.Contains(pins, i) || slices.Contains(others, i) {
			admitted = append(admitted, i)
		} else {
			left = append(left, i)
		}
	}
	return admitted, left, true
}
