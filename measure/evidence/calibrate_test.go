package evidence_test

import (
	"flag"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// go test ./measure/evidence -run Calibration -v -calibration.runs 2000
var calibrationRuns = flag.Int("calibration.runs", 60, "simulated comparisons for each row of the calibration table")

// calibrationCell is one row of the table, with what must hold in it.
type calibrationCell struct {
	name     string
	settings evidence.CalibrationSettings
	// The largest shares of the runs with a wrong word at any look.
	wrongReorder, wrongKeep float64
	median                  int     // at most; 0: not asked for
	decided                 float64 // at least, by the cap
	seldom                  bool    // only where many runs are asked for
}

// missed is the largest share of runs in which some sequence does not hold the truth.
func (c calibrationCell) missed() float64 {
	if c.settings.Apart {
		return 1
	}
	return 0.05
}

func calibrationCells(runs int) []calibrationCell {
	const points = 0.01
	var cells []calibrationCell
	add := func(c calibrationCell) {
		c.settings.Runs, c.settings.Seed = runs, uint64(len(cells)+1)
		cells = append(cells, c)
	}
	of := func(discordance, worthwhile float64, questions int, gains ...float64) evidence.CalibrationSettings {
		return evidence.CalibrationSettings{
			Challengers: gains, Discordance: discordance, Rule: evidence.Rule{Worthwhile: worthwhile}, Questions: questions,
		}
	}
	askOn := func(s evidence.CalibrationSettings) evidence.CalibrationSettings { s.AskOn = true; return s }
	for _, discordance := range []float64{0.05, 0.15, 0.30} {
		add(calibrationCell{name: "no difference", settings: askOn(of(discordance, 3*points, 3000, 0)), wrongReorder: 0.05})
	}
	for _, worthwhile := range []float64{2 * points, 3 * points, 5 * points} {
		add(calibrationCell{name: "exactly the worthwhile gain", settings: askOn(of(0.15, worthwhile, 3000, worthwhile)), wrongKeep: 0.05})
	}
	add(calibrationCell{name: "five null", settings: askOn(of(0.15, 3*points, 3000, 0, 0, 0, 0, 0)), wrongReorder: 0.05})
	add(calibrationCell{name: "12 points", settings: of(0.15, 3*points, 3000, 12*points), wrongKeep: 0.05, median: 90, decided: 0.95})
	add(calibrationCell{name: "12 points and four null", settings: of(0.15, 3*points, 3000, 12*points, 0, 0, 0, 0), wrongReorder: 0.05, wrongKeep: 0.05, median: 130, decided: 0.95})
	add(calibrationCell{name: "5 points", settings: of(0.15, 3*points, 3000, 5*points), wrongKeep: 0.05, median: 400, decided: 0.95})
	add(calibrationCell{name: "5 points", settings: of(0.15, 3*points, 700, 5*points), wrongKeep: 0.05, median: 400, decided: 0.80})
	add(calibrationCell{name: "loses 5 points", settings: askOn(of(0.15, 3*points, 3000, -5*points)), wrongReorder: 0.01})
	// Questions that hang together: counted as clusters, and what is wrong with counting
	// them apart.
	for _, copies := range []int{2, 5, 10} {
		s := askOn(of(0.15, 3*points, 1000, 0))
		s.Copies = copies
		add(calibrationCell{name: fmt.Sprintf("no difference, %d copies, one cluster", copies), settings: s, wrongReorder: 0.05, seldom: copies != 5})
		s.Apart = true
		add(calibrationCell{name: fmt.Sprintf("no difference, %d copies, counted apart", copies), settings: s, wrongReorder: 1, seldom: true})
	}
	// Challengers that are added later: all in one trial from the start, and as they are
	// added, in a new trial each time in which they are Trial.Late.
	late := askOn(of(0.15, 3*points, 2400, make([]float64, 10)...))
	late.Late = 200
	add(calibrationCell{name: "ten null, one more every 200, one trial", settings: late, wrongReorder: 0.05})
	late.Anew = true
	add(calibrationCell{name: "ten null, one more every 200, late ones by a quarter", settings: late, wrongReorder: 0.05, seldom: true})
	// Calls that fail because of what they would have answered.
	for _, missing := range []evidence.Missing{
		{Share: 0.2}, {Share: 0.2, Right: true}, {Share: 0.2, Baseline: true}, {Share: 0.2, Baseline: true, Right: true},
	} {
		arm, answers := "the challenger's", "wrong"
		if missing.Baseline {
			arm = "the baseline's"
		}
		if missing.Right {
			answers = "right"
		}
		name := fmt.Sprintf("20 %% of %s %s answers fail", arm, answers)
		s := askOn(of(0.15, 3*points, 3000, 0))
		s.Missing = missing
		add(calibrationCell{name: "no difference, " + name, settings: s, wrongReorder: 0.05})
		s = askOn(of(0.15, 3*points, 3000, 3*points))
		s.Missing = missing
		add(calibrationCell{name: "exactly the worthwhile gain, " + name, settings: s, wrongKeep: 0.05})
	}
	return cells
}

// Every row is seeded, so that one number of runs gives the same counts each time.
// For numbers of runs that nobody has tried, a limit is moved out by five standard
// errors of the share that is counted, which chance crosses less than once in a
// million, and a median by half; from 2,000 runs on the limits stand as they are.
func TestCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| true gains\t| discordance\t| worthwhile\t| questions\t| looks\t| reorder\t| keep\t| inconclusive\t| wrong reorder\t| wrong keep\t| ever wrong reorder\t| ever wrong keep\t| ever missed\t| median\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 14)+"|")
	for _, cell := range calibrationCells(*calibrationRuns) {
		if cell.seldom && *calibrationRuns < 500 {
			continue
		}
		c, err := evidence.Calibrate(cell.settings)
		if err != nil {
			t.Fatalf("%s: %v", cell.name, err)
		}
		looks, median := "to the word", "none"
		if cell.settings.AskOn {
			looks = "all"
		}
		if c.Median > 0 {
			median = fmt.Sprint(c.Median)
		}
		fmt.Fprintf(table, "| %s\t| %.2f\t| %.2f\t| %d\t| %s\t", cell.name, cell.settings.Discordance, cell.settings.Rule.Worthwhile, cell.settings.Questions, looks)
		for _, n := range []int{c.Reorder, c.Keep, c.Inconclusive, c.WrongReorder, c.WrongKeep, c.EverWrongReorder, c.EverWrongKeep, c.EverMissed} {
			fmt.Fprintf(table, "| %.1f\t", 100*c.Share(n))
		}
		fmt.Fprintf(table, "| %s\t|\n", median)

		slack, longest := 0.0, float64(cell.median)
		if *calibrationRuns < 2000 {
			slack, longest = 5/math.Sqrt(float64(c.Runs)), 1.5*longest
		}
		errorOf := func(share float64) float64 { return slack * math.Sqrt(share*(1-share)) }
		for _, line := range []struct {
			what       string
			share, max float64
		}{
			{"wrong reorder", c.Share(c.EverWrongReorder), cell.wrongReorder + errorOf(cell.wrongReorder)},
			{"wrong keep", c.Share(c.EverWrongKeep), cell.wrongKeep + errorOf(cell.wrongKeep)},
			{"missed the true gain", c.Share(c.EverMissed), cell.missed() + errorOf(0.05)},
			{"undecided", c.Share(c.Inconclusive), 1 - cell.decided + errorOf(cell.decided)},
		} {
			if line.share > line.max {
				t.Errorf("%s, worthwhile %g: %s in %.1f %% of runs, want at most %.1f %%", cell.name, cell.settings.Rule.Worthwhile, line.what, 100*line.share, 100*line.max)
			}
		}
		if cell.median > 0 && (c.Median == 0 || float64(c.Median) > longest) {
			t.Errorf("%s: a median of %s questions, want at most %.0f", cell.name, median, longest)
		}
	}
	table.Flush()
	t.Logf("per cent of %d simulated comparisons, alpha .05:\n%s", *calibrationRuns, text.String())
}

