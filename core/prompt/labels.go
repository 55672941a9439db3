package prompt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// hidden are the labels that FormatFunc does not show. No citation leads to their
// documents: they have no label in the arrangement.
type hidden []int

// in returns a without the hidden labels, and with a note of them.
func (h hidden) in(a core.Arrangement) core.Arrangement {
	if len(h) == 0 {
		return a
	}
	a.Slots = slices.Clone(a.Slots)
	for slot := range a.Slots {
		if slices.Contains(h, a.Slots[slot].Label) {
			a.Slots[slot].Label = 0
		}
	}
	a.Notes = append(slices.Clip(a.Notes), fmt.Sprintf("FormatFunc does not show the label of %d of %d documents, first of [%d]: no citation leads to them; print Document.Label",
		len(h), len(a.Slots), slices.Min(h)))
	return a
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
