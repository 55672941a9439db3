package page

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/cmd/internal/table"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// maxFlips is how many questions a page lists.
const maxFlips = 50

// flipsPart lists the questions whose outcome changed.
type flipsPart struct {
	FlipsSentence, FlipsMore, FlipsNote string
	Flips                               grid
}

func newFlips(r compare.Result) flipsPart {
	sentence, flips := table.ToldFlips(r)
	if sentence == "" {
		return flipsPart{}
	}
	p := flipsPart{FlipsSentence: together(sentence), FlipsNote: table.FlipsNote}
	if more := len(flips) - maxFlips; more > 0 {
		p.FlipsMore = fmt.Sprintf("The first %d stand here, all in flips.csv beside this page.", maxFlips)
		flips = flips[:maxFlips]
	}
	columns, _ := table.Flips(r, nil)
	p.Flips.Columns = []string{"question", "wanted", "slots", columns[2], columns[3], "right"}
	for _, f := range flips {
		right := r.Arms[0].Name
		if f.Against.Right {
			right = f.Arm
		}
		p.Flips.Rows = append(p.Flips.Rows, []string{
			asked(f.Question, f.Text), show.Line(strings.Join(f.Wanted, " | ")), table.Slot(f.Baseline.Slot) + " → " + table.Slot(f.Against.Slot),
			table.Answer(f.Baseline.Got, f.Baseline.NoAnswer), table.Answer(f.Against.Got, f.Against.NoAnswer), show.Line(right),
		})
	}
	return p
}

// beside lists the answers to some questions by slot, a row for each question.
func beside(r sweep.Result) grid {
	g := grid{Columns: []string{"question", "wanted"}}
	for i, b := range r.Beside {
		row := []string{asked(b.Question, b.Text), show.Line(strings.Join(b.Wanted, " | "))}
		for _, p := range b.Slots {
			if i == 0 {
				g.Columns = append(g.Columns, "in slot "+table.Slot(p.Slot))
			}
			row = append(row, map[bool]string{true: "right: ", false: "wrong: "}[p.Right]+table.Answer(p.Got, false))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// asked is the text of a question, or its ID.
func asked(id, text string) string {
	if text != "" {
		return show.Line(text)
	}
	return show.Line(id)
}
