package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
)

// maxBeside is how many questions Result.Beside shows.
const maxBeside = 5

// Beside is one complete question with its answer's document at the start, in the middle
// and at the end of the measured slots, of which the model got some right and some wrong.
// It holds answers.
type Beside struct {
	Question string `json:"question"` // dataset.Case.ID
	// Text is that of the question; empty unless whoever reports has filled it in.
	Text   string   `json:"text,omitempty"`
	Wanted []string `json:"wanted"` // three accepted answers at most, in short
	Slots  []Placed `json:"slots"`  // ascending: three, or two where no other was measured
}

// Placed is the answer to a question with its document in one slot.
type Placed struct {
	Slot  int    `json:"slot"` // from 0
	Right bool   `json:"right"`
	Got   string `json:"got"` // the answer, shortened to 300 bytes
}

// beside picks the first complete questions whose outcome changes. records passes the
// records of a journal on once more, since a ledger holds scores and no texts.
func (l *ledger) beside(complete []*asked, ids []string, records func(by string, add func(journal.Record) error) (int, error)) ([]Beside, error) {
	last := len(l.described.Slots) - 1
	positions := slices.Compact([]int{0, l.middle(), last})
	var found []Beside
	at := map[string]int{}
	for i, q := range complete {
		if len(found) == maxBeside || len(positions) < 2 {
			break
		}
		b := Beside{Question: ids[i]}
		right := 0
		for _, p := range positions {
			if q.slots[p].state != answered {
				break
			}
			b.Slots = append(b.Slots, Placed{Slot: l.described.Slots[p], Right: l.right(q.slots[p])})
			right += map[bool]int{true: 1}[l.right(q.slots[p])]
		}
		if len(b.Slots) == len(positions) && right > 0 && right < len(positions) {
			at[b.Question] = len(found)
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	taken := map[string]bool{} // an answer stays
	_, err := records(l.judging.By(), func(r journal.Record) error {
		i, shown := at[r.Question]
		if !shown || r.Answer == nil || r.Arm != ArmSlot {
			return nil
		}
		b := &found[i]
		slot := slices.IndexFunc(b.Slots, func(p Placed) bool { return p.Slot == r.Slot })
		key := fmt.Sprint(i, " ", r.Slot)
		if slot < 0 || taken[key] {
			return nil
		}
		taken[key] = true
		b.Slots[slot].Got = text.Cut(strings.TrimSpace(r.Answer.Text), maxExampleBytes)
		b.Wanted = wanted(r)
		return nil
	})
	return found, err
}

// wanted are a few of the accepted answers.
func wanted(r journal.Record) []string {
	var few []string
	for _, answer := range r.Answers[:min(len(r.Answers), 3)] {
		few = append(few, text.Cut(answer, maxExampleBytes))
	}
	return few
}
