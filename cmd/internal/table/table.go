// Package table says in rows of words what a result holds, for the terminal, the
// CSV file and the page alike.
package table

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// CountRule says how unusual answers count.
const CountRule = "Arms that are not listed got an ordinary answer to every call. A call that failed for good leaves no answer, and its question counts in no slot. Refused, truncated and empty answers are scored as they are: wrong, unless they hold the answer."

// SimulatedBaselines says how the arms of a simulated reader come about that its
// curve says nothing about.
const SimulatedBaselines = "Its closed-book accuracy is made up as 0.8 of its worst slot, its oracle as half the way from its best slot to 1."

// Behind says which questions stand behind the figures.
func Behind(r sweep.Result) string {
	return fmt.Sprintf("%s answered in every measured slot, of %d planned; scored by %s, on the %s.",
		show.Count(r.Questions.Complete, "question"), r.Questions.Planned, show.Line(r.Scorer), r.JudgedBy)
}

// arms are the rows of every table: baselines, slots, and the slot that was asked
// again.
func arms(r sweep.Result) []sweep.ArmResult {
	var rows []sweep.ArmResult
	for _, b := range []*sweep.ArmResult{r.ClosedBook, r.Oracle} {
		if b != nil {
			rows = append(rows, *b)
		}
	}
	rows = append(rows, r.Slots...)
	if r.Again != nil {
		rows = append(rows, *r.Again)
	}
	return rows
}

func name(a sweep.ArmResult) string {
	switch a.Arm {
	case sweep.ArmSlot:
		return "slot " + strconv.Itoa(a.Slot)
	case sweep.ArmRepeat:
		return "slot " + strconv.Itoa(a.Slot) + " again"
	}
	return a.Arm
}

// Accuracy returns what was right in each arm.
func Accuracy(r sweep.Result) (columns []string, rows [][]string) {
	columns = []string{"answer in", "n", "right", "full answer", "95 % interval", "first line", "95 % interval"}
	for _, a := range arms(r) {
		row := []string{name(a), strconv.Itoa(a.N), strconv.Itoa(r.Judged(a).Correct), "–", "–", "–", "–"}
		for i, t := range []sweep.Tally{a.Full, a.FirstLine} {
			if a.N > 0 && !t.IsZero() {
				row[3+2*i], row[4+2*i] = show.Percent(t.Accuracy), interval(t.Interval)
			}
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func interval(i stats.Interval) string { return fmt.Sprintf("%.1f – %.1f", 100*i.Low, 100*i.High) }

// Counts returns what became of the calls: the sum, and the arms with a call that
// did not simply get an answer.
func Counts(r sweep.Result) (columns []string, rows [][]string) {
	rows = append(rows, countRow("all", r.Counts))
	for _, a := range arms(r) {
		if c := a.Counts; c.Answered != c.Planned || c.Refused+c.Truncated+c.Empty > 0 {
			rows = append(rows, countRow(name(a), c))
		}
	}
	return countColumns("calls"), rows
}

func countColumns(first string) []string {
	return []string{first, "planned", "answered", "failed", "not asked", "refused", "truncated", "empty"}
}

func countRow(name string, c judge.Counts) []string { return append([]string{name}, counts(c)...) }

// counts are the cells of what became of calls, in every output alike.
func counts(c judge.Counts) []string {
	var cells []string
	for _, n := range []int{c.Planned, c.Answered, c.Failed, c.Missing, c.Refused, c.Truncated, c.Empty} {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}

// Contrasts returns the three contrasts with their intervals.
func Contrasts(r sweep.Result) [][]string {
	if r.Verdict == nil {
		return nil
	}
	var rows [][]string
	for _, c := range []struct {
		name string
		shape.Contrast
	}{
		{"start minus middle", r.Verdict.StartMiddle},
		{"end minus middle", r.Verdict.EndMiddle},
		{"start minus end", r.Verdict.StartEnd},
	} {
		if c.Questions == 0 {
			rows = append(rows, []string{c.name, "not measured", "–", "–"})
			continue
		}
		rows = append(rows, []string{
			c.name, points(c.Mean), fmt.Sprintf("%s to %s", points(c.Low), points(c.High)), show.Signed(c.Z),
		})
	}
	return rows
}

func points(share float64) string { return show.Signed(100 * share) }

// Statistics says in sentences what stands beside the contrasts.
func Statistics(r sweep.Result) []string {
	if r.Verdict == nil {
		return nil
	}
	lines := []string{
		fmt.Sprintf("Shape: %s. The largest |z| must exceed %.2f for a shape to be named, and each contrast of the shape %.2f.",
			r.Verdict.Shape, float64(r.Verdict.Any), float64(r.Verdict.Each)),
		fmt.Sprintf("Best slot minus worst: %.1f points; %.1f would come about by chance alone, with the same answers dealt to the slots at random.",
			100*r.Spread.Observed, 100*r.Spread.ByChance),
		fmt.Sprintf("Cochran's Q = %.1f with %d degrees of freedom, p %s. It decides nothing: it rejects too often.",
			r.Cochran.Q, r.Cochran.DF, probability(r.Cochran.P)),
	}
	if d := r.Detectable; d != nil {
		lines = append(lines, fmt.Sprintf("So many questions can show a difference of %.1f points between the first and the last slot (power %.0f %%; %.1f %% of the questions differ between them).",
			100*d.Difference, 100*d.Power, 100*d.Discordance))
	} else {
		lines = append(lines, "So few questions, or so few that differ between the first and the last slot, can show no difference between those two.")
	}
	if f := r.Repeat; f != nil {
		lines = append(lines, fmt.Sprintf("Asked again, %d of %d prompts were judged otherwise (%s, 95 %% interval %s): the noise floor.",
			f.Flips, f.Pairs, show.Percent(f.Rate), interval(f.Interval)))
	}
	if r.Curve == nil {
		lines = append(lines, "There is no curve file: "+show.Line(r.CurveNote)+".")
	}
	return lines
}

func probability(p float64) string {
	if p < 0.0001 {
		return "below 0.0001"
	}
	return fmt.Sprintf("= %.4f", p)
}

// Text lays a table out in columns; all but the first are flush right. The result
// has no line end behind the last line.
func Text(columns []string, rows [][]string) string {
	width := make([]int, len(columns))
	all := append([][]string{columns}, rows...)
	for _, row := range all {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(all))
	for i, row := range all {
		for j, cell := range row {
			space := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if j == 0 {
				lines[i] = cell + space
			} else {
				lines[i] += "  " + space + cell
			}
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
