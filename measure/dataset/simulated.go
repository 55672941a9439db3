package dataset

import (
	"fmt"
	"math"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
)

// SimulatedLists makes the lists that a retriever would return which ranks the one
// document with the answer by DecayingRanks: cases of so many documents, for
// simulated readers. The texts are placeholders. The rank of a case depends on seed
// and case alone. Close has nothing to do.
//
// cases and documents must be 1 to 1,000,000; the error is an *Error, or that
// of DecayingRanks.
func SimulatedLists(seed uint64, cases, documents int, decay float64) (*Dataset, error) {
	for _, n := range []int{cases, documents} {
		if n < 1 || n > maxGenerated {
			return nil, &Error{
				Rule: fmt.Sprintf("cannot generate %d cases of %d documents: both numbers must be 1 to %d", cases, documents, maxGenerated),
				Err:  ErrLimit,
			}
		}
	}
	gold, err := DecayingRanks(documents, decay)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		report: Report{Task: QuestionAnswer, Lists: true, Lines: cases, Kept: cases, MinDocuments: documents, MaxDocuments: documents},
		generate: func(i int) Case {
			rank, left := 0, random.Open(random.Join(seed, uint64(i)))
			for rank < documents-1 && left >= gold[rank] {
				left -= gold[rank]
				rank++
			}
			question := fmt.Sprintf("simulated question %d", i)
			c := Case{ID: questionID(question), Task: QuestionAnswer, Question: question, Answers: []string{fmt.Sprintf("answer %d", i)}, Gold: rank, Golds: []int{rank}}
			for r := range documents {
				d := Document{ID: fmt.Sprint(r + 1), Text: fmt.Sprintf("document %d", r+1)}
				if r == rank {
					d.Text += ": " + c.Answers[0]
				}
				c.Documents = append(c.Documents, d)
			}
			return c
		},
	}, nil
}

// DecayingRanks returns how probable it is that the document with the answer has
// each of n ranks, when each rank is decay times as probable as the one before it;
// the sum is 1. At 0.5 the best document has it in about half of the cases, and in
// more where there are few documents; at 1 every
// rank is alike. The error, a *core.ConfigError, is that of an n below 1 or a decay
// that is not above 0 and at most 1.
func DecayingRanks(n int, decay float64) ([]float64, error) {
	if n < 1 {
		return nil, &core.ConfigError{Field: "n", Value: n, Rule: "1 document or more is needed"}
	}
	if !(decay > 0 && decay <= 1) {
		return nil, &core.ConfigError{Field: "decay", Value: decay, Rule: "must be above 0 and at most 1, such as 0.5"}
	}
	gold, sum := make([]float64, n), 0.0
	for rank := range gold {
		gold[rank] = math.Pow(decay, float64(rank))
		sum += gold[rank]
	}
	for rank := range gold {
		gold[rank] /= sum
	}
	return gold, nil
}
