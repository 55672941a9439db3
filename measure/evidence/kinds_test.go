package evidence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// kindsCell is a comparison over kinds, whose true gains are known: of each kind, of each
// of its challengers.
type kindsCell struct {
	name      string
	gains     [][]float64
	rule      evidence.Rule
	questions int // of each kind
	askOn     bool
	named     int     // the kind that must be named Reorder
	least     float64 // in what share of the runs at least
	median    int     // questions of each kind until that, at most; 0: not asked for
}

// kindsRun says what one simulated comparison said first of each kind, after how many
// questions of it, and whether any look of any kind was wrong.
type kindsRun struct {
	words                              []evidence.Word
	after                              []int
	wrongReorder, wrongKeep, wrongGood bool
	good                               []int // questions until some challenger was no worse; 0: none
}

// run simulates as Calibrate does: a baseline that is right on half of the questions.
func (c kindsCell) run(t *testing.T, discordance float64, seed, run uint64) kindsRun {
	t.Helper()
	trials, err := evidence.NewTrials(c.rule, len(c.gains[0]), len(c.gains))
	if err != nil {
		t.Fatal(err)
	}
	draw := rand.New(rand.NewPCG(seed, run))
	r := kindsRun{
		words: make([]evidence.Word, len(trials)), after: make([]int, len(trials)), good: make([]int, len(trials)),
	}
	for n := 1; n <= c.questions; n++ {
		for kind, trial := range trials {
			if !c.askOn && r.words[kind] != "" {
				continue
			}
			right := draw.IntN(2) == 1
			for i, gain := range c.gains[kind] {
				turned, difference := discordance+gain, 1.0
				if right {
					turned, difference = discordance-gain, -1
				}
				if draw.Float64() >= turned {
					difference = 0
				}
				if err := trial.Add(i, difference, difference); err != nil {
					t.Fatal(err)
				}
			}
			r.look(c, kind, n, trials)
		}
	}
	return r
}

func (r *kindsRun) look(c kindsCell, asked, n int, trials []*evidence.Trial) {
	for kind, trial := range trials {
		if !c.askOn && r.words[kind] != "" {
			continue
		}
		for i, gain := range c.gains[kind] {
			if trial.NoWorse(i) {
				r.wrongGood = r.wrongGood || gain <= -c.rule.NoWorse
				if r.good[kind] == 0 {
					r.good[kind] = n
				}
			}
		}
		word := trial.Look()
		if word == evidence.Inconclusive {
			continue
		}
		if word == evidence.Reorder { // no row has a kind with gains of both signs
			r.wrongReorder = r.wrongReorder || slices.Max(c.gains[kind]) <= 0
		} else {
			r.wrongKeep = r.wrongKeep || slices.Max(c.gains[kind]) >= c.rule.Worthwhile
		}
		if r.words[kind] == "" && kind == asked {
			r.words[kind], r.after[kind] = word, n
		}
	}
}

