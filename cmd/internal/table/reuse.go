package table

import (
	"fmt"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/replay"
)

// Reuse returns what each setting takes from the cache. Columns for which nothing is
// known are left out.
func Reuse(r replay.Result) (columns []string, rows [][]string) {
	columns = []string{"setting", "from cache", "processed"}
	if r.Curve != "" {
		columns = append(columns, "right", "given up")
	}
	priced := len(r.Rows) > 0 && r.Rows[0].Cost != nil
	if priced {
		columns = append(columns, "per 1000")
	}
	for _, row := range r.Rows {
		cells := []string{show.Cut(show.Line(row.Name), 28), show.Percent(row.Share), fmt.Sprintf("%.0f", row.Processed(r.Requests))}
		if r.Curve != "" {
			cells = append(cells, show.Percent(*row.Accuracy), show.Signed(100**row.Loss))
		}
		if priced {
			cells = append(cells, fmt.Sprintf("%.2f", *row.Cost))
		}
		rows = append(rows, cells)
	}
	return columns, rows
}

// ReuseNote says what the columns of Reuse mean.
func ReuseNote(r replay.Result) string {
	note := "From cache: the share of the prompts' tokens. Processed: the tokens of a prompt that the server still has to read, on average."
	if r.Curve != "" {
		note += " Right: the answers expected by the curve. Given up: by how many points fewer answers are right than in the order that you send; below 0, by how many more."
	}
	if len(r.Rows) > 0 && r.Rows[0].Cost != nil {
		note += " Per 1000: what the prompts of a thousand requests cost."
	}
	return note + " Reuse moves documents to where the cache may know them: all but the best rank, or any for at most so many points of accuracy (worth)."
}
