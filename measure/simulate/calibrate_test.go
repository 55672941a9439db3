package simulate_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// go test ./measure/simulate -run Calibration -v -calibration.runs 2000
var calibrationRuns = flag.Int("calibration.runs", 200, "simulated sweeps for each row of the calibration table")

// calibrationCell is one row of the table, with what must hold in it.
type calibrationCell struct {
	name     string
	settings simulate.CalibrationSettings
	lines    []calibrationLine
}

type calibrationLine struct {
	what     string
	share    func(simulate.Calibration) float64
	min, max float64
}

var (
	fewMisnamed = calibrationLine{
		"misnamed", func(c simulate.Calibration) float64 { return c.Share(c.Misnamed()) }, 0, 0.05,
	}
	mostlyRanked = calibrationLine{
		"ranked", func(c simulate.Calibration) float64 { return c.Share(c.Ranked) }, 0.95, 1,
	}
	mostlyReversed = calibrationLine{
		"reversed", func(c simulate.Calibration) float64 { return c.Share(c.Reversed) }, 0.95, 1,
	}
	mostlyU = calibrationLine{
		"named U", func(c simulate.Calibration) float64 { return c.Share(c.Shapes[core.ShapeU]) }, 0.95, 1,
	}
	bestFirst = calibrationLine{
		"best in slot 0", func(c simulate.Calibration) float64 { return c.Share(c.BestIn[0]) }, 0.95, 1,
	}
	worstInside  = calibrationLine{"worst placed inside", func(c simulate.Calibration) float64 { return inside(c.WorstIn) }, 0.95, 1}
	lowestInside = calibrationLine{"lowest accuracy inside", func(c simulate.Calibration) float64 { return inside(c.LowestIn) }, 0.95, 1}
)

// intervals hold in every row.
var intervals = []calibrationLine{
	{"Wilson", wilsonCoverage, 0.93, 0.97},
	{"start-middle", func(c simulate.Calibration) float64 { return c.Share(c.StartMiddle) }, 0.93, 0.97},
	{"end-middle", func(c simulate.Calibration) float64 { return c.Share(c.EndMiddle) }, 0.93, 0.97},
	{"start-end", func(c simulate.Calibration) float64 { return c.Share(c.StartEnd) }, 0.93, 0.97},
}

func wilsonCoverage(c simulate.Calibration) float64 {
	return c.Share(sumOf(c.Wilson)) / float64(len(c.Wilson))
}

// inside is the share of the counts that is in neither end.
func inside(counts []int) float64 {
	return float64(sumOf(counts[1:len(counts)-1])) / float64(sumOf(counts))
}

