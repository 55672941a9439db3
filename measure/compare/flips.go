package compare

import (
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
)

// MaxFlips is how many questions of an arm Result.Flips lists at most: the first in the
// order in which they were asked. Against.Wins and Against.Losses count them all.
const MaxFlips = 1000

// maxFlipText bounds an answer in a Flip, in bytes.
const maxFlipText = 300

// Flip is a counted question that one of baseline and challenger got right and the other
// wrong. It holds answers.
type Flip struct {
	Question string `json:"question"` // dataset.Case.ID
	// Text is that of the question; empty unless whoever reports has filled it in.
	Text     string   `json:"text,omitempty"`
	Wanted   []string `json:"wanted"` // three accepted answers at most, in short
	Arm      string   `json:"arm"`    // the challenger's name
	Baseline Side     `json:"baseline"`
	Against  Side     `json:"against"` // the challenger
}

// Side is one of the two answers of a Flip.
type Side struct {
	// Slot is where the best document with the answer stood, from 0; model.NoSlot: none
	// was in the prompt.
	Slot  int    `json:"slot"`
	Right bool   `json:"right"`
	Got   string `json:"got"` // the answer, shortened to 300 bytes
	// NoAnswer says that the call failed or was refused, and counts as wrong.
	NoAnswer bool `json:"no_answer,omitempty"`
}

// flips lists the counted questions whose outcome differs from the baseline's, one arm
// after the other. records passes the records of a journal on once more, since a ledger
// holds scores and no texts.
func (w *watcher) flips(records func(by string, add func(journal.Record) error) (int, error)) ([]Flip, error) {
	l := w.ledger
	baseline := l.arms[0].Name
	var found []Flip
	wanted := map[string][]func(journal.Record){} // by the key of a call
	for _, arm := range l.judged()[1:] {
		n := 0
		for _, id := range w.counted {
			q := l.questions[id]
			_, asked := q.Cells[arm.Name]
			if !asked || n == MaxFlips || q.Cells[arm.Name].Key == q.Cells[baseline].Key {
				continue
			}
			a, b := l.of(q, baseline), l.of(q, arm.Name)
			if !l.shown(a) || !l.shown(b) || l.right(a) == l.right(b) {
				continue
			}
			n++
			found = append(found, Flip{
				Question: id, Arm: arm.Name,
				Baseline: Side{Slot: q.Cells[baseline].Slot, Right: l.right(a), NoAnswer: !a.known()},
				Against:  Side{Slot: q.Cells[arm.Name].Slot, Right: l.right(b), NoAnswer: !b.known()},
			})
			at := len(found) - 1
			wanted[q.Cells[baseline].Key] = append(wanted[q.Cells[baseline].Key], func(r journal.Record) { found[at].take(&found[at].Baseline, r) })
			wanted[q.Cells[arm.Name].Key] = append(wanted[q.Cells[arm.Name].Key], func(r journal.Record) { found[at].take(&found[at].Against, r) })
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	_, err := records(l.judging.By(), func(r journal.Record) error {
		if r.Answer == nil {
			return nil
		}
		for _, take := range wanted[r.Key] {
			take(r)
		}
		delete(wanted, r.Key) // an answer stays
		return nil
	})
	return found, err
}

// take takes in what an answer says.
func (f *Flip) take(side *Side, r journal.Record) {
	side.Got = text.Cut(strings.TrimSpace(r.Answer.Text), maxFlipText)
	if f.Wanted == nil {
		for _, wanted := range r.Answers[:min(len(r.Answers), 3)] {
			f.Wanted = append(f.Wanted, text.Cut(wanted, maxFlipText))
		}
	}
}
