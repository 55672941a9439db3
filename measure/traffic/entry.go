package traffic

import (
	"hash/maphash"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
)

// look is what one entry says, in memory that the next entry uses again.
type look struct {
	cells  []cell         // the documents that the prompt shows, by slot
	slotOf []int          // by rank of all documents: place in cells + 1
	texts  map[string]int // place in cells of a text
	place  []int
	shown  int // different texts
	cited  int // different texts that were cited
}

// read looks at an entry that has an answer and that record.Read has checked.
func (l *look) read(e record.Entry) {
	l.cells, l.shown, l.cited = l.cells[:0], 0, 0
	l.slotOf = append(l.slotOf[:0], make([]int, e.Arrangement.N)...)
	for _, p := range e.Arrangement.Slots {
		if p.Label > 0 {
			l.cells = append(l.cells, 0)
			l.slotOf[p.Rank] = len(l.cells)
		}
	}
	if len(l.cells) > MaxDocuments { // too many for a cell; no curve counts them
		l.shown, l.cited = len(l.cells), len(e.Answer.Ranks)
		return
	}
	rank := 0 // among the shown
	for _, slot := range l.slotOf {
		if slot > 0 {
			l.cells[slot-1] = cell(rank)
			rank++
		}
	}
	for _, rank := range e.Answer.Ranks {
		if slot := l.slotOf[rank]; slot > 0 {
			l.cells[slot-1] |= isCited
		}
	}
	l.findCopies(e)
}

// findCopies marks the documents with equal texts, and counts each text once.
func (l *look) findCopies(e record.Entry) {
	if l.texts == nil {
		l.texts = map[string]int{}
	}
	clear(l.texts)
	cited := 0
	for rank, slot := range l.slotOf {
		if slot == 0 {
			continue
		}
		l.shown++
		if l.cells[slot-1]&isCited != 0 {
			cited++
		}
		d := e.Documents[rank]
		text := d.Hash
		if text == "" {
			text = d.Text
		}
		if text == "" {
			continue
		}
		first, again := l.texts[text]
		if !again {
			l.texts[text] = slot - 1
			continue
		}
		l.shown--
		if l.cells[slot-1]&l.cells[first]&isCited != 0 {
			cited--
		}
		l.cells[first] |= isCopy | l.cells[slot-1]&isCited
		l.cells[slot-1] |= isCopy
	}
	l.cited = cited
}

// inOrder says whether the documents stand as the shuffle of the recorded seed puts them.
// Where there is no seed to read it is true: the imbalance of all requests decides.
func (l *look) inOrder(e record.Entry) bool {
	placement, err := core.ParsePlacement(e.Arrangement.Placement)
	if err != nil {
		return true
	}
	shuffled, ok := placement.(core.Shuffled)
	if !ok {
		return true
	}
	// The places of the admitted documents by rank, and then the rank in each slot.
	l.place = append(l.place[:0], make([]int, e.Arrangement.N)...)
	for slot, p := range e.Arrangement.Slots {
		l.place[p.Rank] = slot + 1
	}
	rank := 0
	order := make([]int, len(e.Arrangement.Slots))
	for _, slot := range l.place {
		if slot > 0 {
			order[slot-1] = rank
			rank++
		}
	}
	expected := l.place[:0]
	for i := range order {
		expected = append(expected, i)
	}
	_ = shuffled.Place(expected, nil) // returns no error
	for i := range order {
		if order[i] != expected[i] {
			return false
		}
	}
	return true
}

// hashes returns hashes of what makes requests one unit: the ID and the question. An entry
// with neither is one with all others of its kind, since nothing says that they are
// independent.
func hashes(seed maphash.Seed, e record.Entry) []uint64 {
	var out []uint64
	add := func(kind, text string) {
		if text != "" {
			out = append(out, maphash.String(seed, kind+text))
		}
	}
	add("id ", e.RequestID)
	add("question ", strings.ToLower(strings.Join(strings.Fields(e.Question), " ")))
	add("hash ", e.QuestionHash)
	if len(out) == 0 {
		add("unknown", " ")
	}
	return out
}
