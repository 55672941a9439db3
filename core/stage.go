package core

import (
	"fmt"
	"slices"
)

// Stage is one step that ranked the documents on their way to the final ranks: a
// retriever, a fusion, a reranker. Its lists go by the place in the input, that is
// by Placed.Index and Dropped.Index, and are as long as the input.
type Stage struct {
	// Name says what ranked: "retrieval", "bm25", "fusion", "rerank".
	Name string `json:"name"`
	// Ranks holds the rank that it gave each document, 0 for the best, and -1
	// where the document was not among its own; all of them where it failed.
	Ranks []int `json:"ranks"`
	// Scores holds the score that it gave each document; NaN where it gave none.
	Scores []Score `json:"scores"`
	// Failure says in a short code why it ranked nothing, such as "timeout" or
	// "http 503". It holds no text of a server or a user. Empty: it did not fail. In a
	// Call the lists of what failed may be left out.
	Failure string `json:"failure,omitempty"`
}

// Stage returns the stage of that name, and false when the documents did not come
// through one.
func (a Arrangement) Stage(name string) (Stage, bool) {
	i := slices.IndexFunc(a.Stages, func(s Stage) bool { return s.Name == name })
	if i < 0 {
		return Stage{}, false
	}
	return a.Stages[i], true
}

// short is what the stage gave the document at a place of the input, as in "r2 0.71".
func (s Stage) short(index int) string {
	if index < 0 || index >= len(s.Ranks) || s.Ranks[index] < 0 {
		return "-"
	}
	text := fmt.Sprintf("r%d", s.Ranks[index]+1)
	if index < len(s.Scores) && s.Scores[index].Known() {
		text += " " + s.Scores[index].short()
	}
	return text
}
