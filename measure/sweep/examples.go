package sweep

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
)

const (
	maxExamples     = 6
	maxExampleBytes = 300
)

// examples are a few wrong answers of the slots, one a question: those whose questions
// have the lowest IDs, so that the order in which answers came does not matter.
type examples []ordered

// add takes in a wrong answer, if it is of a slot.
func (s *examples) add(r journal.Record) {
	if r.Arm != ArmSlot {
		return
	}
	e := ordered{question: r.Question, slot: r.Slot}
	at, found := slices.BinarySearchFunc(*s, e, ordered.compare)
	if at == maxExamples || found && (*s)[at].slot <= e.slot {
		return
	}
	e.Example = Example{Arm: "slot " + strconv.Itoa(r.Slot+1), Wanted: wanted(r), Got: text.Cut(r.Answer.Text, maxExampleBytes)}
	if found {
		(*s)[at] = e
		return
	}
	all := slices.Insert(*s, at, e)
	*s = all[:min(len(all), maxExamples)]
}

// ordered is an example with its place among the others.
type ordered struct {
	question string
	slot     int
	Example
}

func (e ordered) compare(other ordered) int { return strings.Compare(e.question, other.question) }
