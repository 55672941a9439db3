package table

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// Spending says what the comparison took.
func Spending(r compare.Result) string { return spending(r.Spent, r.Judge != nil, r.Simulated, r.Cost) }

// SweepSpending says what the sweep took.
func SweepSpending(r sweep.Result) string {
	return spending(r.Spent, r.Judge != nil, r.Simulated, r.Cost)
}

func spending(spent journal.Spent, judged, simulated bool, cost *float64) string {
	if simulated && !judged {
		return "Nothing was spent: no model was asked."
	}
	u := spent.Usage
	cached := ""
	if u.Cached > 0 {
		cached = fmt.Sprintf(" (%d of them out of the server's cache)", u.Cached)
	}
	requests := show.Count(spent.Requests, "request")
	if judged {
		requests += " with those to the judge"
	}
	text := fmt.Sprintf("The run took %s, %s of prompts%s and %s of answers", requests,
		show.Count(u.Prompt, "token"), cached, show.Count(u.Completion, "token"))
	if j := spent.Judge; j.Tokens() > 0 {
		text += fmt.Sprintf(", and for the judge %s of prompts and %s of answers", show.Count(j.Prompt, "token"), show.Count(j.Completion, "token"))
	}
	if cost == nil {
		return text + ". What that cost is not known: give --price-prompt and --price-answer with the command that asks, and it is told here."
	}
	return text + fmt.Sprintf(", at a cost of %.4g.", *cost)
}
