package table

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/stats"
)

// comparison has 10 questions: a challenger that wins, one that is identical, and a
// repeat.
func comparison(untilDecided bool) compare.Result {
	against := func(wins, losses int) *compare.Against {
		k := stats.Counts{Wins: wins, Losses: losses, Same: 10 - wins - losses}
		a := &compare.Against{
			Counts: k, Difference: k.Difference(), Discordance: k.Discordance(),
			Sequence: stats.Interval{Low: k.Difference() - 0.25, High: k.Difference() + 0.25},
		}
		if !untilDecided {
			a.Fixed = &compare.Fixed{McNemar: 0.5, Bootstrap: stats.Interval{Low: k.Difference() - 0.125, High: k.Difference() + 0.125}}
		}
		return a
	}
	wilson := func(low, high float64) *stats.Interval {
		if untilDecided {
			return nil
		}
		return &stats.Interval{Low: low, High: high}
	}
	tally := func(correct int) compare.Tally {
		return compare.Tally{N: 10, Correct: correct, Accuracy: float64(correct) / 10, Wilson: wilson(0.111, 0.999)}
	}
	counts := judge.Counts{Planned: 12, Answered: 11, Missing: 1}
	r := compare.Result{
		Model: "m", Decision: compare.Decision{Word: evidence.Reorder, Winner: "=new"}, UntilDecided: untilDecided, Scorer: "s", JudgedBy: "full answer",
		Rule:      evidence.Rule{Alpha: 0.05, Worthwhile: 0.03},
		Questions: compare.Questions{Planned: 12, Counted: 10, Dropped: 1, Missing: 1},
		Arms: []compare.ArmResult{
			{Name: "ranked", Kind: compare.Baseline, Full: tally(6), FirstLine: tally(5), Counts: counts, Caching: compare.Caching{Prompt: 100, Cached: 25, Common: 1}},
			{Name: "=new", Kind: compare.Challenger, Full: tally(8), FirstLine: tally(5), Counts: counts, Against: against(3, 1), Caching: compare.Caching{Prompt: 100, Cached: 5, Common: 0.2}},
			{Name: "twin", Kind: compare.Challenger, Identical: "ranked", Full: tally(6), FirstLine: tally(5), Counts: counts, Against: against(0, 0)},
			{Name: "repeat 1", Kind: compare.Repeat, Full: tally(5), FirstLine: tally(5), Counts: judge.Counts{Planned: 12, Answered: 10, Failed: 1, Missing: 1}, Against: against(0, 1)},
		},
		Repeat: &compare.Flips{Flips: 1, Pairs: 10, Rate: 0.1, Wilson: wilson(0.018, 0.404)},
		Strata: []compare.Stratum{
			{From: 0, To: 0, Questions: 7, Arms: []compare.Tally{{N: 7, Accuracy: 0.5}, {N: 7, Accuracy: 0.75}, {N: 7, Accuracy: 0.5}, {N: 3, Accuracy: 0.25}}},
			{From: 2, To: 4, Questions: 2, Arms: make([]compare.Tally, 4)},
			{From: -1, To: -1, Questions: 1, Arms: make([]compare.Tally, 4)},
		},
		Spent: journal.Spent{Requests: 33, Usage: model.Usage{Prompt: 400, Completion: 20, Cached: 30}},
	}
	r.Arms[1].Against.Sequential = &evidence.Standing{Units: 10, LogE: math.Log(25), P: 0.04, LogDown: -50, Sequence: r.Arms[1].Against.Sequence}
	if !untilDecided {
		holm, least := 0.5, 0.234
		r.Arms[1].Against.Fixed.Holm, r.Arms[1].Against.Fixed.Detectable = &holm, &least
	}
	return r
}

func joined(rows [][]string) string {
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	return strings.Join(lines, "\n")
}

func all(columns []string, rows [][]string) string {
	return joined(append([][]string{columns}, rows...))
}

func TestComparisonTables(t *testing.T) {
	t.Parallel()
	r := comparison(false)
	for _, c := range []struct{ name, got, want string }{
		{"right", all(Compared(r)), `arm|n|right|full answer (95 %)|first line (95 %)
ranked (baseline)|10|6|60.0 % (11.1 – 99.9)|50.0 % (11.1 – 99.9)
=new|10|8|80.0 % (11.1 – 99.9)|50.0 % (11.1 – 99.9)
twin|10|6|60.0 % (11.1 – 99.9)|50.0 % (11.1 – 99.9)
repeat 1|10|5|50.0 % (11.1 – 99.9)|50.0 % (11.1 – 99.9)`},
		{"differences", all(Differences(r)), `against baseline|points|95 % sequence|wins|losses|same|differ
=new|+20.0|−5.0 to +45.0|3|1|6|40.0 %
repeat 1|−10.0|−35.0 to +15.0|0|1|9|10.0 %`},
		{"identical", strings.Join(Identical(r), "\n"), "twin is identical to ranked: it gives the same prompts for every list, and takes no calls of its own."},
		{"evidence", all(Evidence(r)), `challenger|e for a gain|anytime p|e against +3 points
=new|25|0.0400|10^−22`},
		{"fixed", all(Fixed(r)), `against baseline|McNemar p|Holm p|95 % bootstrap|detectable points
=new|0.5000|0.5000|+7.5 to +32.5|23.4
repeat 1|0.5000|–|−22.5 to +2.5|–`},
		{"strata", all(Strata(r)), `answer at rank|1|3 – 5|none
questions|7|2|1
ranked (baseline)|50.0|–|–
=new|75.0 (+25.0)|–|–
twin|50.0 (0.0)|–|–
repeat 1|25.0|–|–`},
		{"counts", all(ComparedCounts(r)), `calls|to ask|answered|failed|unasked|refused|cut off|empty
all|0|0|0|0|0|0|0
repeat 1|12|10|1|1|0|0|0`},
		{"caching", all(Caching(r)), `arm|begins like the baseline|prompt tokens|from the cache
ranked (baseline)|100.0 %|100|25 (25.0 %)
=new|20.0 %|100|5 (5.0 %)
twin|0.0 %|0|0
repeat 1|0.0 %|0|0`},
		{"behind", BehindComparison(r), "The figures are those of 10 questions of 12 planned; 1 left out, because a call failed or was refused; 1 not finished yet. The full answer is scored by s."},
		{"spending", Spending(r), "The run took 33 requests, 400 tokens of prompts (30 of them out of the server's cache) and 20 tokens of answers. What that cost is not known: give --price-prompt and --price-answer with the command that asks, and it is told here."},
		{"cost of caching", CachingCost(r)[0], "With =new a prompt begins like that of ranked for 20.0 % of its length. So a server that has the prompt of ranked in its cache still has to read the other 80.0 %."},
		{"rule", CallRule(r)[:73], "A call that failed for good, or that the server refused, takes its questi"},
	} {
		if c.got != c.want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", c.name, c.want, c.got)
		}
	}
	r.Unanswered = compare.Wrong
	if got := CallRule(r); !strings.Contains(got, "is wrong in its arm") {
		t.Errorf("the other rule: %s", got)
	}
}

