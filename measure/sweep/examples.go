package sweep

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	e.Example = Example{Arm: "slot " + strconv.Itoa(r.Slot+1), Got: shortened(r.Answer.Text)}
	for _, wanted := range r.Answers[:min(len(r.Answers), 3)] {
		e.Wanted = append(e.Wanted, shortened(wanted))
	}
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

func shortened(text string) string {
	if len(text) <= maxExampleBytes {
		return text
	}
	cut := maxExampleBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
