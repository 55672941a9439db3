// Package table says in rows of words what a result holds, for the terminal, the
// CSV file and the page alike.
package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// CountRule says how unusual answers count.
const CountRule = "Every arm without a row of its own got an ordinary answer to each call that was asked. A call that failed for good leaves its question out of the figures of every slot, and counts for no shape. Answers that were refused, cut off or empty are judged as they stand."

// SimulatedBaselines says how the arms of a simulated reader come about that its
// curve says nothing about.
const SimulatedBaselines = "What the reader's curve does not say is made up: without documents (closed-book) it is right 0.8 times as often as in its worst slot, and with the answer's document alone (oracle) half-way between its best slot and always."

// Behind says which questions stand behind the figures.
func Behind(r sweep.Result) string {
	q := r.Questions
	text := fmt.Sprintf("The figures are those of %s of %d planned, answered in every slot that was asked", show.Count(q.Complete, "question"), q.Planned)
	if q.Complete == q.Planned {
		text = "The figures are those of all " + show.Count(q.Complete, "question")
	}
	if q.Clusters > 0 {
		text += fmt.Sprintf("; those that hang together count as one, which makes %d", q.Clusters)
	}
	if q.After > 0 {
		text += fmt.Sprintf("; %d left out, begun before the end was known", q.After)
	}
	return fmt.Sprintf("%s. The %s is scored by %s.", text, r.JudgedBy, show.Line(r.Scorer))
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
		return "slot " + strconv.Itoa(a.Slot+1)
	case sweep.ArmRepeat:
		return "slot " + strconv.Itoa(a.Slot+1) + " again"
	}
	return a.Arm
}