// Where questions were asked until the answer was known, nothing is said that holds
// for a fixed number alone.
func TestUntilDecided(t *testing.T) {
	t.Parallel()
	for _, until := range []bool{true, false} {
		r := comparison(until)
		text, err := ComparisonCSV(r)
		if err != nil {
			t.Fatal(err)
		}
		outputs := map[string]string{
			"right": all(Compared(r)), "differences": all(Differences(r)), "evidence": all(Evidence(r)),
			"fixed": joined(second(Fixed(r))), "how": strings.Join(How(r), "\n"), "CSV": strings.SplitN(string(text), "\n", 2)[1],
		}
		for name, bad := range map[string]string{
			"right": "(95 %)", "fixed": "0.5000", "how": "McNemar", "CSV": "0.1110",
		} {
			if got := strings.Contains(outputs[name], bad); got == until {
				t.Errorf("until decided %v: %s holds %q: %v\n%s", until, name, bad, got, outputs[name])
			}
		}
		if got := strings.Contains(outputs["how"], "95 % interval"); got == until {
			t.Errorf("until decided %v: interval of the repeats: %v", until, got)
		}
		if sequence := outputs["differences"] + outputs["evidence"]; strings.Count(sequence, "95 % sequence") != 1 || !strings.Contains(sequence, "−5.0 to +45.0") {
			t.Errorf("until decided %v: the confidence sequence does not stand there once:\n%s", until, sequence)
		}
	}
}

func second(_ []string, rows [][]string) [][]string { return rows }

func TestComparisonCSV(t *testing.T) {
	t.Parallel()
	r := comparison(false)
	r.Simulated, r.SameQuestions, r.Model = true, true, "@SUM(1)\x1b"
	text, err := ComparisonCSV(r)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll() // all of one length
	if err != nil || len(lines) != 5 {
		t.Fatalf("%d lines, error %v", len(lines), err)
	}
	cell := func(line int, column string) string {
		for i, name := range lines[0] {
			if name == column {
				return lines[line][i]
			}
		}
		t.Fatalf("no column %s", column)
		return ""
	}
	for _, c := range []struct {
		line         int
		column, want string
	}{
		{1, "simulated", "simulated"},
		{1, "same_questions", "fitted on the same questions"},
		{1, "model", `'@SUM(1)\x1b`},
		{1, "wins", ""},
		{1, "low", "0.1110"},
		{2, "arm", "'=new"},
		{2, "winner", "yes"},
		{2, "difference", "0.2"},
		{2, "sequence_low", "-0.05"},
		{2, "anytime_p", "0.04"},
		{2, "holm_p", "0.5"},
		{2, "bootstrap_high", "0.325"},
		{2, "detectable", "0.234"},
		{2, "begins_like_baseline", "0.2000"},
		{3, "identical", "ranked"},
		{4, "failed", "1"},
		{4, "holm_p", ""},
	} {
		if got := cell(c.line, c.column); got != c.want {
			t.Errorf("line %d, %s (-want +got)\n-%s\n+%s", c.line, c.column, c.want, got)
		}
	}
}

func TestNothingCounted(t *testing.T) {
	t.Parallel()
	r := comparison(true)
	r.Questions.Counted, r.Strata, r.Repeat = 0, nil, nil
	for i := range r.Arms {
		if r.Arms[i].Against != nil {
			r.Arms[i].Against = &compare.Against{}
		}
	}
	_, right := Compared(r)
	_, caching := Caching(r)
	_, evidence := Evidence(r)
	if len(right)+len(caching)+len(evidence)+len(How(r))+len(CachingCost(r)) != 0 {
		t.Errorf("something is said about nothing: %q %q %q %q", right, caching, evidence, How(r))
	}
	if _, rows := Differences(r); joined(rows) != "=new|–|–|0|0|0|–\nrepeat 1|–|–|0|0|0|–" {
		t.Errorf("differences of nothing:\n%s", joined(rows))
	}
	if _, err := ComparisonCSV(r); err != nil {
		t.Error(err)
	}
}
