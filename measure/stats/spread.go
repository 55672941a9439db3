package stats

import (
	"slices"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/random"
)

// Spread is how far the best and the worst slot lie apart.
type Spread struct {
	// Observed is the highest accuracy minus the lowest. It has no interval: the
	// best of many slots is best partly by luck, so that a reader that reads all
	// slots alike shows a spread too.
	Observed float64 `json:"observed"`
	// ByChance is the mean spread when each question's answers are dealt to the
	// slots at random, which is what a reader of the same skill without any curve
	// would show.
	ByChance float64 `json:"by_chance"`
	// Permutations is the number of deals behind ByChance.
	Permutations int `json:"permutations"`
}

// BestWorst returns the spread of o beside its mean under permutation within each
// question. permutations must be 1 or more, else the error is a *core.ConfigError;
// 1,000 puts ByChance within about a twentieth of a point. Same outcomes and seed,
// same result, under every version of Go. It costs one step for each permutation
// and right answer.
func BestWorst(o Outcomes, permutations int, seed uint64) (Spread, error) {
	if permutations < 1 {
		return Spread{}, &core.ConfigError{Field: "permutations", Value: permutations, Rule: "must be 1 or more, such as 1000"}
	}
	if o.questions == 0 {
		return Spread{}, &core.ConfigError{Field: "o", Value: "0 questions", Rule: "a spread needs 1 question or more: make them by NewOutcomes"}
	}
	counts := o.Counts()
	s := Spread{Observed: o.spread(counts), Permutations: permutations}
	m := len(o.slots)
	right := make([]int, o.questions)
	for question := range right {
		right[question] = o.rightOf(question)
	}
	deal := make([]int, m)
	for i := range deal {
		deal[i] = i
	}
	draw := random.From(seed)
	sum := 0.0
	for range permutations {
		clear(counts)
		for _, k := range right {
			if k == m { // nothing to deal
				for i := range counts {
					counts[i]++
				}
				continue
			}
			for i := range k { // the first k steps of a shuffle
				j := i + random.Below(draw.Next, m-i)
				deal[i], deal[j] = deal[j], deal[i]
				counts[deal[i]]++
			}
		}
		sum += o.spread(counts)
	}
	s.ByChance = sum / float64(permutations)
	return s, nil
}

func (o Outcomes) spread(counts []int) float64 {
	return float64(slices.Max(counts)-slices.Min(counts)) / float64(o.questions)
}
