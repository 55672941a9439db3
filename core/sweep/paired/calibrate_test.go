package paired_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep/paired"
)

// go test ./core/sweep/paired -run Calibration -v -calibration.runs 2000
var calibrationRuns = flag.Int("calibration.runs", 100, "simulated comparisons for each row of the calibration table")

// calibrationCell is one row of the table, with what must hold in it.
type calibrationCell struct {
	name     string
	settings paired.CalibrationSettings
	// The largest shares of the runs with a wrong word at any look.
	wrongReorder, wrongKeep float64
	median                  int     // at most; 0: not asked for
	decided                 float64 // at least, by the cap
}

func calibrationCells(runs int) []calibrationCell {
	const points = 0.01
	var cells []calibrationCell
	add := func(c calibrationCell) {
		c.settings.Runs, c.settings.Seed = runs, uint64(len(cells)+1)
		cells = append(cells, c)
	}
	of := func(discordance, worthwhile float64, questions int, gains ...float64) paired.CalibrationSettings {
		return paired.CalibrationSettings{
			Challengers: gains, Discordance: discordance, Rule: paired.Rule{Worthwhile: worthwhile}, Questions: questions,
		}
	}
	askOn := func(s paired.CalibrationSettings) paired.CalibrationSettings { s.AskOn = true; return s }
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
	fmt.Fprintln(table, "| true gains\t| discordance\t| worthwhile\t| questions\t| looks\t| reorder\t| keep\t| inconclusive\t| wrong reorder\t| wrong keep\t| ever wrong reorder\t| ever wrong keep\t| median\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 13)+"|")
	for _, cell := range calibrationCells(*calibrationRuns) {
		c, err := paired.Calibrate(cell.settings)
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
		for _, n := range []int{c.Reorder, c.Keep, c.Inconclusive, c.WrongReorder, c.WrongKeep, c.EverWrongReorder, c.EverWrongKeep} {
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

func TestCalibrateRefuses(t *testing.T) {
	_ = errors.New
	_ = core.Off
}