// Words for kinds of questions, and how often one of them is wrong in any kind.
//
//	go test ./measure/evidence -run KindsCalibration -v -calibration.runs 2000
func TestKindsCalibration(t *testing.T) {
	t.Parallel()
	three := evidence.Rule{Worthwhile: 0.03}
	null := func(kinds, challengers int) [][]float64 {
		gains := make([][]float64, kinds)
		for i := range gains {
			gains[i] = make([]float64, challengers)
		}
		return gains
	}
	cells := []kindsCell{
		{name: "+8 and −8 points", gains: [][]float64{{.08}, {-.08}}, rule: three, questions: 800, named: 0, least: 0.95},
		{name: "+8, −8, and six with nothing", gains: append([][]float64{{.08}, {-.08}}, null(6, 1)...), rule: three, questions: 800, named: 0, least: 0.9},
		{name: "two with nothing", gains: null(2, 1), rule: three, questions: 800, askOn: true},
		{name: "eight with nothing", gains: null(8, 1), rule: three, questions: 800, askOn: true},
		{name: "three with nothing, three challengers", gains: null(3, 3), rule: three, questions: 800, askOn: true},
		{name: "exactly the worthwhile gain in each of five", gains: [][]float64{{.03}, {.03}, {.03}, {.03}, {.03}}, rule: three, questions: 800, askOn: true},
		{name: "exactly the worthwhile gain in one of five", gains: append([][]float64{{.03}}, null(4, 1)...), rule: three, questions: 800, askOn: true},
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| true gains by kind\t| looks\t| first kind: reorder\t| keep\t| any wrong reorder\t| any wrong keep\t| median questions of the first kind\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 7)+"|")
	runs := *calibrationRuns
	for i, cell := range cells {
		named, kept, wrongReorder, wrongKeep := 0, 0, 0, 0
		var after []int
		for run := range runs {
			r := cell.run(t, 0.15, uint64(i+1), uint64(run))
			named += one(r.words[cell.named] == evidence.Reorder)
			kept += one(r.words[cell.named] == evidence.Keep)
			wrongReorder += one(r.wrongReorder)
			wrongKeep += one(r.wrongKeep)
			if r.words[cell.named] != "" {
				after = append(after, r.after[cell.named])
			}
		}
		slices.Sort(after)
		median := "none"
		if half := (runs - 1) / 2; half < len(after) {
			median = fmt.Sprint(after[half])
		}
		looks := "to the word"
		if cell.askOn {
			looks = "all"
		}
		share := func(n int) float64 { return float64(n) / float64(runs) }
		fmt.Fprintf(table, "| %s\t| %s\t| %.1f\t| %.1f\t| %.1f\t| %.1f\t| %s\t|\n", cell.name, looks, 100*share(named), 100*share(kept), 100*share(wrongReorder), 100*share(wrongKeep), median)
		if share(named) < cell.least-slackOf(cell.least, runs) {
			t.Errorf("%s: the kind is named in %.3f, want at least %.2f", cell.name, share(named), cell.least)
		}
		if most := 0.05 + slackOf(0.05, runs); share(wrongReorder) > most || share(wrongKeep) > most {
			t.Errorf("%s: wrong reorder %.3f, wrong keep %.3f", cell.name, share(wrongReorder), share(wrongKeep))
		}
	}
	table.Flush()
	t.Logf("%d simulated comparisons a row, discordance .15, 3 points worthwhile, at most 800 questions of each kind:\n%s", runs, text.String())
}

// Whether a challenger is no worse, and how often that is wrong.
//
//	go test ./measure/evidence -run NoWorseCalibration -v -calibration.runs 2000
func TestNoWorseCalibration(t *testing.T) {
	t.Parallel()
	rule := func(margin float64) evidence.Rule { return evidence.Rule{Worthwhile: 0.03, NoWorse: margin} }
	cells := []kindsCell{
		{name: "alike", gains: [][]float64{{0}}, rule: rule(.03), questions: 5000, median: 1080},
		{name: "alike", gains: [][]float64{{0}}, rule: rule(.05), questions: 5000, median: 390},
		{name: "three alike", gains: [][]float64{{0, 0, 0}}, rule: rule(.03), questions: 5000},
		{name: "exactly the margin", gains: [][]float64{{-.03}}, rule: rule(.03), questions: 3000},
		{name: "exactly the margin", gains: [][]float64{{-.05}}, rule: rule(.05), questions: 3000},
		{name: "five at the margin", gains: [][]float64{{-.03, -.03, -.03, -.03, -.03}}, rule: rule(.03), questions: 3000},
		{name: "one at the margin, three alike", gains: [][]float64{{-.03, 0, 0, 0}}, rule: rule(.03), questions: 3000},
		{name: "three kinds, two at the margin in each", gains: [][]float64{{-.03, -.03}, {-.03, -.03}, {-.03, -.03}}, rule: rule(.03), questions: 1500},
		{name: "three kinds, alike in one, at the margin in two", gains: [][]float64{{0}, {-.03}, {-.03}}, rule: rule(.03), questions: 3000},
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| true gains\t| margin\t| questions\t| wrongly as good\t| some as good\t| median questions\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 6)+"|")
	runs := *calibrationRuns
	for i, cell := range cells {
		cell.askOn = true
		wrong := 0
		var after []int
		for run := range runs {
			r := cell.run(t, 0.15, uint64(i+1), uint64(run))
			wrong += one(r.wrongGood)
			if r.good[0] > 0 {
				after = append(after, r.good[0])
			}
		}
		slices.Sort(after)
		median := "none"
		half := (runs - 1) / 2
		if half < len(after) {
			median = fmt.Sprint(after[half])
		}
		share := func(n int) float64 { return float64(n) / float64(runs) }
		fmt.Fprintf(table, "| %s\t| %.2f\t| %d\t| %.1f\t| %.1f\t| %s\t|\n", cell.name, cell.rule.NoWorse, cell.questions, 100*share(wrong), 100*share(len(after)), median)
		if share(wrong) > 0.05+slackOf(0.05, runs) {
			t.Errorf("%s, margin %v: wrongly as good in %.3f", cell.name, cell.rule.NoWorse, share(wrong))
		}
		if cell.median > 0 && (half >= len(after) || float64(after[half]) > float64(cell.median)*(1+slackOf(0.5, runs))) {
			t.Errorf("%s, margin %v: median %s questions, want at most %d", cell.name, cell.rule.NoWorse, median, cell.median)
		}
	}
	table.Flush()
	t.Logf("%d simulated comparisons a row, discordance .15:\n%s", runs, text.String())
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// slackOf is five standard errors of a share where few runs are asked for.
func slackOf(share float64, runs int) float64 {
	if runs >= 600 {
		return 0
	}
	return 5 * math.Sqrt(share*(1-share)/float64(runs))
}

