package table

import (
	"bytes"
	"encoding/csv"
	"strconv"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/compare"
)

// ComparisonCSV returns one line for each arm, under a line of names. Shares go from
// 0 to 1, differences from -1 to 1. What does not hold, or was not computed, is an
// empty cell. A cell of words that a spreadsheet would take for a formula starts
// with an apostrophe.
func ComparisonCSV(r compare.Result) ([]byte, error) {
	lines := [][]string{{
		"simulated", "same_questions", "verdict", "unfit", "winner", "until_decided", "alpha", "worthwhile",
		"model", "date", "scorer", "judged_by", "arm", "kind", "identical", "n",
		"correct", "accuracy", "low", "high", "first_line_correct", "first_line_accuracy", "first_line_low", "first_line_high",
		"wins", "losses", "same", "difference", "sequence_low", "sequence_high", "log_e", "anytime_p", "log_e_against_worthwhile",
		"mcnemar_p", "holm_p", "bootstrap_low", "bootstrap_high", "detectable",
		"planned", "answered", "failed", "missing", "refused", "truncated", "empty",
		"prompt_tokens", "cached_tokens", "begins_like_baseline",
		"log_e_no_worse", "prompt_tokens_each", "cost_share", "cost_thousand",
	}}
	n := r.Questions.Counted
	for _, a := range r.Arms {
		line := []string{
			map[bool]string{true: "simulated", false: "no"}[r.Simulated],
			map[bool]string{true: "fitted on the same questions", false: "no"}[r.SameQuestions],
			show.Cell(string(r.Word)), unfitCell(r.Unfit), yes(r.Unfit == nil && a.Name == r.Winner), yes(r.UntilDecided), number(r.Alpha), number(r.Worthwhile),
			show.Cell(r.Model), show.Cell(r.Date), show.Cell(r.Scorer), show.Cell(r.JudgedBy),
			show.Cell(a.Name), show.Cell(string(a.Kind)), show.Cell(a.Identical), strconv.Itoa(n),
		}
		for _, t := range []compare.Tally{a.Full, a.FirstLine} {
			if t.IsZero() {
				line = append(line, make([]string, 4)...)
				continue
			}
			low, high := "", ""
			if t.Wilson != nil {
				low, high = share(n, t.Wilson.Low), share(n, t.Wilson.High)
			}
			line = append(line, strconv.Itoa(t.Correct), share(n, t.Accuracy), low, high)
		}
		line = append(line, against(a)...)
		line = append(line, counts(a.Counts)...)
		line = append(line, strconv.Itoa(a.Caching.Prompt), strconv.Itoa(a.Caching.Cached), share(n, a.Caching.Common))
		line = append(line, noWorse(a.Against))
		line = append(line, costs(a.Cost)...)
		lines = append(lines, line)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

// against returns the cells of an arm against the baseline.
func against(a compare.ArmResult) []string {
	cells := make([]string, 14)
	g := a.Against
	if g == nil || g.N() == 0 {
		return cells
	}
	cells[0], cells[1], cells[2] = strconv.Itoa(g.Wins), strconv.Itoa(g.Losses), strconv.Itoa(g.Same)
	cells[3], cells[4], cells[5] = number(g.Difference), number(g.Sequence.Low), number(g.Sequence.High)
	if e := g.Sequential; e != nil {
		cells[6], cells[7], cells[8] = number(e.LogE), number(e.P), number(e.LogDown)
	}
	f := g.Fixed
	if f == nil {
		return cells
	}
	cells[9], cells[11], cells[12] = number(f.McNemar), number(f.Bootstrap.Low), number(f.Bootstrap.High)
	if f.Holm != nil {
		cells[10] = number(*f.Holm)
	}
	if f.Detectable != nil {
		cells[13] = number(*f.Detectable)
	}
	return cells
}

func yes(v bool) string { return map[bool]string{true: "yes", false: "no"}[v] }

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// costs returns the cells of what a request costs in an arm.
func costs(c *compare.Cost) []string {
	cells := make([]string, 3)
	if c != nil {
		cells[0], cells[1] = number(c.Prompt), number(c.Share)
		if c.Thousand != nil {
			cells[2] = number(*c.Thousand)
		}
	}
	return cells
}
