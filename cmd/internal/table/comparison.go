package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/show"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/stats"
)

// NotMeasured says what a simulated result is.
const NotMeasured = "A simulated reader gave these answers, and no model was asked: nothing here is a measurement."

// Unfit marks what can tell nothing.
const Unfit = "UNFIT"

// Warning is what has to stand in front of every view of a comparison.
type Warning struct{ Mark, Meaning string }

// Warnings returns none for an honest measurement.
func Warnings(r compare.Result) []Warning {
	var warnings []Warning
	if r.Simulated {
		warnings = append(warnings, Warning{"SIMULATED", NotMeasured + " Where no document of a prompt holds the answer, the reader is made to be right 0.8 times as often as in its worst slot."})
	}
	if r.Unfit != nil {
		warnings = append(warnings, Warning{Unfit, show.Line("This run can tell nothing: " + r.Unfit.Reason + ". " + r.Unfit.Remedy)})
	}
	if r.SameQuestions {
		warnings = append(warnings, Warning{
			"FITTED ON THE SAME QUESTIONS",
			"The measured placement was fitted on questions that are compared here. So its gain looks larger than it is, and there may be none on other questions. Compare again on questions that the curve has not seen.",
		})
	}
	return warnings
}

// Marks are the warnings in short; empty for an honest measurement.
func Marks(r compare.Result) string {
	var marks []string
	for _, w := range Warnings(r) {
		marks = append(marks, w.Mark)
	}
	return strings.Join(marks, ", ")
}

// Verdict is the word of a comparison and the arm that it says to use.
func Verdict(r compare.Result) string {
	if len(r.Kinds) > 0 {
		var kinds []string
		for _, k := range r.Kinds[:min(len(r.Kinds), 4)] {
			kinds = append(kinds, fmt.Sprintf("%s: %s", show.Cut(show.Line(k.Title()), 20), k.Word))
		}
		if len(r.Kinds) > 4 {
			kinds = append(kinds, "…")
		}
		return show.Cut(fmt.Sprintf("by %s: %s", show.Cut(show.Line(r.By), 20), strings.Join(kinds, ", ")), 78)
	}
	switch r.Word {
	case evidence.AsGood:
		return "as good and cheaper: " + show.Line(r.Winner)
	case evidence.Reorder:
		return "reorder: use " + show.Line(r.Winner)
	case evidence.Keep:
		return "keep " + show.Line(r.Winner)
	case evidence.Unfit:
		if r.Anyway != "" {
			return fmt.Sprintf("unfit (by the figures alone it would be %s)", r.Anyway)
		}
	}
	return string(r.Word)
}

// BehindComparison says which questions stand behind the figures.
func BehindComparison(r compare.Result) string {
	q := r.Questions
	text := fmt.Sprintf("%s of %d planned", show.Count(q.Counted, "question"), q.Planned)
	if q.Counted == q.Planned {
		text = "all " + show.Count(q.Counted, "question")
	}
	text = "The figures are those of " + text
	if q.Clusters > 0 {
		text += fmt.Sprintf("; those that hang together count as one, which makes %d", q.Clusters)
	}
	for _, n := range []struct {
		n    int
		what string
	}{
		{q.Dropped, "left out, because a call failed or was refused"},
		{q.Missing, "not finished yet"},
		{q.After, "left out, begun before the verdict was known"},
	} {
		if n.n > 0 {
			text += fmt.Sprintf("; %d %s", n.n, n.what)
		}
	}
	return fmt.Sprintf("%s. The %s is scored by %s.", text, r.JudgedBy, show.Line(r.Scorer))
}

// ArmName names an arm and what it is for.
func ArmName(a compare.ArmResult) string {
	if a.Kind == compare.Baseline {
		return show.Line(a.Name) + " (baseline)"
	}
	return show.Line(a.Name)
}