// One kind is a plain trial, and what other kinds say makes a word no easier.
func TestKindsShareABudget(t *testing.T) {
	t.Parallel()
	trials := func(kinds int) []*evidence.Trial {
		all, err := evidence.NewTrials(evidence.Rule{Worthwhile: 0.03, NoWorse: 0.03}, 1, kinds)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	// until adds one value to the first kind until it says something.
	until := func(all []*evidence.Trial, value float64, said func() bool) int {
		for n := 1; n < 100_000; n++ {
			if err := all[0].Add(0, value, value); err != nil {
				t.Fatal(err)
			}
			if said() {
				return n
			}
		}
		return 0
	}
	for name, c := range map[string]struct {
		value float64
		said  func(*evidence.Trial) bool
	}{
		"reorder":  {1, func(t *evidence.Trial) bool { return t.Look() == evidence.Reorder }},
		"keep":     {0, func(t *evidence.Trial) bool { return t.Look() == evidence.Keep }},
		"no worse": {0, func(t *evidence.Trial) bool { return t.NoWorse(0) }},
	} {
		last := 0
		for _, kinds := range []int{1, 2, 8} {
			all := trials(kinds)
			n := until(all, c.value, func() bool { return c.said(all[0]) })
			if n <= last {
				t.Errorf("%s: after %d questions of a kind with %d others, after %d with fewer", name, n, kinds-1, last)
			}
			last = n
		}
	}
	plain := trials(1)[0]
	other, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 7 {
		for _, trial := range []*evidence.Trial{plain, other} {
			if err := trial.Add(0, 1, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a, b := plain.Verdict().Challengers[0].LogE, other.Verdict().Challengers[0].LogE; a != b {
		t.Errorf("e of one kind %v, of a trial %v", a, b)
	}
}

// Who loses too much is worse, who does not is not, and nothing is said without a margin.
func TestNoWorseAndWorse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		margin, value    float64
		noWorse, isWorse bool
	}{
		{0.03, 0, true, false}, {0.03, 1, true, false}, {0.03, -1, false, true}, {0, 0, false, false}, {0, -1, false, false},
	} {
		trial := newTrial(t, evidence.Rule{Worthwhile: 0.03, NoWorse: c.margin}, 2)
		if trial.NoWorse(0) || trial.Worse(0) {
			t.Errorf("margin %v: something is said of nothing", c.margin)
		}
		for range 400 {
			if err := trial.Add(0, c.value, c.value); err != nil {
				t.Fatal(err)
			}
		}
		if trial.NoWorse(0) != c.noWorse || trial.Worse(0) != c.isWorse || trial.NoWorse(1) || trial.Worse(1) {
			t.Errorf("margin %v, all at %v: no worse %v, worse %v", c.margin, c.value, trial.NoWorse(0), trial.Worse(0))
		}
		standing := trial.Verdict().Challengers[0]
		if standing.NoWorse != c.noWorse || standing.Worse != c.isWorse || (standing.LogNoWorse != nil) != (c.margin > 0) {
			t.Errorf("margin %v, all at %v: standing %+v", c.margin, c.value, standing)
		}
	}
	for _, margin := range []float64{-0.01, 1, math.NaN()} {
		if _, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03, NoWorse: margin}, 1); err == nil {
			t.Errorf("a margin of %v is taken", margin)
		}
	}
	if _, err := evidence.NewTrials(evidence.Rule{Worthwhile: 0.03}, 1, 0); err == nil {
		t.Error("no kind is taken")
	}
}
