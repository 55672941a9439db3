package judge

import "strings"

type tokenF1 struct{}

func (tokenF1) String() string { return "token-f1" }

// Score counts the words of the text once for all answers.
func (tokenF1) Score(text string, answers []string) float64 {
	got := strings.Fields(Normalize(text))
	times := make(map[string]int, len(got))
	for _, word := range got {
		times[word]++
	}
	best := 0.0
	for _, answer := range answers {
		want := strings.Fields(Normalize(answer))
		common, taken := 0, map[string]int{}
		for _, word := range want {
			if taken[word] < times[word] {
				taken[word]++
				common++
			}
		}
		if common > 0 {
			best = max(best, 2*float64(common)/float64(len(got)+len(want)))
		}
	}
	return best
}