// Compared returns what was right in each arm; no rows where nothing is counted. Intervals of single arms hold for a
// fixed number of questions, and are left out where that was not fixed.
func Compared(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"arm", "n", "right", "full answer (95 %)", "first line (95 %)"}
	switch {
	case r.Graded:
		columns = []string{"arm", "n", "scored .5 or more", "mean, full answer", "mean, first line"}
	case r.UntilDecided || r.Questions.Clusters > 0:
		columns = []string{"arm", "n", "right", "full answer", "first line"}
	}
	if r.Questions.Counted == 0 {
		return columns, nil
	}
	for _, a := range r.Arms {
		row := []string{ArmName(a), strconv.Itoa(a.Full.N), strconv.Itoa(r.Judged(a).Correct)}
		for _, t := range []compare.Tally{a.Full, a.FirstLine} {
			cell := show.Percent(t.Accuracy)
			switch {
			case t.IsZero():
				cell = "–"
			case t.Wilson != nil:
				cell += " (" + interval(*t.Wilson) + ")"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// RangeName names the interval of a difference.
func RangeName(r compare.Result) string {
	return fmt.Sprintf("%.4g %% confidence sequence", 100*(1-r.Alpha))
}

// Differences returns each arm against the baseline, in points, but for identical
// ones.
func Differences(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"against baseline", "points", fmt.Sprintf("%.4g %% sequence", 100*(1-r.Alpha)), "wins", "losses", "same", "differ"}
	for _, a := range r.Arms {
		switch against := a.Against; {
		case against == nil, a.Identical != "":
		case against.N() == 0:
			rows = append(rows, []string{ArmName(a), "–", "–", "0", "0", "0", "–"})
		default:
			rows = append(rows, []string{
				ArmName(a), points(against.Difference), pointsRange(against.Sequence),
				strconv.Itoa(against.Wins), strconv.Itoa(against.Losses), strconv.Itoa(against.Same), show.Percent(against.Discordance),
			})
		}
	}
	return columns, rows
}

// DifferencesNote says what the columns of Differences hold.
func DifferencesNote(r compare.Result) string {
	if _, rows := Differences(r); len(rows) == 0 {
		return ""
	}
	right := "right answers of 100"
	if r.Graded {
		right = "the score of 100"
	}
	return fmt.Sprintf("Points: %s, more or less than in the baseline. The %.4g %% confidence sequence holds the true difference in at least %.4g %% of comparisons, however often one looks. Wins: questions that the arm answers better than the baseline; losses: worse. Differ: the share of both.",
		right, 100*(1-r.Alpha), 100*(1-r.Alpha))
}

// Identical says which arms are identical to which.
func Identical(r compare.Result) []string {
	var lines []string
	for _, a := range r.Arms {
		if a.Identical != "" {
			lines = append(lines, fmt.Sprintf("%s is identical to %s: it gives the same prompts for every list, and takes no calls of its own.", show.Line(a.Name), show.Line(a.Identical)))
		}
	}
	return lines
}

func pointsRange(i stats.Interval) string {
	return fmt.Sprintf("%s to %s", points(i.Low), points(i.High))
}

// Evidence returns what is known about each challenger that takes part in the
// verdict. All of it holds however often one looked.
func Evidence(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"challenger", "e for a gain", "anytime p", fmt.Sprintf("e against %s points", Worthwhile(r))}
	for _, a := range r.Arms {
		if a.Against == nil || a.Against.Sequential == nil {
			continue
		}
		e := a.Against.Sequential
		rows = append(rows, []string{ArmName(a), exponential(e.LogE), probabilityCell(e.P), exponential(e.LogDown)})
	}
	return columns, rows
}

// Fixed returns the statistics of a fixed number of questions; no rows where it was
// not fixed.
func Fixed(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"against baseline", "McNemar p", "Holm p", "95 % bootstrap", "detectable points"}
	for _, a := range r.Arms {
		if a.Against == nil || a.Against.Fixed == nil || a.Identical != "" {
			continue
		}
		f := a.Against.Fixed
		row := []string{ArmName(a), probabilityCell(f.McNemar), "–", pointsRange(f.Bootstrap), "–"}
		if f.Holm != nil {
			row[2] = probabilityCell(*f.Holm)
		}
		if f.Detectable != nil {
			row[4] = fmt.Sprintf("%.1f", 100**f.Detectable)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// Worthwhile is the smallest gain that matters, in points.
func Worthwhile(r compare.Result) string { return fmt.Sprintf("+%.3g", 100*r.Worthwhile) }

// exponential writes e to the power of log, however large.
func exponential(log float64) string {
	if tens := log / math.Ln10; math.Abs(tens) >= 4 {
		return strings.Replace(fmt.Sprintf("10^%.0f", tens), "-", "−", 1)
	}
	if e := math.Exp(log); e >= 1000 {
		return fmt.Sprintf("%.0f", e)
	}
	return fmt.Sprintf("%.3g", math.Exp(log))
}

func probabilityCell(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

// How says in sentences how the verdict came about, and how sure it is.
func How(r compare.Result) []string {
	var lines []string
	if _, rows := Evidence(r); len(rows) > 0 {
		first := "The verdict is reorder"
		if r.NoWorse > 0 {
			first = "Where no cheaper arm is as good, or may still be, the verdict is reorder"
		}
		lines = append(lines, fmt.Sprintf(
			"The larger e, the stronger the evidence: it is about the factor that a fair bet on the statement would have won so far. %s when e for a gain reaches %.4g in some challenger. It is keep when e against a gain of %s points reaches %.4g in all of them. Each of the two is wrong in at most %.4g %% of comparisons, however often one looks. That holds for independent questions and a model that does not change.",
			first, 1/r.Alpha, Worthwhile(r), 1/r.Alpha, 100*r.Alpha))
		if r.UntilDecided && r.Word == evidence.Reorder {
			lines = append(lines, "A comparison that stops at reorder prints a gain that is on average larger than the true one. Trust the sequence first.")
		}
		text := fmt.Sprintf("A confidence sequence looks to both sides, and each e to one. So the sequence may still hold 0 when reorder is known, and %s points when keep is.", Worthwhile(r))
		if len(rows) > 1 {
			text = "With several challengers one may lead by luck: e for a gain and its p (anytime p) take that into account, a confidence sequence does not. " + text
		}
		lines = append(lines, text)
	}
	if askedLess(r) {
		line := "A challenger with fewer questions than the baseline was dropped on the way: a gain that matters was excluded, or it was too far behind the best to win."
		if r.NoWorse > 0 {
			line = "A challenger with fewer questions than the baseline was not always asked. As long as an arm may turn out to be as good and is cheaper than the baseline, or than the cheapest that is known to be as good, only such arms are asked. After that, a challenger that is too far behind the best to win is dropped."
		}
		lines = append(lines, line)
	}
	if _, rows := Fixed(r); len(rows) > 0 {
		lines = append(lines, "McNemar, Holm, the bootstrap and the detectable difference (at 5 %, power 80 %) are those of a test with a number of questions that was fixed before. They decide nothing here.")
	}
	if f := r.Repeat; f != nil {
		line := fmt.Sprintf("The noise floor: asked the same again, the baseline was judged otherwise in %d of %d answers (%s", f.Flips, f.Pairs, show.Percent(f.Rate))
		if f.Wilson != nil {
			line += ", 95 % interval " + interval(*f.Wilson)
		}
		lines = append(lines, line+").")
	}
	return lines
}

// askedLess says whether some challenger was left out of questions.
func askedLess(r compare.Result) bool {
	return r.UntilDecided && slices.ContainsFunc(r.Arms, func(a compare.ArmResult) bool {
		return a.Kind == compare.Challenger && a.Identical == "" && a.Full.N < r.Arms[0].Full.N
	})
}

// Strata returns what each arm got right by where the answer stood in the
// retriever's list.
func Strata(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"answer at rank"}
	questions := []string{"questions"}
	for _, s := range r.Strata {
		name := fmt.Sprintf("%d – %d", s.From+1, s.To+1)
		switch {
		case s.From < 0:
			name = "none"
		case s.From == s.To:
			name = strconv.Itoa(s.From + 1)
		}
		columns = append(columns, name)
		questions = append(questions, strconv.Itoa(s.Questions))
	}
	rows = append(rows, questions)
	for i, a := range r.Arms {
		row := []string{ArmName(a)}
		for _, s := range r.Strata {
			cell := fmt.Sprintf("%.1f", 100*s.Arms[i].Accuracy)
			if s.Arms[i].N == 0 {
				cell = "–"
			}
			if i > 0 && s.Arms[i].N == s.Questions {
				cell += fmt.Sprintf(" (%s)", points(s.Arms[i].Accuracy-s.Arms[0].Accuracy))
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// StrataNote says how to read Strata.
const StrataNote = "Right answers in percent. In brackets: the points against the baseline, where both got all questions of the column. This table decides nothing: few questions say little."

// ComparedCounts returns what became of the calls: the sum, and the arms with a call that
// got no ordinary answer.
func ComparedCounts(r compare.Result) (columns []string, rows [][]string) {
	rows = append(rows, countRow("all", r.Counts))
	for _, a := range r.Arms {
		if c := a.Counts; c.Failed+c.Refused+c.Truncated+c.Empty > 0 {
			rows = append(rows, countRow(ArmName(a), c))
		}
	}
	return countColumns("to ask"), rows
}

// CallRule says how failed, refused and unusual calls count, where there are any.
func CallRule(r compare.Result) string {
	if _, rows := ComparedCounts(r); len(rows) == 1 {
		return ""
	}
	rule := "A call that failed for good, or that the server refused, takes its question out of the figures of every arm. The verdict has to hold even if such calls count against it: for reorder, as wrong in the challenger and right in the baseline; for keep, the other way round."
	if r.Unanswered == compare.Wrong {
		rule = "A call that failed for good, or that the server refused, is wrong in its arm."
	}
	return rule + " Answers that were cut off or empty are judged as they stand. An arm without a row got an ordinary answer to every call. A call that several arms share counts in each of them, and once under all."
}

// Caching returns how well a server's cache of prompts serves each arm; no rows where
// nothing is counted.
func Caching(r compare.Result) (columns []string, rows [][]string) {
	columns = []string{"arm", "begins like the baseline", "prompt tokens"}
	cached := cachedTokens(r) > 0
	if cached {
		columns = append(columns, "from the cache")
	}
	if r.Questions.Counted == 0 {
		return columns, nil
	}
	for _, a := range r.Arms {
		c := a.Caching
		row := []string{ArmName(a), show.Percent(c.Common), strconv.Itoa(c.Prompt)}
		switch {
		case !cached:
		case c.Prompt > 0:
			row = append(row, fmt.Sprintf("%d (%s)", c.Cached, show.Percent(float64(c.Cached)/float64(c.Prompt))))
		default:
			row = append(row, strconv.Itoa(c.Cached))
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// cachedTokens are those that the server took out of its cache, by its own word.
func cachedTokens(r compare.Result) int {
	cached := 0
	for _, a := range r.Arms {
		cached += a.Caching.Cached
	}
	return cached
}

// CachingCost says what reordering costs where a server caches prompts; nothing where
// nothing is counted.
func CachingCost(r compare.Result) []string {
	if r.Questions.Counted == 0 {
		return nil
	}
	baseline := show.Line(r.Arms[0].Name)
	var lines []string
	for _, a := range r.Arms {
		if a.Kind != compare.Baseline && a.Name == r.Winner {
			lines = append(lines, fmt.Sprintf("With %s a prompt begins like that of %s for %s of its length. So a server that has the prompt of %s in its cache still has to read the other %s.",
				show.Line(a.Name), baseline, show.Percent(a.Caching.Common), baseline, show.Percent(1-a.Caching.Common)))
		}
	}
	switch {
	case r.Simulated:
		return lines
	case cachedTokens(r) == 0:
		return append(lines, "The server reported no token out of a cache.")
	}
	return append(lines, "The arms of a question are asked one after the other, in the order of this table. So later ones find more in the cache than they would alone.")
}
