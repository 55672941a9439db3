package stats

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/internal/slot"
)

// Outcomes is what a finished sweep knows for one curve: for each question and
// each measured slot, whether the answer was right. It is paired: only questions
// that were answered in every measured slot count, so that each slot is judged by
// the same questions. The others are counted as incomplete.
//
// The zero value has no questions. Outcomes is immutable, cheap to pass by value
// and safe for concurrent use. It takes one bit a question and slot, rounded up to
// 64 slots.
type Outcomes struct {
	documents  int
	slots      []int
	questions  int
	incomplete int
	words      int      // of each row
	rows       []uint64 // one row a question, one bit a measured slot
}

// NewOutcomes returns the outcomes of a sweep over prompts of that many documents,
// 2 or more. slots are the measured slots, ascending, each from 0 to documents-1.
// correct has one row a question, and a row one value a measured slot, in the order
// of slots; a nil row is a question that was not answered in every slot. Nothing is
// kept of either slice. Every fault is a *core.ConfigError, among them that no
// question at all is complete.
func NewOutcomes(documents int, slots []int, correct [][]bool) (Outcomes, error) {
	if err := slot.Check(documents, slots); err != nil {
		return Outcomes{}, err
	}
	complete := 0
	for i, row := range correct {
		switch {
		case row == nil:
		case len(row) != len(slots):
			return Outcomes{}, &core.ConfigError{
				Field: "correct", Value: fmt.Sprintf("a row of %d values for question %d", len(row), i),
				Rule: fmt.Sprintf("each row needs one value for each of the %d measured slots, or must be nil", len(slots)),
			}
		default:
			complete++
		}
	}
	if complete == 0 {
		return Outcomes{}, &core.ConfigError{
			Field: "correct", Value: fmt.Sprintf("%d questions", len(correct)),
			Rule: "none was answered in every measured slot, and only those count: at least 1 is needed",
		}
	}
	rows := make([][]bool, 0, complete)
	for _, row := range correct {
		if row != nil {
			rows = append(rows, row)
		}
	}
	o, err := OutcomesOf(documents, slots, complete, func(question int, right []bool) { copy(right, rows[question]) })
	o.incomplete = len(correct) - complete
	return o, err
}

// OutcomesOf is NewOutcomes for a table that is never there as a whole: answer writes
// whether each measured slot of the question was right, and finds the slice as it
// left it for the question before.
func OutcomesOf(documents int, slots []int, questions int, answer func(question int, right []bool)) (Outcomes, error) {
	if err := slot.Check(documents, slots); err != nil {
		return Outcomes{}, err
	}
	if questions < 1 {
		return Outcomes{}, &core.ConfigError{Field: "questions", Value: questions, Rule: "at least 1 is needed"}
	}
	words := (len(slots) + 63) / 64
	o := Outcomes{
		documents: documents, slots: slices.Clone(slots), questions: questions,
		words: words, rows: make([]uint64, questions*words),
	}
	right := make([]bool, len(slots))
	for question := range questions {
		answer(question, right)
		for i, yes := range right {
			if yes {
				o.rows[question*words+i/64] |= 1 << (i % 64)
			}
		}
	}
	return o, nil
}

// Documents returns the number of documents in each prompt.
func (o Outcomes) Documents() int { return o.documents }

// Slots returns a copy of the measured slots, ascending.
func (o Outcomes) Slots() []int { return slices.Clone(o.slots) }

// Questions returns the number of questions that were answered in every slot, the
// n of every statistic.
func (o Outcomes) Questions() int { return o.questions }

// Incomplete returns the number of questions that do not count, because they lack
// an answer in at least one slot.
func (o Outcomes) Incomplete() int { return o.incomplete }

// Right says whether the complete question of that index, from 0 in the order
// given, was answered right in the i-th measured slot. It panics when an index is
// out of range, as a slice does.
func (o Outcomes) Right(question, i int) bool {
	_, _ = o.slots[i], o.rows[question*o.words:(question+1)*o.words]
	return o.right(question, i)
}

func (o Outcomes) right(question, i int) bool {
	return o.rows[question*o.words+i/64]>>(i%64)&1 == 1
}

// Counts returns, for each measured slot, the number of right answers. It costs
// one step a right answer.
func (o Outcomes) Counts() []int {
	counts := make([]int, len(o.slots))
	for i, word := range o.rows {
		base := i % o.words * 64
		for ; word != 0; word &= word - 1 {
			counts[base+bits.TrailingZeros64(word)]++
		}
	}
	return counts
}

// Accuracy returns, for each measured slot, the share of right answers, from 0 to
// 1.
func (o Outcomes) Accuracy() []float64 {
	accuracy := make([]float64, len(o.slots))
	for i, k := range o.Counts() {
		accuracy[i] = float64(k) / float64(o.questions)
	}
	return accuracy
}

// Discordance returns the share of questions, from 0 to 1, that are right in one
// of the i-th and the j-th measured slot and wrong in the other. It panics when an
// index is out of range, as a slice does. SampleSize and MinimumDetectable need it.
func (o Outcomes) Discordance(i, j int) float64 {
	_, _ = o.slots[i], o.slots[j]
	differ := 0
	for question := range o.questions {
		if o.right(question, i) != o.right(question, j) {
			differ++
		}
	}
	return float64(differ) / float64(o.questions)
}

// rightOf returns in how many slots the question was right.
func (o Outcomes) rightOf(question int) int {
	n := 0
	for _, word := range o.rows[question*o.words : (question+1)*o.words] {
		n += bits.OnesCount64(word)
	}
	return n
}
