package dataset

import (
	"slices"

	"github.com/bookend-rag/bookend/measure/judge"
)

// ListFormat is a line of what a retriever returned, best first, with the keys that
// are needed, and no other. "answers" may be left out where Rules.Labels has them.
// Optional keys of a document are id, title, isgold, source and position.
const ListFormat = `{"question":"…","answers":["…"],"ctxs":[{"text":"…"},{"text":"…"}]}`

// golds returns which documents of a list hold the answer, by rank: those that the
// label names; else, where the file marks any document with isgold or hasanswer,
// those that it marks as true; else those in which the scorer finds an answer.
// judge.TokenF1 would find one in every document that shares a word with it, so that
// judge.BestSubspan looks in its place.
func golds(c Case, marks []*bool, label Label, scorer judge.Scorer) []int {
	var found []int
	if scorer.String() == judge.TokenF1.String() {
		scorer = judge.BestSubspan
	}
	marked := slices.ContainsFunc(marks, func(m *bool) bool { return m != nil })
	for i, d := range c.Documents {
		switch {
		case len(label.Gold) > 0:
			if !slices.Contains(label.Gold, d.ID) {
				continue
			}
		case marked:
			if marks[i] == nil || !*marks[i] {
				continue
			}
		case !holdsAnswer(scorer, d, c.Answers):
			continue
		}
		found = append(found, i)
	}
	return found
}
