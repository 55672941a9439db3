package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
)

// Kinds returns a row for each kind of questions, with the arm that its verdict tells of; no
// rows where there are no kinds. A row has 79 characters at most.
func Kinds(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{middle(show.Line(r.By), 14), "n", "verdict", "arm", "points", fmt.Sprintf("%.4g %% sequence", 100*(1-r.Alpha))}
	for _, k := range r.Kinds {
		row := []string{middle(show.Line(k.Title()), 14), strconv.Itoa(k.Questions), string(k.Word), "–", "–", "–"}
		if arm := k.Told(); arm != nil {
			row[3] = middle(show.Line(arm.Name), 18)
			if arm.Against.N() > 0 {
				row[4], row[5] = points(arm.Against.Difference), pointsRange(arm.Against.Sequence)
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// middle leaves out the middle of a text that is too long.
func middle(text string, width int) string {
	r := []rune(text)
	if len(r) <= width {
		return text
	}
	return string(r[:(width-1)/2]) + "…" + string(r[len(r)-width/2:])
}

// AboutKinds says how the verdicts by kind came about, and which values are taken together.
func AboutKinds(r compare.Result) []string {
	if len(r.Kinds) == 0 {
		return nil
	}
	asGood := ""
	if r.NoWorse > 0 {
		asGood = fmt.Sprintf(", and at most %.4g %% call an arm as good that loses %.3g points or more", 100*r.Alpha, 100*r.NoWorse)
	}
	lines := []string{fmt.Sprintf(
		"Each value of %s has its own verdict. At most %.4g %% of comparisons have a wrong reorder among these, and at most %.4g %% a wrong keep%s. That holds however often one looks. A row shows the arm to use, or else the best challenger. The tables below are over all questions, and decide nothing.",
		show.Line(r.By), 100*r.Alpha, 100*r.Alpha, asGood)}
	for _, k := range r.Kinds {
		if k.Pooled {
			lines = append(lines, fmt.Sprintf("The rare values are taken together as %s: %s.", k.Title(), show.Cut(show.Line(strings.Join(titles(k.Values), ", ")), 400)))
		}
	}
	return lines
}

func titles(values []string) []string {
	named := make([]string, len(values))
	for i, v := range values {
		named[i] = compare.QuestionKind{Name: v}.Title()
	}
	return named
}

// KindsCSV returns one line for each arm of each kind, under a line of names; nil where
// there are no kinds. Cells are as in ComparisonCSV.
func KindsCSV(r compare.Result) ([]byte, error) {
	if len(r.Kinds) == 0 {
		return nil, nil
	}
	lines := [][]string{{
		"simulated", "by", "kind", "values", "questions", "verdict", "winner", "arm", "n", "correct", "accuracy",
		"wins", "losses", "same", "difference", "sequence_low", "sequence_high", "log_e", "anytime_p", "log_e_against_worthwhile", "log_e_no_worse", "cost_share",
	}}
	for _, k := range r.Kinds {
		for _, a := range k.Arms {
			line := []string{
				map[bool]string{true: "simulated", false: "no"}[r.Simulated],
				show.Cell(r.By), show.Cell(k.Title()), show.Cell(strings.Join(k.Values, " ")), strconv.Itoa(k.Questions),
				show.Cell(string(k.Word)), yes(a.Name == k.Winner), show.Cell(a.Name),
				strconv.Itoa(a.Tally.N), strconv.Itoa(a.Tally.Correct), share(a.Tally.N, a.Tally.Accuracy),
			}
			line = append(line, against(compare.ArmResult{Against: a.Against})[:9]...)
			cost := ""
			if a.Cost != nil {
				cost = number(a.Cost.Share)
			}
			lines = append(lines, append(line, noWorse(a.Against), cost))
		}
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(lines)
	return b.Bytes(), err
}

// noWorse is the cell of the evidence that an arm is no worse.
func noWorse(a *compare.Against) string {
	if a == nil || a.Sequential == nil || a.Sequential.LogNoWorse == nil {
		return ""
	}
	return number(*a.Sequential.LogNoWorse)
}

// Costs returns what a request costs in each arm beside what it loses; no rows where it was
// not asked what is no worse, and there are no prices.
func Costs(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"arm", "prompt", "cost"}
	priced := len(r.Arms) > 0 && r.Arms[0].Cost != nil && r.Arms[0].Cost.Thousand != nil
	if priced {
		columns = append(columns, "per 1000")
	}
	columns = append(columns, "points")
	said := r.NoWorse > 0 && len(r.Kinds) == 0 // of all questions
	if said {
		columns = append(columns, "no worse?", "e")
	}
	if r.NoWorse == 0 && !priced {
		return columns, nil
	}
	for _, a := range r.Arms {
		if a.Cost == nil {
			continue
		}
		row := []string{middle(ArmName(a), 30), fmt.Sprintf("%.0f", a.Cost.Prompt), fmt.Sprintf("%.0f %%", 100*a.Cost.Share)}
		if priced {
			row = append(row, fmt.Sprintf("%.4g", *a.Cost.Thousand))
		}
		if a.Against == nil {
			row = append(row, "0.0")
		} else {
			row = append(row, points(a.Against.Difference))
		}
		if said {
			row = append(row, noWorseWord(a), "–")
			if a.Against != nil && a.Against.Sequential != nil && a.Against.Sequential.LogNoWorse != nil {
				row[len(row)-1] = exponential(*a.Against.Sequential.LogNoWorse)
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func noWorseWord(a compare.ArmResult) string {
	switch {
	case a.Against == nil || a.Against.Sequential == nil:
		return "–"
	case a.Against.Sequential.NoWorse:
		return "yes"
	case a.Against.Sequential.Worse:
		return "no"
	}
	return "open"
}

// AboutCosts says how to read Costs.
func AboutCosts(r compare.Result) []string {
	if _, rows := Costs(r); len(rows) == 0 {
		return nil
	}
	lines := []string{"Prompt is the mean number of tokens of a prompt. Cost is that of a request against the baseline's, over the questions that both answered, and as if the server had no cache."}
	if r.NoWorse > 0 && len(r.Kinds) > 0 {
		return append(lines, "It is over all questions. Which arm is no worse is said of each kind, by what it costs there.")
	}
	if r.NoWorse > 0 {
		lines = append(lines, fmt.Sprintf(
			"No worse means that a loss of %.3g points or more is excluded: the evidence e for that, with the other challengers accounted for, has reached %.4g. At most %.4g %% of comparisons call an arm no worse that loses so much, however often one looks.",
			100*r.NoWorse, 1/r.Alpha, 100*r.Alpha))
		if r.Word == evidence.AsGood {
			lines = append(lines, "The finding names the cheapest arm that is no worse. Where costs differ by 1 % or less, it names the one with the most points.")
		}
	}
	return lines
}
