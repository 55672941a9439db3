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

// labelled returns a with the labels that a prompt shows, in slots of its own where they
// do not go by rank.
func (s source[S, E]) labelled(r *Renderer, a core.Arrangement) core.Arrangement {
	switch r.config.Labels {
	case BySlot:
		a.Slots = slices.Clone(a.Slots)
		for slot := range a.Slots {
			a.Slots[slot].Label = slot + 1
		}
	case ByID:
		a.Slots = slices.Clone(a.Slots)
		ids := newShortIDs(len(a.Slots))
		for slot := range a.Slots {
			p := &a.Slots[slot]
			if id := s.view.Identity(s.docs[p.Index], r.config.IDKey); id != "" {
				p.Label = ids.take(core.SeedFor(0, id))
			} else {
				p.Label = ids.take(core.SeedFor(1, s.text(*p)))
			}
		}
	}
	return a
}

// shortIDs gives out the labels of a prompt. A label depends on what stands before it
// alone, so that prompts that begin with the same documents begin with the same bytes.
type shortIDs struct {
	taken map[int]bool
	again map[uint64]int // how often a document was met: one with the same ID gets another label
}

func newShortIDs(n int) *shortIDs {
	return &shortIDs{make(map[int]bool, n), make(map[uint64]int, n)}
}

// take returns a label for what a document is known by: of four digits, or where that is
// taken of five, and so on.
func (s *shortIDs) take(known uint64) int {
	hash := known
	if times := s.again[known]; times > 0 {
		hash = core.SeedFor(known, strconv.Itoa(times))
	}
	s.again[known]++
	for count := uint64(9_000); ; count *= 10 { // how many numbers have so many digits
		if count > 900_000_000 { // more digits are no label to a citation
			count, hash = 900_000_000, core.SeedFor(hash, "")
		}
		label := int(count/9 + hash%count)
		if !s.taken[label] {
			s.taken[label] = true
			return label
		}
	}
}