func sumOf(counts []int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

func calibrationCells(t *testing.T, runs int) []calibrationCell {
	t.Helper()
	curve := func(name string, documents int) []float64 {
		accuracy, err := simulate.Accuracy(name, documents)
		if err != nil {
			t.Fatal(err)
		}
		return accuracy
	}
	var cells []calibrationCell
	add := func(name string, accuracy []float64, correlation float64, lines ...calibrationLine) {
		cells = append(cells, calibrationCell{name, simulate.CalibrationSettings{
			Accuracy: accuracy, Correlation: correlation, Questions: 300, Runs: runs, Seed: uint64(len(cells) + 1),
		}, lines})
	}
	for _, correlation := range []float64{0, 0.9} {
		for _, documents := range []int{5, 9, 20} {
			add("flat", curve("flat", documents), correlation, fewMisnamed, mostlyRanked)
		}
	}
	for p := 1; p <= 9; p++ {
		accuracy := make([]float64, 20)
		for slot := range accuracy {
			accuracy[slot] = float64(p) / 10
		}
		add(fmt.Sprintf("flat .%d", p), accuracy, 0.9, fewMisnamed, mostlyRanked)
	}
	add("gpt-3.5-turbo/20", curve("gpt-3.5-turbo/20", 20), 0.9, mostlyU, bestFirst, worstInside, lowestInside)
	for _, documents := range []int{5, 20} {
		add("primacy", curve("primacy", documents), 0.9, mostlyRanked)
		add("recency", curve("recency", documents), 0.9, mostlyReversed)
	}
	add("u", curve("u", 20), 0.9, mostlyU, worstInside)
	add("inverted", curve("inverted", 20), 0.9, calibrationLine{
		"named inverted", func(c simulate.Calibration) float64 { return c.Share(c.Shapes[core.ShapeInverted]) }, 0.95, 1,
	})
	return cells
}

// Every row is seeded, so that one number of runs gives the same counts each time.
// For numbers of runs that nobody has tried, a line is moved out by five standard
// errors of the share that is counted, which chance crosses less than once in a
// million; from 2,000 runs on the lines stand as they are.
func TestCalibration(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| reader\t| docs\t| r\t| U\t| inverted\t| primacy\t| recency\t| flat\t| undecided\t| ranked\t| reversed\t| best in 0\t| last inside\t| lowest inside\t| Wilson\t| start-mid\t| end-mid\t| start-end\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 18)+"|")
	for _, cell := range calibrationCells(t, *calibrationRuns) {
		c, err := simulate.Calibrate(cell.settings)
		if err != nil {
			t.Fatalf("%s: %v", cell.name, err)
		}
		fmt.Fprintf(table, "| %s\t| %d\t| %g\t", cell.name, len(cell.settings.Accuracy), cell.settings.Correlation)
		for _, s := range []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided} {
			fmt.Fprintf(table, "| %.1f\t", 100*c.Share(c.Shapes[s]))
		}
		for _, share := range []float64{
			c.Share(c.Ranked), c.Share(c.Reversed), c.Share(c.BestIn[0]), inside(c.WorstIn), inside(c.LowestIn),
			wilsonCoverage(c), c.Share(c.StartMiddle), c.Share(c.EndMiddle), c.Share(c.StartEnd),
		} {
			fmt.Fprintf(table, "| %.1f\t", 100*share)
		}
		fmt.Fprintln(table, "|")
		for _, line := range append(cell.lines, intervals...) {
			low, high := line.min, line.max
			if runs := float64(c.Runs); runs < 2000 {
				low -= 5 * math.Sqrt(line.min*(1-line.min)/runs)
				high += 5 * math.Sqrt(line.max*(1-line.max)/runs)
			}
			if share := line.share(c); share < low || share > high {
				t.Errorf("%s, %d documents, r = %g: %s in %.1f %% of runs, want %.1f to %.1f %%",
					cell.name, len(cell.settings.Accuracy), cell.settings.Correlation, line.what, 100*share, 100*low, 100*high)
			}
		}
	}
	table.Flush()
	t.Logf("per cent of %d simulated sweeps of 300 questions over all slots:\n%s", *calibrationRuns, text.String())
}

func TestCalibrateCountsEachRunOnce(t *testing.T) {
	t.Parallel()
	settings := simulate.CalibrationSettings{
		Accuracy: []float64{0.9, 0.2, 0.3, 0.2, 0.6, 0.8}, Correlation: 0.5, Slots: []int{0, 2, 3, 5}, Questions: 40, Runs: 50, Seed: 3,
	}
	got, err := simulate.Calibrate(settings)
	if err != nil {
		t.Fatal(err)
	}
	shapes := 0
	for _, n := range got.Shapes {
		shapes += n
	}
	for what, n := range map[string]int{
		"runs": got.Runs, "shapes": shapes, "best": sumOf(got.BestIn), "worst": sumOf(got.WorstIn), "lowest": sumOf(got.LowestIn),
	} {
		if n != 50 {
			t.Errorf("%s: got %d, want 50", what, n)
		}
	}
	if n := got.LowestIn[1] + got.LowestIn[4]; n != 0 {
		t.Errorf("%d runs found the lowest accuracy in a slot that was not measured", n)
	}
	if got.LowestIn[3] < 40 {
		t.Errorf("the lowest accuracy was in slot 3, the worst measured one, in %d of 50 runs, want most", got.LowestIn[3])
	}
	if len(got.Wilson) != 4 {
		t.Errorf("got %d counts of Wilson intervals, want 4, one a measured slot", len(got.Wilson))
	}
	again, err := simulate.Calibrate(settings)
	if err != nil || !reflect.DeepEqual(got, again) {
		t.Errorf("the same settings gave %v and %v (%v), want the same counts", got, again, err)
	}
	settings.Seed++
	if other, _ := simulate.Calibrate(settings); reflect.DeepEqual(got, other) {
		t.Errorf("another seed gave the same counts: %v", got)
	}
}

