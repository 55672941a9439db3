package traffic

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
)

// go test ./measure/traffic -run TestCalibration -v -timeout 0 -calibration.runs 2000
var calibrationRuns = flag.Int("calibration.runs", 4, "simulated runs for each row of the calibration table")

// calibrationRow is one kind of traffic.
type calibrationRow struct {
	curve, traffic string
	settings       calibrationSettings
	named          float64 // how often it has its word at the end, at least
}

func calibrationRows(runs int) []calibrationRow {
	var rows []calibrationRow
	add := func(curve, kind string, change func(*calibrationSettings)) {
		s := calibrationSettings{
			Simulation: Simulation{Relevance: FallingRelevance(10, 0.5, 0.8), Quiet: 0.1, Spread: 0.3, Seed: uint64(len(rows) + 1)},
			Requests:   10_000, Every: 200, Runs: runs,
		}
		if change != nil {
			change(&s)
		}
		s.Curve = Planted(curve, len(s.Relevance))
		rows = append(rows, calibrationRow{curve: curve, traffic: kind, settings: s})
	}
	relevance := func(n int, first, decay float64) func(*calibrationSettings) {
		return func(s *calibrationSettings) { s.Relevance = FallingRelevance(n, first, decay) }
	}
	few := func(requests, every int) func(*calibrationSettings) {
		return func(s *calibrationSettings) { s.Requests, s.Every = requests, every }
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
	bot := func(s *calibrationSettings) { s.bot = 0.1 }
	add("flat", "a bot in 10 %", bot)
	add("flat", "a bot in 50 %", func(s *calibrationSettings) { s.bot = 0.5 })
	add("flat", "40 questions", func(s *calibrationSettings) { s.questions = 40 })
	add("flat", "500 questions", func(s *calibrationSettings) { s.questions = 500 })
	add("edge of flat", "usual", nil)
	add("edge of flat", "cites much: .6 each", relevance(10, 0.6, 1))
	add("edge of flat", "500 questions", func(s *calibrationSettings) { s.questions = 500 })
	add("weak primacy", "usual", nil)
	for _, curve := range []string{"U", "inverted", "primacy", "recency"} {
		add(curve, "usual", few(4000, 50))
	}
	short := func(change func(*calibrationSettings)) func(*calibrationSettings) {
		return func(s *calibrationSettings) {
			change(s)
			s.Requests, s.Every = 4000, 50
		}
	}
	add("U", "5 documents", short(relevance(5, 0.5, 0.8)))
	add("U", "20 documents", short(relevance(20, 0.3, 0.9)))
	add("U", "a bot in 10 %", short(bot))
	add("U", "500 questions", short(func(s *calibrationSettings) { s.questions, s.Spread = 500, 0.15 }))
	for i := range rows {
		if c := rows[i].curve; c == "U" || c == "inverted" || c == "primacy" || c == "recency" {
			rows[i].named = 0.95
		}
	}
	for _, curve := range []string{"U", "primacy", "recency", "flat"} {
		for _, size := range []int{2, 5, 10} {
			add(curve, fmt.Sprintf("grouped by %d", size), func(s *calibrationSettings) { s.grouped, s.Requests = size, 2000 })
		}
	}
	return rows
}

// Looked at a hundred times, a flat reader is seldom ever given a slope, and one at the edge
// of flat seldom ever called flat: in at most 5 % of the runs.
func TestRepeatedLooks(t *testing.T) {
	t.Parallel()
	const runs = 60
	settings := calibrationSettings{Requests: 2000, Every: 20, Runs: runs}
	settings.Simulation = Simulation{Curve: Planted("flat", 5), Relevance: FallingRelevance(5, 0.5, 0.8), Quiet: 0.1, Spread: 0.3, Seed: 1}
	flat, err := calibrate(settings)
	if err != nil {
		t.Fatal(err)
	}
	if flat.Misnamed > runs/20 || flat.Ever[core.ShapeUndecided] != runs {
		t.Errorf("a flat reader is given a slope in %d of %d runs: %v", flat.Misnamed, runs, flat.Ever)
	}
	settings.Simulation = Simulation{Curve: Planted("edge of flat", 10), Relevance: FallingRelevance(10, 0.6, 1), Seed: 1}
	edge, err := calibrate(settings)
	if err != nil {
		t.Fatal(err)
	}
	if edge.Ever[core.ShapeFlat] > runs/20 || edge.Ever[core.ShapePrimacy] < runs/4 {
		t.Errorf("at the edge of flat, of %d runs: %v", runs, edge.Ever)
	}
}

func TestCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| curve\t| traffic\t| docs\t| requests\t| looks every\t| cited a slot\t| misnamed\t| ever flat\t| U\t| inverted\t| primacy\t| recency\t| flat\t| undecided\t| unfit\t| too few\t| its word by\t| bias\t| noise\t| slots\t| start-mid\t| end-mid\t| start-end\t| ±\t| needed\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 25)+"|")
	for _, row := range calibrationRows(*calibrationRuns) {
		c, err := calibrate(row.settings)
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
		fmt.Fprintf(table, "| %.1f\t| %.1f\t| %s\t", 100*share(c.Unfit), 100*share(c.NoEstimate), by)
		if c.Unfit == c.Runs {
			fmt.Fprintln(table, strings.Repeat("| –\t", 8)+"|")
		} else {
			fmt.Fprintf(table, "| %.2f\t| %.2f\t| %.1f\t| %.1f\t| %.1f\t| %.1f\t| %.2f\t| %.0f\t|\n",
				100*c.Bias(), c.Noise(), 100*interval, 100*share(c.StartMiddle), 100*share(c.EndMiddle), 100*share(c.StartEnd), c.HalfWidth, c.Needed)
		}

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
		if row.settings.grouped > 1 {
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