// Accuracy returns what was right in each arm; where scores give parts of a point, the
// mean score.
func Accuracy(r sweep.Result) (columns []string, rows [][]string) {
	if r.Graded {
		return scores(r)
	}
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

func scores(r sweep.Result) (columns []string, rows [][]string) {
	columns = []string{"answer in", "n", "mean score", "95 % interval", "scored .5 or more"}
	for _, a := range arms(r) {
		row := []string{name(a), strconv.Itoa(a.N), "–", "–", strconv.Itoa(r.Judged(a).Correct)}
		if a.N > 0 {
			mean, within := r.Accuracy(a)
			row[2], row[3] = show.Percent(mean), interval(within)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func interval(i stats.Interval) string { return fmt.Sprintf("%.1f – %.1f", 100*i.Low, 100*i.High) }

// Counts returns what became of the calls: the sum, and the arms with a call that
// got no ordinary answer.
func Counts(r sweep.Result) (columns []string, rows [][]string) {
	rows = append(rows, countRow("all", r.Counts))
	for _, a := range arms(r) {
		if c := a.Counts; c.Failed+c.Refused+c.Truncated+c.Empty > 0 {
			rows = append(rows, countRow(name(a), c))
		}
	}
	return countColumns("planned"), rows
}

// countColumns names the columns, among them that of all calls.
func countColumns(all string) []string {
	return []string{"calls", all, "answered", "failed", "unasked", "refused", "cut off", "empty"}
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

// Contrasts returns the three contrasts with their evidence; no rows for a sweep without a
// verdict.
func Contrasts(r sweep.Result) (columns []string, rows [][]string) {
	columns = []string{"contrast", "points", "95 % interval", "e above 0", "e below 0", "is"}
	v := r.Shown()
	if v == nil {
		return columns, nil
	}
	for _, c := range []struct {
		name string
		shape.Contrast
	}{
		{"start minus middle", v.StartMiddle},
		{"end minus middle", v.EndMiddle},
		{"start minus end", v.StartEnd},
	} {
		if c.Questions == 0 {
			rows = append(rows, []string{c.name, "not measured", "–", "–", "–", "–"})
			continue
		}
		rows = append(rows, []string{
			c.name, points(c.Mean), pointsRange(c.Interval), exponential(c.LogAbove), exponential(c.LogBelow), sideOf(c.Contrast),
		})
	}
	return columns, rows
}

// sideOf says what is known of a contrast.
func sideOf(c shape.Contrast) string {
	switch {
	case c.Up:
		return "up"
	case c.Down:
		return "down"
	case c.Small:
		return "small"
	}
	return "open"
}

func points(share float64) string { return show.Signed(100 * share) }

// Statistics says in sentences what stands beside the contrasts.
func Statistics(r sweep.Result) []string {
	v := r.Shown()
	if v == nil {
		return nil
	}
	lines := shapeOf(r, *v)
	if r.Spread == nil || r.Cochran == nil {
		return lines
	}
	lines = append(lines,
		fmt.Sprintf("The best slot is %.1f points above the worst. By chance alone it would be %.1f, with the same answers dealt to the slots at random.",
			100*r.Spread.Observed, 100*r.Spread.ByChance),
		fmt.Sprintf("Cochran's Q, a test of whether all slots are alike: %.1f with %d degrees of freedom, p %s. It says nothing about the shape, and decides nothing.",
			r.Cochran.Q, r.Cochran.DF, probability(r.Cochran.P)),
	)
	if d := r.Detectable; d != nil {
		lines = append(lines, fmt.Sprintf("With so many questions a difference of %.1f points between the first and the last slot is found in %.0f %% of sweeps, if it is there. %.1f %% of the questions were judged otherwise in one than in the other.",
			100*d.Difference, 100*d.Power, 100*d.Discordance))
	} else {
		lines = append(lines, "Between the first and the last slot no difference can be shown: there are too few questions, or too few that were judged otherwise in one than in the other.")
	}
	if f := r.Repeat; f != nil {
		lines = append(lines, fmt.Sprintf("The noise floor: asked the same again, it was judged otherwise in %d of %d answers (%s, 95 %% interval %s).",
			f.Flips, f.Pairs, show.Percent(f.Rate), interval(f.Interval)))
	}
	if slices.ContainsFunc(r.Slots, func(a sweep.ArmResult) bool { return a.N != r.Slots[0].N }) {
		lines = append(lines, "Slots with fewer questions were asked less often: what they would tell is known, or fewer questions are enough for it.")
	}
	if r.Curve == nil {
		lines = append(lines, "There is no curve file: "+show.Line(r.CurveNote)+".")
	}
	return lines
}

// shapeOf says the shape, by which evidence, and how far it can be trusted.
func shapeOf(r sweep.Result, v shape.Verdict) []string {
	word := string(v.Shape)
	switch {
	case r.Unfit != nil:
		word = "unfit (by the figures alone it would be " + word + ")"
	case v.Settled:
		word += ", settled"
	case v.Shape != core.ShapeUndecided:
		word += ", not settled: with more questions it may turn into another one"
	}
	return []string{
		fmt.Sprintf("Shape: %s. The larger e, the stronger the evidence: a shape is named once e for any difference reaches 20, and it is %s. A contrast is up or down once its e reaches 10, and small once %.0f points or more are excluded. The interval looks to both sides, and each e to one: so it may still hold 0 when a contrast is up or down.",
			word, exponential(v.LogAny), 100*v.Margin),
		"At most 5 % of models that read every slot alike are given a shape, and at most 5 % of those with a contrast of 5 points are called flat, however often one looks. That holds for independent questions and a model that does not change.",
	}
}

func probability(p float64) string {
	if p < 0.0001 {
		return "below 0.0001"
	}
	return fmt.Sprintf("= %.4f", p)
}

// textColumns is how wide a table is at most: a wider one goes on below, with its first
// column again.
const textColumns = 80

// Text lays a table out in columns; all but the first are flush right. One that is wider
// than 80 characters is broken into several, each with the first column. The result has
// no line end behind the last line.
func Text(columns []string, rows [][]string) string {
	all := append([][]string{columns}, rows...)
	width := widths(all)
	var parts []string
	for from := 1; ; {
		to, total := from, 0
		for total = width[0]; to < len(columns) && (to == from || total+2+width[to] <= textColumns); to++ {
			total += 2 + width[to]
		}
		parts = append(parts, textPart(all, width, from, to))
		if from = to; from >= len(columns) {
			return strings.Join(parts, "\n\n")
		}
	}
}

// Whole is Text for a table that is not broken, however wide it is.
func Whole(columns []string, rows [][]string) string {
	all := append([][]string{columns}, rows...)
	return textPart(all, widths(all), 1, len(columns))
}

// widths are those of the columns.
func widths(rows [][]string) []int {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	return width
}

// textPart lays out the first column and some others.
func textPart(rows [][]string, width []int, from, to int) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		line := row[0] + strings.Repeat(" ", width[0]-utf8.RuneCountInString(row[0]))
		for j := from; j < to; j++ {
			line += strings.Repeat(" ", 2+width[j]-utf8.RuneCountInString(row[j])) + row[j]
		}
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
