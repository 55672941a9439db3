package traffic_test

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// go test ./measure/traffic -run Calibration -v -calibration.runs 2000
var calibrationRuns = flag.Int("calibration.runs", 15, "simulated runs for each row of the calibration table")

// planted returns a curve by name.
func planted(name string, n int) []float64 {
	curve := make([]float64, n)
	for slot := range curve {
		x := float64(slot) / float64(n-1)
		switch name {
		case "U":
			curve[slot] = 0.6 + 2.4*(x-0.5)*(x-0.5)
		case "primacy":
			curve[slot] = 1.3 - 0.6*x
		case "recency":
			curve[slot] = 0.7 + 0.6*x
		case "inverted":
			curve[slot] = 1.2 - 2*(x-0.5)*(x-0.5)
		default:
			curve[slot] = 1
		}
	}
	return curve
}

type calibrationRow struct {
	curve    string
	relevant string
	settings traffic.CalibrationSettings
}

func calibrationRows(runs int) []calibrationRow {
	var rows []calibrationRow
	add := func(curve, relevant string, n, requests int, relevance []float64, quiet, spread float64) {
		rows = append(rows, calibrationRow{curve, relevant, traffic.CalibrationSettings{
			Simulation: traffic.Simulation{Curve: planted(curve, n), Relevance: relevance, Quiet: quiet, Spread: spread, Seed: uint64(len(rows) + 1)},
			Requests:   requests, Runs: runs,
		}})
	}
	for _, curve := range []string{"U", "primacy", "recency", "flat"} {
		add(curve, "falling by .8", 10, 1000, traffic.FallingRelevance(10, 0.5, 0.8), 0.1, 0.3)
	}
	add("flat", "falling by .5", 10, 1000, traffic.FallingRelevance(10, 0.7, 0.5), 0, 0)
	add("flat", "all alike", 10, 1000, traffic.FallingRelevance(10, 0.2, 1), 0, 0)
	add("flat", "all alike, often", 10, 1000, traffic.FallingRelevance(10, 0.6, 1), 0.3, 0.5)
	add("flat", "falling by .8", 5, 1000, traffic.FallingRelevance(5, 0.5, 0.8), 0.1, 0.3)
	add("flat", "falling by .9", 20, 1000, traffic.FallingRelevance(20, 0.3, 0.9), 0.1, 0.3)
	add("flat", "falling by .8", 10, 200, traffic.FallingRelevance(10, 0.5, 0.8), 0.1, 0.3)
	add("flat", "falling by .8", 10, 8000, traffic.FallingRelevance(10, 0.5, 0.8), 0.1, 0.3)
	add("inverted", "falling by .8", 10, 1000, traffic.FallingRelevance(10, 0.5, 0.8), 0.1, 0.3)
	add("U", "falling by .8", 10, 300, traffic.FallingRelevance(10, 0.5, 0.8), 0.1, 0.3)
	return rows
}

func TestCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| curve\t| relevance\t| docs\t| requests\t| cited a slot\t| U\t| inverted\t| primacy\t| recency\t| flat\t| undecided\t| bias\t| noise\t| interval\t| start-mid\t| end-mid\t| start-end\t| needed\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 18)+"|")
	for _, row := range calibrationRows(*calibrationRuns) {
		c, err := traffic.Calibrate(row.settings)
		if err != nil {
			t.Fatalf("%s: %v", row.curve, err)
		}
		runs := float64(c.Runs - c.NoEstimate)
		share := func(n int) float64 { return float64(n) / runs }
		covered, cited := 0, 0.0
		for slot := range c.Covered {
			covered += c.Covered[slot]
			cited += c.Cited[slot] / float64(len(c.Cited))
		}
		interval := share(covered) / float64(len(c.Covered))
		fmt.Fprintf(table, "| %s\t| %s\t| %d\t| %d\t| %.0f\t", row.curve, row.relevant, len(c.True), row.settings.Requests, cited)
		for _, s := range []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided} {
			fmt.Fprintf(table, "| %.1f\t", 100*share(c.Shapes[s]))
		}
		fmt.Fprintf(table, "| %.2f\t| %.2f\t| %.1f\t| %.1f\t| %.1f\t| %.1f\t| %.0f\t|\n", 100*c.Bias(), c.Noise(), 100*interval,
			100*share(c.StartMiddle), 100*share(c.EndMiddle), 100*share(c.StartEnd), c.Needed)

		// Every row is seeded. For numbers of runs that nobody has tried a line is moved
		// out by five standard errors; from 2,000 runs on it stands as it is.
		out := func(sd float64) float64 {
			if c.Runs >= 2000 {
				return 0
			}
			return 5 * sd / math.Sqrt(runs)
		}
		check := func(what string, v, low, high float64) {
			if !(v >= low && v <= high) {
				t.Errorf("%s, %s, %d documents, %d requests: %s is %.4f, want %.4f to %.4f", row.curve, row.relevant, len(c.True), row.settings.Requests, what, v, low, high)
			}
		}
		relative := 1 / math.Sqrt(cited)
		check("the bias", c.Bias(), 0, 0.01+out(2*relative))
		check("the noise", c.Noise(), 0, 1.1+out(1))
		for what, v := range map[string]float64{
			"the intervals' coverage": interval, "start-middle": share(c.StartMiddle), "end-middle": share(c.EndMiddle), "start-end": share(c.StartEnd),
		} {
			check(what, v, 0.93-out(0.25), min(0.97+out(0.17), 1))
		}
		if row.curve == "flat" {
			check("misnamed", share(c.Misnamed()), 0, 0.05+out(0.22))
			if row.settings.Requests >= 8000 {
				check("found flat", share(c.Shapes[core.ShapeFlat]), 0.9-out(0.3), 1)
			}
		} else {
			wrong := c.Misnamed() - c.Shapes[core.Shape(row.curve)]
			check("named another slope", share(wrong), 0, 0.05+out(0.22))
			if row.settings.Requests >= 1000 {
				check("named", share(c.Shapes[core.Shape(row.curve)]), 0.9-out(0.3), 1)
			}
		}
	}
	table.Flush()
	t.Logf("%d runs a row\n%s", *calibrationRuns, text.String())
}