func calibrate(t *testing.T, s evidence.CalibrationSettings) evidence.Calibration {
	t.Helper()
	c, err := evidence.Calibrate(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCalibrateCountsEachRunOnce(t *testing.T) {
	t.Parallel()
	settings := evidence.CalibrationSettings{
		Challengers: []float64{0.02, 0, 0}, Discordance: 0.2, Rule: evidence.Rule{Alpha: 0.3, Worthwhile: 0.1}, Questions: 150, Runs: 100, Seed: 3,
	}
	for _, askOn := range []bool{false, true} {
		settings.AskOn = askOn
		got := calibrate(t, settings)
		if got.Runs != 100 || got.Reorder+got.Keep+got.Inconclusive != 100 || got.Decided() != 100-got.Inconclusive {
			t.Errorf("got %+v, want each of 100 runs once", got)
		}
		if got.Reorder < 10 || got.Keep < 10 || got.Inconclusive < 10 || got.WrongReorder < 1 || got.WrongKeep != 0 {
			t.Errorf("got %+v, want some of each word, a wrong reorder, and no wrong keep: no gain is worthwhile", got)
		}
		if again := calibrate(t, settings); again != got {
			t.Errorf("the same settings gave %+v and %+v", got, again)
		}
	}
	before := calibrate(t, settings)
	settings.Seed++
	if other := calibrate(t, settings); other == before {
		t.Errorf("another seed gave the same counts: %+v", other)
	}
}

// The first word counts, whether or not one asks on.
func TestCalibrateAskOnChangesNoFirstWord(t *testing.T) {
	t.Parallel()
	settings := evidence.CalibrationSettings{
		Challengers: []float64{0.1, 0}, Discordance: 0.2, Rule: evidence.Rule{Alpha: 0.4, Worthwhile: 0.1}, Questions: 300, Runs: 100, Seed: 5,
	}
	stopped := calibrate(t, settings)
	settings.AskOn = true
	on := calibrate(t, settings)
	if stopped.WrongKeep < 1 || stopped.WrongReorder < 1 {
		t.Errorf("one gains just what is worthwhile, one nothing: got %+v, want both mistakes at this alpha", stopped)
	}
	if stopped.EverWrongReorder != stopped.WrongReorder || stopped.EverWrongKeep != stopped.WrongKeep {
		t.Errorf("stopped at its word: got %+v, want no mistake after it", stopped)
	}
	if on.EverWrongReorder <= on.WrongReorder && on.EverWrongKeep <= on.WrongKeep {
		t.Errorf("asked on: got %+v, want further mistakes", on)
	}
	on.EverWrongReorder, on.EverWrongKeep, on.EverMissed = stopped.EverWrongReorder, stopped.EverWrongKeep, stopped.EverMissed
	if on != stopped {
		t.Errorf("(-stopped +asked on)\n-%+v\n+%+v", stopped, on)
	}
}

// What is certain comes out certain: a challenger that wins every other question,
// and one that loses them.
func TestCalibrateOfCertainties(t *testing.T) {
	t.Parallel()
	settings := evidence.CalibrationSettings{Challengers: []float64{0.5}, Discordance: 0.5, Rule: evidence.Rule{Worthwhile: 0.4}, Questions: 100, Runs: 41}
	won := calibrate(t, settings)
	// e+ passes 20 at the eighth win without a loss, which takes 16 questions.
	if won.Reorder != 41 || won.WrongReorder != 0 || won.Median < 12 || won.Median > 20 {
		t.Errorf("wins half: got %+v, want reorder after about 16 questions", won)
	}
	settings.Challengers[0] = -0.5
	if lost := calibrate(t, settings); lost.Keep != 41 || lost.WrongKeep != 0 {
		t.Errorf("loses half: got %+v, want keep", lost)
	}
	settings.Questions = 2
	if short := calibrate(t, settings); short.Inconclusive != 41 || short.Decided() != 0 || short.Median != 0 {
		t.Errorf("2 questions: got %+v, want nothing decided and no median", short)
	}
}

// Copies that are counted apart are evidence that is not there; one cluster each, they are
// as many as the questions.
func TestCalibrateCopies(t *testing.T) {
	t.Parallel()
	s := evidence.CalibrationSettings{
		Challengers: []float64{0}, Discordance: 0.3, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 100, Runs: 200, Seed: 6, AskOn: true,
	}
	once := calibrate(t, s)
	s.Copies = 10
	if clustered := calibrate(t, s); clustered != once {
		t.Errorf("one cluster each: got %+v, want %+v", clustered, once)
	}
	s.Apart = true
	if apart := calibrate(t, s); apart.EverWrongReorder < 50 {
		t.Errorf("ten copies counted apart: wrong in %d of 200 runs, want many", apart.EverWrongReorder)
	}
}

// What fails because it would be wrong looks like a gain, if one leaves it out: here it
// counts as the whole range, and no run is decided by it.
func TestCalibrateMissing(t *testing.T) {
	t.Parallel()
	s := evidence.CalibrationSettings{
		Challengers: []float64{0}, Discordance: 0.15, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 400, Runs: 50, Seed: 7,
		Missing: evidence.Missing{Share: 0.2},
	}
	for _, tt := range []struct {
		missing   evidence.Missing
		mayKeep   bool // since counting what failed for the challenger changes nothing
		mayChange bool // since counting it against the challenger changes nothing
	}{
		{evidence.Missing{Share: 0.2}, false, true},
		{evidence.Missing{Share: 0.2, Right: true}, true, false},
		{evidence.Missing{Share: 0.2, Baseline: true}, true, false},
		{evidence.Missing{Share: 0.2, Baseline: true, Right: true}, false, true},
	} {
		s.Missing = tt.missing
		if c := calibrate(t, s); c.Keep > 0 && !tt.mayKeep || c.Reorder > 0 && !tt.mayChange || c.Reorder > 6 {
			t.Errorf("%+v: got %+v", s.Missing, c)
		}
	}
	s.Missing = evidence.Missing{Share: 1, Right: true}
	s.Challengers[0] = 0.15
	if c := calibrate(t, s); c.Inconclusive != 50 {
		t.Errorf("all right answers of the better challenger fail: got %+v, want inconclusive", c)
	}
}

// A challenger that is added late wins late, whether or not the trial begins anew.
func TestCalibrateLate(t *testing.T) {
	t.Parallel()
	s := evidence.CalibrationSettings{
		Challengers: []float64{-0.4, 0.5}, Discordance: 0.5, Rule: evidence.Rule{Worthwhile: 0.4}, Questions: 100, Runs: 40, Seed: 8,
	}
	early := calibrate(t, s)
	s.Late = 50
	late := calibrate(t, s)
	s.Anew = true
	anew := calibrate(t, s)
	if early.Reorder != 40 || early.Median > 30 || late.Reorder < 39 || late.Median < early.Median+40 || late.Median > early.Median+60 || anew.Keep < 39 {
		t.Errorf("one loses, one wins: got %+v from the start, %+v after 50 questions, and %+v anew, which has kept by then", early, late, anew)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	t.Parallel()
	good := evidence.CalibrationSettings{Challengers: []float64{0.05}, Discordance: 0.15, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 10, Runs: 1}
	calibrate(t, good)
	for _, tt := range []struct {
		fields []string
		spoil  func(*evidence.CalibrationSettings)
	}{
		{[]string{"Runs"}, func(s *evidence.CalibrationSettings) { s.Runs = 0 }},
		{[]string{"Questions"}, func(s *evidence.CalibrationSettings) { s.Questions = 0 }},
		{[]string{"challengers"}, func(s *evidence.CalibrationSettings) { s.Challengers = nil }},
		{[]string{"Challengers"}, func(s *evidence.CalibrationSettings) { s.Challengers = []float64{0.16} }},
		{[]string{"Challengers"}, func(s *evidence.CalibrationSettings) { s.Challengers = []float64{-0.16} }},
		{[]string{"Challengers"}, func(s *evidence.CalibrationSettings) { s.Challengers = []float64{math.NaN()} }},
		{[]string{"Challengers"}, func(s *evidence.CalibrationSettings) { s.Discordance = 0.96 }},
		{[]string{"Discordance", "Challengers"}, func(s *evidence.CalibrationSettings) { s.Discordance = 0 }},
		{[]string{"Discordance", "Challengers"}, func(s *evidence.CalibrationSettings) { s.Discordance = 15 }},
		{[]string{"Copies"}, func(s *evidence.CalibrationSettings) { s.Copies = -1 }},
		{[]string{"Missing.Share"}, func(s *evidence.CalibrationSettings) { s.Missing.Share = 20 }},
		{[]string{"Late"}, func(s *evidence.CalibrationSettings) { s.Late = -1 }},
		{[]string{"Late"}, func(s *evidence.CalibrationSettings) { s.Anew = true }},
		{[]string{"Alpha", "Worthwhile", "Runs"}, func(s *evidence.CalibrationSettings) { s.Rule, s.Runs = evidence.Rule{Alpha: 2}, -1 }},
	} {
		settings := good
		tt.spoil(&settings)
		_, err := evidence.Calibrate(settings)
		if got := fieldsOf(err); !reflect.DeepEqual(got, tt.fields) {
			t.Errorf("%+v: got %v (%v), want %v", settings, got, err, tt.fields)
		}
	}
}

func BenchmarkCalibrate(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := evidence.Calibrate(evidence.CalibrationSettings{
			Challengers: []float64{0.05}, Discordance: 0.15, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 3000, Runs: 10,
		}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleCalibrate() {
	c, err := evidence.Calibrate(evidence.CalibrationSettings{
		Challengers: []float64{0.12}, Discordance: 0.15, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 700, Runs: 100, Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("decided in most runs: %t\n", c.Share(c.Decided()) > 0.9)
	fmt.Printf("with fewer than 90 questions in most: %t\n", c.Median < 90)
	// Output:
	// decided in most runs: true
	// with fewer than 90 questions in most: true
}
