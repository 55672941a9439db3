package sweep

import "github.com/bookend-rag/bookend/measure/dataset"

// alike returns how many slots next to slot, before and after it, of a prompt of n
// documents give the same prompt, because what stands between has the words of the gold
// document.
func alike(c dataset.Case, slot, n int) (before, after int) {
	others := make([]dataset.Document, 0, n)
	for i, d := range c.Documents {
		if i != c.Gold && len(others) < n-1 {
			others = append(others, d)
		}
	}
	gold := c.Documents[c.Gold]
	same := func(d dataset.Document) bool { return d.Title == gold.Title && d.Text == gold.Text }
	for slot-before > 0 && same(others[slot-before-1]) {
		before++
	}
	for slot+after < n-1 && same(others[slot+after]) {
		after++
	}
	return before, after
}
