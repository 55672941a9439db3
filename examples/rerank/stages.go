package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
)

// stages keeps what an event tells of the way from the question to the prompt.
type stages struct {
	arrangement core.Arrangement
	ids, texts  []string // by place in the input, as the arrangement counts
}

// observe is the Observe of a core.Config. What an event says of the documents has to
// be read during the call.
func (s *stages) observe(_ context.Context, e core.Event) {
	s.arrangement = e.Arrangement
	s.ids, s.texts = make([]string, e.Arrangement.N), make([]string, e.Arrangement.N)
	keep := func(index, rank int) { s.ids[index], s.texts[index] = e.ID(rank), e.Text(rank) }
	for _, p := range e.Arrangement.Slots {
		keep(p.Index, p.Rank)
	}
	for _, d := range e.Arrangement.Dropped {
		keep(d.Index, d.Rank)
	}
}

// shownOut is how many documents are listed that do not enter the prompt.
const shownOut = 5

func (s *stages) show(out io.Writer, question, scorer, model, answer string) error {
	show := page.New(out, page.Width/2)
	gold, wanted := s.gold(question)
	show.Fields(page.Field{Name: "Question", Text: question}, page.Field{Name: "Answer", Text: answer}, page.Field{Name: "by", Text: model})
	switch {
	case wanted != "" && gold < 0:
		show.Lines(fmt.Sprintf("The handbook's answer, %q, was not retrieved.", wanted))
	case wanted != "" && model == reader.Name && !strings.Contains(answer, wanted):
		show.Lines(fmt.Sprintf("This answer is wrong: the reader copies a sentence, and understands nothing. The handbook's is %q, from *%s: %s.", wanted, page.Printable(s.ids[gold]), s.way(gold)))
	case wanted != "" && !strings.Contains(answer, wanted):
		show.Lines(fmt.Sprintf("The handbook's answer is %q, from *%s: %s.", wanted, page.Printable(s.ids[gold]), s.way(gold)))
	case wanted != "":
		show.Lines(fmt.Sprintf("The answer stands in *%s: %s.", page.Printable(s.ids[gold]), s.way(gold)))
	}
	show.Printf("\n")
	header := "slot"
	for _, stage := range s.arrangement.Stages {
		header += fmt.Sprintf("  %6s", page.Printable(stage.Name))
	}
	show.Printf("%s   document\n", header)
	for slot, p := range s.arrangement.Slots {
		show.Printf("%s\n", s.line(fmt.Sprint(slot+1), p.Index, p.Index == gold))
	}
	for i, d := range s.arrangement.Dropped {
		if i < shownOut || d.Index == gold {
			show.Printf("%s\n", s.line("out", d.Index, d.Index == gold))
		}
	}
	show.Printf("\n")
	show.Lines(fmt.Sprintf("The numbers are ranks: those that each stage gave, from left to right. %d of %d documents enter the prompt, in the order of %s. The last stage is the %s.",
		len(s.arrangement.Slots), s.arrangement.N, s.arrangement.Placement, scorer))
	for _, note := range s.arrangement.Notes {
		show.Lines("Note: " + note)
	}
	if model == reader.Name {
		show.Printf("\n%s\n", reader.Hint)
	}
	return show.Err()
}

// line is a document with its slot and the rank that each stage gave it.
func (s *stages) line(slot string, index int, gold bool) string {
	line := fmt.Sprintf("%4s", slot)
	for _, stage := range s.arrangement.Stages {
		rank := "-"
		if index < len(stage.Ranks) && stage.Ranks[index] >= 0 {
			rank = fmt.Sprint(stage.Ranks[index] + 1)
		}
		line += fmt.Sprintf("  %*s", max(6, utf8.RuneCountInString(page.Printable(stage.Name))), rank)
	}
	star := " "
	if gold {
		star = "*"
	}
	return page.Cut(line+"  "+star+page.Printable(s.ids[index]), page.Width)
}

// way is what became of a document: its rank by each stage, and its slot.
func (s *stages) way(index int) string {
	var steps []string
	for _, stage := range s.arrangement.Stages {
		if index < len(stage.Ranks) && stage.Ranks[index] >= 0 {
			steps = append(steps, fmt.Sprintf("rank %d by %s", stage.Ranks[index]+1, page.Printable(stage.Name)))
		}
	}
	for slot, p := range s.arrangement.Slots {
		if p.Index == index {
			return strings.Join(append(steps, fmt.Sprintf("slot %d", slot+1)), ", ")
		}
	}
	return strings.Join(append(steps, "left out"), ", ")
}

// gold returns the document that holds the answer of a handbook question, -1 if none
// does, and that answer; "" for any other question.
func (s *stages) gold(question string) (index int, answer string) {
	answer, known := handbook.Answer(question)
	for index, text := range s.texts {
		if known && strings.Contains(text, answer) {
			return index, answer
		}
	}
	return -1, answer
}
