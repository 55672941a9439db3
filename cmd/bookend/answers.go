package main

import (
	"fmt"
	"io"

	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// maxShownFlips is how many questions the terminal lists.
const maxShownFlips = 8

// printFlips lists the questions whose outcome changed.
func printFlips(to io.Writer, r compare.Result) {
	sentence, flips := table.ToldFlips(r)
	if sentence == "" {
		return
	}
	if more := len(flips) - maxShownFlips; more > 0 {
		sentence += fmt.Sprintf(" The first %d stand here, the others in flips.csv.", maxShownFlips)
		flips = flips[:maxShownFlips]
	}
	paragraph(to, sentence)
	fmt.Fprintf(to, "\n%s\n\n", table.Text(table.Flips(r, flips)))
	tell(to, table.FlipsNote)
}

// printNext says what to do with a result.
func printNext(to io.Writer, sentence string, lines []string) {
	if sentence == "" {
		return
	}
	paragraph(to, sentence)
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintln(to)
		}
		if line != "" {
			line = "    " + line
		}
		fmt.Fprintln(to, line)
	}
}

// questioned holds the flag that shows questions.
type questioned struct {
	WithQuestions bool `group:"Where it goes" help:"Show the texts of the questions whose answers are listed, in place of their IDs. They then stand in the files of the report, too. A journal holds none."`
}

// fillSweep puts the texts of the questions into what lists answers.
func fillSweep(r *sweep.Result, data *dataset.Dataset) error {
	wanted := map[string]*string{}
	for i := range r.Beside {
		wanted[r.Beside[i].Question] = &r.Beside[i].Text
	}
	return fill(data, len(wanted), func(c dataset.Case) bool {
		text, ok := wanted[c.ID]
		if ok {
			*text = c.Question
			delete(wanted, c.ID)
		}
		return ok
	})
}

// fillComparison does so for the questions whose outcome changed.
func fillComparison(r *compare.Result, data *dataset.Dataset) error {
	wanted := map[string][]int{}
	for i, f := range r.Flips {
		wanted[f.Question] = append(wanted[f.Question], i)
	}
	return fill(data, len(wanted), func(c dataset.Case) bool {
		flips, ok := wanted[c.ID]
		for _, i := range flips {
			r.Flips[i].Text = c.Question
		}
		delete(wanted, c.ID)
		return ok
	})
}

// fill reads cases until so many were taken.
func fill(data *dataset.Dataset, n int, take func(dataset.Case) bool) error {
	for i := 0; i < data.Len() && n > 0; i++ {
		c, err := data.Case(i)
		if err != nil {
			return err
		}
		if take(c) {
			n--
		}
	}
	return nil
}
