package simulate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/stats"
)

// DefaultCorrelation is how strongly one question's answers hang together in the
// simulated reader. At 0.9 two slots disagree on 12 to 15 % of the questions, as
// they do with real models.
const DefaultCorrelation = 0.9

// Reader is a simulated reader with a known curve, for trying a sweep offline and
// for checking its statistics. What it gives is never a measurement of a model.
//
// Each question has a difficulty u and each answer luck e of its own, both standard
// normal. With correlation r the answer is right where √r·u + √(1-r)·e is below the
// p-quantile of the standard normal distribution, p being the accuracy in that
// slot. So each slot is right with probability p, and a hard question is hard in
// every slot.
//
// Same seed, question and slot: same answer, in any order of asking and under every
// version of Go. Another seed draws all difficulties anew. A Reader is immutable
// and safe for concurrent use; an answer costs well under a microsecond.
type Reader struct {
	accuracy    []float64
	quantile    []float64 // of accuracy
	shared, own float64   // √r and √(1-r)
	seed        uint64
}

// NewReader returns a reader of prompts of len(accuracy) documents, with the share
// of right answers in each slot, from 0 to 1. correlation goes from 0, each answer
// by itself, to 1, the question alone decides; DefaultCorrelation is like real
// models. accuracy is copied. The error is a *core.ConfigError.
func NewReader(accuracy []float64, correlation float64, seed uint64) (*Reader, error) {
	if len(accuracy) == 0 {
		return nil, &core.ConfigError{Field: "accuracy", Value: accuracy, Rule: "one value a slot is needed"}
	}
	r := &Reader{accuracy: slices.Clone(accuracy), quantile: make([]float64, len(accuracy)), seed: seed}
	for i, p := range accuracy {
		if err := checkShare("accuracy", p); err != nil {
			return nil, err
		}
		r.quantile[i] = distuv.UnitNormal.Quantile(p)
	}
	if err := checkShare("correlation", correlation); err != nil {
		return nil, err
	}
	r.shared, r.own = math.Sqrt(correlation), math.Sqrt(1-correlation)
	return r, nil
}

func checkShare(field string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return &core.ConfigError{Field: field, Value: v, Rule: "must be from 0 to 1"}
}

// Documents returns the number of documents in each prompt.
func (r *Reader) Documents() int { return len(r.accuracy) }

// Accuracy returns a copy of the true accuracy in each slot.
func (r *Reader) Accuracy() []float64 { return slices.Clone(r.accuracy) }

// Right says whether the reader answers the question right when the document that
// holds its answer stands in slot. Any number names a question. It panics when
// slot is not from 0 to Documents-1, as a slice does.
func (r *Reader) Right(question, slot int) bool {
	key := r.question(question)
	return luck(key, slot) < r.chance(difficulty(key), r.quantile[slot])
}

// RightIn says whether the reader answers the question right in an arm that has no
// slot, such as one without documents, where it is right in that share of
// questions, from 0 to 1; the difficulty of the question counts here too. Arms of
// one name give the same answers.
func (r *Reader) RightIn(question int, arm string, accuracy float64) bool {
	key := r.question(question)
	own := key
	for i := range len(arm) {
		own = random.Join(own, uint64(arm[i]))
	}
	return luck(own, armSlot) < r.chance(difficulty(key), distuv.UnitNormal.Quantile(min(1, max(0, accuracy))))
}

// These are no slots, so that their draws are no slot's.
const (
	armSlot        = -1
	difficultySlot = -2
	likeSlot       = 1 << 62
)

func (r *Reader) question(question int) uint64 { return random.Join(r.seed, uint64(question)) }

// difficulty is standard normal.
func difficulty(key uint64) float64 { return distuv.UnitNormal.Quantile(luck(key, difficultySlot)) }

// luck is uniform: the standard normal luck of an answer, by its own distribution
// function, which saves taking a quantile for each answer.
func luck(key uint64, slot int) float64 { return random.Open(random.Join(key, uint64(slot))) }

// chance is the probability of a right answer given the difficulty.
func (r *Reader) chance(difficulty, quantile float64) float64 {
	z := (quantile - r.shared*difficulty) / r.own // infinite where the question alone decides
	return 0.5 * math.Erfc(-z/math.Sqrt2)
}

// Outcomes returns what a sweep of that many questions, 0 to questions-1, over
// slots finds; nil slots are all. The error, a *core.ConfigError, is that of
// stats.NewOutcomes.
func (r *Reader) Outcomes(questions int, slots []int) (stats.Outcomes, error) {
	if slots == nil {
		slots = slot.All(len(r.accuracy))
	}
	return stats.OutcomesOf(len(r.accuracy), slots, questions, func(question int, right []bool) {
		key := r.question(question)
		r.answers(key, key, slots, func(i int, yes bool) { right[i] = yes })
	})
}

// answers calls answer for each of slots, by its index, with the difficulty of one key
// and the luck of another.
func (r *Reader) answers(key, own uint64, slots []int, answer func(i int, right bool)) {
	u := difficulty(key)
	at, chance := math.NaN(), 0.0
	for i, slot := range slots {
		if q := r.quantile[slot]; q != at { // long stretches of one accuracy are cheap
			at, chance = q, r.chance(u, q)
		}
		answer(i, luck(own, slot) < chance)
	}
}