func TestCalibrateSeesWhereDocumentsStand(t *testing.T) {
	t.Parallel()
	c, err := simulate.Calibrate(simulate.CalibrationSettings{
		Accuracy: []float64{0.1, 0.3, 0.5, 0.7, 0.9}, Correlation: 0.9, Questions: 200, Runs: 20, Seed: 1,
	})
	want := []int{20, 0, 0, 0, 0}
	if err != nil || c.Reversed != 20 || c.Ranked != 0 || c.BestIn[4] != 20 || !reflect.DeepEqual(c.WorstIn, want) || !reflect.DeepEqual(c.LowestIn, want) {
		t.Errorf("20 times recency: got %+v (%v)", c, err)
	}
}

// Without a middle only start and end are compared.
func TestCalibrateCountsNoContrastThatIsMissing(t *testing.T) {
	t.Parallel()
	c, err := simulate.Calibrate(simulate.CalibrationSettings{Accuracy: []float64{0, 0}, Questions: 10, Runs: 3})
	if err != nil || c.StartMiddle != 0 || c.EndMiddle != 0 || c.StartEnd != 3 {
		t.Errorf("got %+v (%v), want no interval of the middle, and 3 of the ends", c, err)
	}
}

// Intervals at half the confidence must cover about half the time.
func TestCalibrateUsesTheConfidence(t *testing.T) {
	t.Parallel()
	c, err := simulate.Calibrate(simulate.CalibrationSettings{
		Accuracy: []float64{0.5, 0.5, 0.5, 0.5, 0.5}, Correlation: 0, Questions: 301, Runs: 400, Seed: 1, Confidence: 0.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, share := range map[string]float64{
		"Wilson": wilsonCoverage(c), "start-middle": c.Share(c.StartMiddle), "end-middle": c.Share(c.EndMiddle), "start-end": c.Share(c.StartEnd),
	} {
		if share < 0.35 || share > 0.65 {
			t.Errorf("%s covers in %.2f of runs, want about 0.5", what, share)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	t.Parallel()
	good := simulate.CalibrationSettings{Accuracy: []float64{0.5, 0.5}, Questions: 10, Runs: 1}
	for _, tt := range []struct {
		field string
		spoil func(*simulate.CalibrationSettings)
	}{
		{"Runs", func(s *simulate.CalibrationSettings) { s.Runs = 0 }},
		{"questions", func(s *simulate.CalibrationSettings) { s.Questions = 0 }},
		{"documents", func(s *simulate.CalibrationSettings) { s.Accuracy = []float64{0.5} }},
		{"accuracy", func(s *simulate.CalibrationSettings) { s.Accuracy = []float64{0.5, 50} }},
		{"accuracy", func(s *simulate.CalibrationSettings) { s.Accuracy = nil }},
		{"correlation", func(s *simulate.CalibrationSettings) { s.Correlation = 2 }},
		{"confidence", func(s *simulate.CalibrationSettings) { s.Confidence = 95 }},
		{"slots", func(s *simulate.CalibrationSettings) { s.Slots = []int{0, 2} }},
	} {
		settings := good
		tt.spoil(&settings)
		_, err := simulate.Calibrate(settings)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != tt.field {
			t.Errorf("%+v: got %v, want a *core.ConfigError of %s", settings, err, tt.field)
		}
	}
	if _, err := simulate.Calibrate(good); err != nil {
		t.Errorf("%+v: %v", good, err)
	}
	good.Accuracy, good.Slots = []float64{0.5, 0.5, 0.5}, []int{0, 1}
	if _, err := simulate.Calibrate(good); !errors.As(err, new(*core.CurveError)) {
		t.Errorf("without the last slot: got %v, want a *core.CurveError", err)
	}
}

func BenchmarkCalibrate(b *testing.B) {
	accuracy, err := simulate.Accuracy("gpt-3.5-turbo/20", 20)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := simulate.Calibrate(simulate.CalibrationSettings{Accuracy: accuracy, Correlation: 0.9, Questions: 300, Runs: 10}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleCalibrate() {
	accuracy, err := simulate.Accuracy("gpt-3.5-turbo/20", 20)
	if err != nil {
		panic(err)
	}
	c, err := simulate.Calibrate(simulate.CalibrationSettings{
		Accuracy: accuracy, Correlation: simulate.DefaultCorrelation, Questions: 300, Runs: 100, Seed: 1,
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("named U in most runs: %t\n", c.Share(c.Shapes[core.ShapeU]) > 0.9)
	fmt.Printf("best document in slot 0 in most runs: %t\n", c.Share(c.BestIn[0]) > 0.9)
	// Output:
	// named U in most runs: true
	// best document in slot 0 in most runs: true
}
