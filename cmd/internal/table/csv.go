package table

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// CSV returns one line for each arm of each result, under a line of names. Shares go
// from 0 to 1. A cell of words that a spreadsheet would take for a formula starts
// with an apostrophe.
func CSV(results []sweep.Result) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{{
		"simulated", "model", "task", "layout", "date", "documents", "scorer", "judged_by", "arm", "slot", "n",
		"correct", "accuracy", "low", "high",
		"first_line_correct", "first_line_accuracy", "first_line_low", "first_line_high", "mean_score", "shape", "unfit",
		"planned", "answered", "failed", "missing", "refused", "truncated", "empty",
	}}
	for _, r := range results {
		for _, a := range arms(r) {
			slot := ""
			if a.Slot != model.NoSlot {
				slot = strconv.Itoa(a.Slot + 1)
			}
			line := []string{
				map[bool]string{true: "simulated", false: "no"}[r.Simulated],
				show.Cell(r.Model), show.Cell(string(r.Task)), show.Cell(r.Layout), show.Cell(r.Date),
				strconv.Itoa(r.Documents), show.Cell(r.Scorer), show.Cell(r.JudgedBy), show.Cell(a.Arm), slot, strconv.Itoa(a.N),
			}
			line = append(line, tally(a.N, a.Full)...)
			line = append(line, tally(a.N, a.FirstLine)...)
			line = append(line, share(a.N, a.MeanScore), shapeCell(r), unfitCell(r.Unfit))
			line = append(line, counts(a.Counts)...)
			lines = append(lines, line)
		}
	}
	err := w.WriteAll(lines)
	return b.Bytes(), err
}

// shapeCell is the shape; empty where there is no verdict.
func shapeCell(r sweep.Result) string {
	switch {
	case r.Unfit != nil:
		return string(core.ShapeUnfit)
	case r.Verdict == nil:
		return ""
	}
	return string(r.Verdict.Shape)
}

// unfitCell is the rule that makes a run unfit; empty where it is fit.
func unfitCell(why *fitness.Unfit) string {
	if why == nil {
		return ""
	}
	return string(why.Rule)
}

func tally(n int, t sweep.Tally) []string {
	if t.IsZero() {
		return make([]string, 4)
	}
	return []string{strconv.Itoa(t.Correct), share(n, t.Accuracy), share(n, t.Low), share(n, t.High)}
}

// share is empty where nothing was answered.
func share(n int, v float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}
