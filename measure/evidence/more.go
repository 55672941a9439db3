package evidence

import "math"

// More says what would settle a comparison if the shares stay as they are. They are
// estimates, so that it is a rough number, and a first idea of the cost.
type More struct {
	// Word is the one that is nearer.
	Word Word `json:"word"`
	// Challenger is the index of the one that Reorder would name, or of the one that
	// Keep waits for longest.
	Challenger int `json:"challenger"`
	// Questions is about how many more it takes, 1 or more, and at most 2^31 - 1.
	Questions int `json:"questions"`
}

// more needs an inconclusive verdict with a question or more. It rests on the
// growth of an e-value: about δ²/(2π) for each question, as a logarithm, where δ is
// how far the gain is from what is to be excluded and π the discordance.
//
// There is always an answer: who is not excluded and gains nothing may still be
// excluded, and who gains may still win.
func more(rule Rule, challengers []Standing) *More {
	k := float64(len(challengers))
	reorder := More{Word: Reorder}
	keep := More{Word: Keep}
	fewest, most := math.Inf(1), 0.0
	limit := -math.Log(rule.Alpha)
	for i, c := range challengers {
		if c.Excluded {
			continue
		}
		if n := questionsToSettle(c, c.Difference, math.Log(k/rule.Alpha), limit-c.LogE); n < fewest {
			fewest, reorder.Challenger = n, i
		}
		if n := questionsToSettle(c, rule.Worthwhile-c.Difference, limit, limit-c.LogDown); n > most {
			most, keep.Challenger = n, i
		}
	}
	settled, questions := &reorder, fewest
	if most < fewest {
		settled, questions = &keep, most
	}
	settled.Questions = int(min(math.MaxInt32, max(1, math.Ceil(questions))))
	return settled
}

// questionsToSettle returns how many more questions exclude what is distance away
// from the estimate; infinitely many when it is on the wrong side. It is the larger
// of two estimates: what it takes in all, which is all, less the questions that were
// asked; and what it takes from the evidence that there is, which lacks missing.
func questionsToSettle(c Standing, distance, all, missing float64) float64 {
	if distance <= 0 {
		return math.Inf(1)
	}
	// Without any difference seen so far, one may come next.
	units := float64(max(c.Units, 1))
	discordance := max(c.Discordance, 1/units)
	growth := distance * distance / (2 * discordance)
	return max(all/growth-units, missing/growth)
}
