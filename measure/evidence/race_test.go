package evidence_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// What asking costs where challengers are left behind, with four controls on the first
// fifty questions. The limits are of the mean number of calls.
//
//	go test ./measure/evidence -run RaceCalibration -v -calibration.runs 600
func TestRaceCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| true gains\t| mean calls\t| median\t| nine of ten\t| wrong reorder\t| wrong keep\t| median questions\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 7)+"|")
	for i, cell := range []struct {
		name  string
		gains []float64
		most  float64
	}{
		{"+5 points", []float64{.05}, 1150},
		{"+12 points", []float64{.12}, 355},
		{"+5 points and four null", []float64{.05, 0, 0, 0, 0}, 3050},
		{"five null", []float64{0, 0, 0, 0, 0}, 8800},
		{"+12 points and four null", []float64{.12, 0, 0, 0, 0}, 740},
		{"exactly the worthwhile gain and four null", []float64{.03, 0, 0, 0, 0}, 20_000},
	} {
		c := calibrate(t, evidence.CalibrationSettings{
			Challengers: cell.gains, Discordance: 0.15, Rule: evidence.Rule{Worthwhile: 0.03}, Questions: 20_000,
			Runs: *calibrationRuns, Seed: uint64(i + 1), Race: true, Controls: 4, ControlQuestions: 50,
		})
		fmt.Fprintf(table, "| %s\t| %.0f\t| %d\t| %d\t| %.1f\t| %.1f\t| %d\t|\n", cell.name, c.MeanCalls, c.MedianCalls, c.NinthCalls,
			100*c.Share(c.WrongReorder), 100*c.Share(c.WrongKeep), c.Median)
		slack := 0.0
		if c.Runs < 600 {
			slack = 5 / math.Sqrt(float64(c.Runs))
		}
		if c.MeanCalls > cell.most*(1+slack) {
			t.Errorf("%s: %.0f calls on average, want at most %.0f", cell.name, c.MeanCalls, cell.most)
		}
		if most := 0.05 + slack*math.Sqrt(0.05*0.95); c.Share(c.WrongReorder) > most || c.Share(c.WrongKeep) > most {
			t.Errorf("%s: wrong reorder %.3f, wrong keep %.3f", cell.name, c.Share(c.WrongReorder), c.Share(c.WrongKeep))
		}
	}
	table.Flush()
	t.Logf("%d simulated comparisons a row, discordance .15, 3 points worthwhile:\n%s", *calibrationRuns, text.String())
}

// Whoever is behind is left out, and comes back when the others are excluded.
func TestAsks(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 2)
	add := func(challenger, n int, difference float64) {
		for range n {
			if err := trial.Add(challenger, difference, difference); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !trial.Asks(0) || !trial.Asks(1) {
		t.Error("somebody is left behind before anything is known")
	}
	add(0, 6, 1)
	add(0, 54, 0)
	add(1, 2, -1)
	add(1, 58, 0)
	if !trial.Asks(0) || trial.Asks(1) {
		t.Errorf("at +10 and -3 points: asks %v, %v", trial.Asks(0), trial.Asks(1))
	}
	add(0, 300, -1)
	if trial.Asks(0) || trial.Excluded(1) || !trial.Asks(1) {
		t.Errorf("once the first is excluded: asks %v, %v", trial.Asks(0), trial.Asks(1))
	}
	add(1, 300, -1)
	if trial.Asks(0) || trial.Asks(1) || trial.Look() != evidence.Keep {
		t.Errorf("once both are excluded: asks %v, %v: %s", trial.Asks(0), trial.Asks(1), trial.Look())
	}
}
