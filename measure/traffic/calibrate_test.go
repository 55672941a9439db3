package traffic_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// go test ./measure/traffic -run Calibration -v -timeout 0 -calibration.runs 2000
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
		case "weak primacy":
			curve[slot] = 1.1 - 0.2*x
		case "edge of flat": // of ten documents, start minus end is exactly a tenth
			curve[slot] = 1 - 0.1125*(x-0.5)
		default:
			curve[slot] = 1
		}
	}
	return curve
}

// calibrationRow is one kind of traffic.
type calibrationRow struct {
	curve, traffic string
	settings       traffic.CalibrationSettings
	named          float64 // how often it has its word at the end, at least
}

func calibrationRows(runs int) []calibrationRow {
	var rows []calibrationRow
	add := func(curve, kind string, change func(*traffic.CalibrationSettings)) {
		s := traffic.CalibrationSettings{
			Simulation: traffic.Simulation{Relevance: traffic.FallingRelevance(10, 0.5, 0.8), Quiet: 0.1, Spread: 0.3, Seed: uint64(len(rows) + 1)},
			Requests:   10_000, Every: 200, Runs: runs,
		}
		if change != nil {
			change(&s)
		}
		s.Curve = planted(curve, len(s.Relevance))
		rows = append(rows, calibrationRow{curve: curve, traffic: kind, settings: s})
	}
	relevance := func(n int, first, decay float64) func(*traffic.CalibrationSettings) {
		return func(s *traffic.CalibrationSettings) { s.Relevance = traffic.FallingRelevance(n, first, decay) }
	}
	few := func(requests, every int) func(*traffic.CalibrationSettings) {
		return func(s *traffic.CalibrationSettings) { s.Requests, s.Every = requests, every }
	}
	add("flat", "usual", nil)
	rows[0].named = 0.9
	add("flat", "usual", few(2000, 20))
	add("flat", "usual", few(1000, 0))
	add("flat", "steep: .7, falling by .5", relevance(10, 0.7, 0.5))
	add("flat", "ranks alike: .2", relevance(10, 0.2, 1))
	add("flat", "cites much: .6 each", relevance(10, 0.6, 1))
	add("flat", "cites little: .1, falling by .8", relevance(10, 0.1, 0.8))
	add("flat", "3 documents", relevance(3, 0.5, 0.8))
	add("flat", "5 documents", relevance(5, 0.5, 0.8))
	add("flat", "20 documents", relevance(20, 0.3, 0.9))
	bot := func(s *traffic.CalibrationSettings) { s.Bot = 0.1 }
	add("flat", "a bot in 10 %", bot)
	add("flat", "a bot in 50 %", func(s *traffic.CalibrationSettings) { s.Bot = 0.5 })
	add("flat", "40 questions", func(s *traffic.CalibrationSettings) { s.Questions = 40 })
	add("flat", "500 questions", func(s *traffic.CalibrationSettings) { s.Questions = 500 })
	add("edge of flat", "usual", nil)
	add("edge of flat", "cites much: .6 each", relevance(10, 0.6, 1))
	add("edge of flat", "500 questions", func(s *traffic.CalibrationSettings) { s.Questions = 500 })
	add("weak primacy", "usual", nil)
	for _, curve := range []string{"U", "inverted", "primacy", "recency"} {
		add(curve, "usual", few(4000, 50))
	}
	short := func(change func(*traffic.CalibrationSettings)) func(*traffic.CalibrationSettings) {
		return func(s *traffic.CalibrationSettings) {
			change(s)
			s.Requests, s.Every = 4000, 50
		}
	}
	add("U", "5 documents", short(relevance(5, 0.5, 0.8)))
	add("U", "20 documents", short(relevance(20, 0.3, 0.9)))
	add("U", "a bot in 10 %", short(bot))
	add("U", "500 questions", short(func(s *traffic.CalibrationSettings) { s.Questions, s.Spread = 500, 0.15 }))
	for i := range rows {
		if c := rows[i].curve; c == "U" || c == "inverted" || c == "primacy" || c == "recency" {
			rows[i].named = 0.95
		}
	}
	for _, curve := range []string{"U", "primacy", "recency", "flat"} {
		for _, size := range []int{2, 5, 10} {
			add(curve, fmt.Sprintf("grouped by %d", size), func(s *traffic.CalibrationSettings) { s.Grouped, s.Requests = size, 2000 })
		}
	}
	return rows
}

func TestCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| curve\t| traffic\t| docs\t| requests\t| looks every\t| cited a slot\t| misnamed\t| ever flat\t| U\t| inverted\t| primacy\t| recency\t| flat\t| undecided\t| unfit\t| too few\t| its word by\t| bias\t| noise\t| slots\t| start-mid\t| end-mid\t| start-end\t| ±\t| needed\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 25)+"|")
	for _, row := range calibrationRows(*calibrationRuns) {
		c, err := traffic.Calibrate(row.settings)
		if err != nil {
			t.Fatalf("%s: %v", row.curve, err)
		}
		runs := float64(c.Runs)
		share := func(n int) float64 { return float64(n) / runs }
		covered, cited := 0, 0.0
		for slot := range c.Covered {
			covered += c.Covered[slot]
			cited += c.Cited[slot] / float64(len(c.Cited))
		}
		interval := share(covered) / float64(len(c.Covered))
		word := core.Shape(strings.TrimPrefix(row.curve, "weak "))
		fmt.Fprintf(table, "| %s\t| %s\t| %d\t| %d\t| %d\t| %.0f\t| %.1f\t| %.1f\t", row.curve, row.traffic, len(c.True), row.settings.Requests, cmp.Or(row.settings.Every, row.settings.Requests), cited, 100*share(c.Misnamed), 100*share(c.Ever[core.ShapeFlat]))
		for _, s := range []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided} {
			fmt.Fprintf(table, "| %.1f\t", 100*share(c.Shapes[s]))
		}
		by := "–"
		if c.Median[word] > 0 {
			by = fmt.Sprint(c.Median[word])
		}
		fmt.Fprintf(table, "| %.1f\t| %.1f\t| %s\t| %.2f\t| %.2f\t| %.1f\t| %.1f\t| %.1f\t| %.1f\t| %.2f\t| %.0f\t|\n", 100*share(c.Unfit), 100*share(c.NoEstimate), by,
			100*c.Bias(), c.Noise(), 100*interval, 100*share(c.StartMiddle), 100*share(c.EndMiddle), 100*share(c.StartEnd), c.HalfWidth, c.Needed)

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
				t.Errorf("%s, %s, %d documents, %d requests: %s is %.4f, want %.4f to %.4f", row.curve, row.traffic, len(c.True), row.settings.Requests, what, v, low, high)
			}
		}
		if row.settings.Grouped > 1 {
			check("unfit", share(c.Unfit), 1, 1)
			check("any word", share(len(c.Ever)), 0, 0)
			continue
		}
		check("misnamed at any look", share(c.Misnamed), 0, 0.05+out(0.22))
		if row.curve != "flat" {
			check("flat at any look", share(c.Ever[core.ShapeFlat]), 0, 0.05+out(0.22))
		}
		check("the bias", c.Bias(), 0, 0.012+out(2/math.Sqrt(cited)))
		for what, v := range map[string]float64{
			"the intervals' coverage": interval, "start-middle": share(c.StartMiddle), "end-middle": share(c.EndMiddle), "start-end": share(c.StartEnd),
		} {
			check(what, v, 0.95-out(0.22), 1)
		}
		if row.named > 0 {
			check("its word", share(c.Shapes[word]), row.named-out(0.3), 1)
		}
	}
	table.Flush()
	t.Logf("%d runs a row\n%s", *calibrationRuns, text.String())
}
