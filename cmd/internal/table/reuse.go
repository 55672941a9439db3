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
		columns = append(columns, "1,000 cost")
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

// ReuseColumns says what the columns of Reuse mean.
const ReuseColumns = "from cache: of the prompts' tokens. processed: tokens of a prompt that the server reads anew, on average. right and given up: expected by the curve, and points less than as you send it."
