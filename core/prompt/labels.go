package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// labels collects the rank that each label of a prompt cites.
type labels struct {
	ranks  []int // by label - 1; -1 for one that the prompt does not show
	hidden []int
}

func newLabels(n int) labels { return labels{ranks: make([]int, n)} }

// set notes the rank that a label cites. It leaves out one above the number of documents,
// as pieces of a prompt have.
func (l *labels) set(label, rank int) {
	if label <= len(l.ranks) {
		l.ranks[label-1] = rank
	}
}

// hide notes a label that FormatFunc does not show.
func (l *labels) hide(label int) {
	l.set(label, -1)
	l.hidden = append(l.hidden, label)
}

// notes tells of the labels that are not shown.
func (l *labels) notes() []string {
	if len(l.hidden) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("FormatFunc does not show the label of %d of %d documents, first of [%d]: no citation leads to them; print Document.Label",
		len(l.hidden), len(l.ranks), slices.Min(l.hidden))}
}

// showsLabel says whether text, which FormatFunc wrote for d, holds d's label as a number
// of its own, apart from what d itself brings.
func showsLabel(text string, d *Document) bool {
	const taken = "\x00" // in place of what is taken out
	if d.Text != "" {
		text = strings.Replace(text, d.Text, taken, 1)
	}
	for _, own := range []string{d.Title, d.Source} {
		if own != "" {
			text = strings.Replace(text, own, taken, 1)
		}
	}
	for _, field := range d.Shown {
		text = strings.Replace(text, field[1], taken, 1)
	}
	return hasNumber(text, strconv.Itoa(d.Label))
}

// hasNumber says whether text holds number, with no digit before or after it.
func hasNumber(text, number string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], number)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(number)
		if (start == 0 || !isDigit(text[start-1])) && (end == len(text) || !isDigit(text[end])) {
			return true
		}
		from = start + 1
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// bySlot returns a with the labels that a prompt by slots shows, in slots of its own.
func bySlot(a core.Arrangement) core.Arrangement {
	a.Slots = slices.Clone(a.Slots)
	for slot := range a.Slots {
		a.Slots[slot].Label = slot + 1
	}
	return a
}
