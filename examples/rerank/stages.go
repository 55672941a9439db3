package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
)

const (
	columnWidth = 28 // of a stage, in characters
	shownRanks  = 8  // of each stage
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

func (s *stages) show(out io.Writer, question, scorer, model, answer string) error {
	show := page.New(out, columnWidth)
	show.Heading("Question", question)
	show.Heading("What each stage ranked", fmt.Sprintf("the best %d, with their scores", shownRanks))
	var lists [][]string
	header := "rank "
	for _, stage := range s.arrangement.Stages {
		header += fmt.Sprintf("%-*s", columnWidth, page.Printable(stage.Name))
		lists = append(lists, s.list(stage))
	}
	show.Printf("%s\n", strings.TrimRight(header, " "))
	for rank := range shownRanks {
		row := fmt.Sprintf("r%-4d", rank+1)
		for _, list := range lists {
			cell := ""
			if rank < len(list) {
				cell = list[rank]
			}
			row += fmt.Sprintf("%-*s", columnWidth, cell)
		}
		show.Printf("%s\n", strings.TrimRight(row, " "))
	}
	show.Printf("\nreranked by %s\n", page.Printable(scorer))
	for _, note := range s.arrangement.Notes {
		show.Printf("note: %s\n", page.Printable(note))
	}
	show.Heading("Trimmed", fmt.Sprintf("%d of %d enter the prompt", len(s.arrangement.Slots), s.arrangement.N))
	ranks := s.arrangement.Labels()
	for _, label := range slices.Sorted(maps.Keys(ranks)) {
		index, _ := s.arrangement.IndexOf(ranks[label])
		show.Printf("[%d]  %s\n", label, s.line(index))
	}
	show.Heading("Placed", s.arrangement.Placement)
	for slot, p := range s.arrangement.Slots {
		show.Printf("slot %d  r%-3d%s\n", slot+1, p.Rank+1, s.line(p.Index))
	}
	if where := s.gold(question); where != "" {
		show.Printf("\n%s\n", where)
	}
	show.Heading("Answer", model)
	show.Printf("%s\n", page.Printable(answer))
	if model == reader.Name {
		show.Printf("\n%s\n", reader.Hint)
	}
	return show.Err()
}

// list names the documents of a stage, best first, with their scores.
func (s *stages) list(stage core.Stage) []string {
	list := []string{}
	for rank := range shownRanks {
		for index, r := range stage.Ranks {
			if r == rank {
				list = append(list, page.Cut(fmt.Sprintf("%-7.3g%s", float64(stage.Scores[index]), page.Printable(s.ids[index])), columnWidth-1))
			}
		}
	}
	return list
}

func (s *stages) line(index int) string {
	return page.Cut(fmt.Sprintf("%-28s%s", page.Printable(s.ids[index]), page.Printable(s.texts[index])), 4*columnWidth)
}

// gold says where the answer of a handbook question stood in each stage; "" for any
// other question.
func (s *stages) gold(question string) string {
	questions, err := handbook.Questions()
	if err != nil {
		return ""
	}
	for _, q := range questions {
		if q.Question != question {
			continue
		}
		for index, text := range s.texts {
			if !strings.Contains(text, q.Answers[0]) {
				continue
			}
			var ranks []string
			for _, stage := range s.arrangement.Stages {
				if rank := stage.Ranks[index]; rank >= 0 {
					ranks = append(ranks, fmt.Sprintf("%s r%d", stage.Name, rank+1))
				}
			}
			for slot, p := range s.arrangement.Slots {
				if p.Index == index {
					ranks = append(ranks, fmt.Sprintf("slot %d", slot+1))
				}
			}
			return fmt.Sprintf("The handbook's answer, %q, is in %s: %s.", q.Answers[0], s.ids[index], strings.Join(ranks, ", "))
		}
		return fmt.Sprintf("The handbook's answer, %q, was not retrieved.", q.Answers[0])
	}
	return ""
}
