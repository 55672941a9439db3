package simulate_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// go test ./measure/simulate -run Calibration -v -timeout 12h -calibration.runs 5000
var calibrationRuns = flag.Int("calibration.runs", 0, "simulated sweeps for each row of the calibration tables; 0: few, and not all rows")

// calibrationCell is one row of a table, with what must hold in it.
type calibrationCell struct {
	table, name string
	settings    simulate.CalibrationSettings
	lines       []calibrationLine
	always      bool // also where there are few runs
}

type calibrationLine struct {
	what     string
	share    func(simulate.Calibration) float64
	min, max float64
}

// Both are guaranteed to be at most 5 %, and found to be at most 3 %.
var (
	seldomNamed = calibrationLine{"ever named", func(c simulate.Calibration) float64 { return c.Share(c.EverNamed) }, 0, 0.03}
	seldomFlat  = calibrationLine{"ever flat", func(c simulate.Calibration) float64 { return c.Share(c.Ever[core.ShapeFlat]) }, 0, 0.03}
)

func mostly(least float64, shape core.Shape) calibrationLine {
	return calibrationLine{"named " + string(shape), func(c simulate.Calibration) float64 { return c.Share(c.Shapes[shape]) }, least, 1}
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

func constant(slots int, p float64) []float64 {
	accuracy := make([]float64, slots)
	for i := range accuracy {
		accuracy[i] = p
	}
	return accuracy
}

// offBy5 is a reader one of whose contrasts is just 5 points and none is more: at the
// start, at both ends, or falling evenly. Where p is above one half it is p at most, else p
// at least. An end alone is the mirror image of a start, and so is what the rule says of
// it.
func offBy5(kind string, slots int, p float64) []float64 {
	accuracy := constant(slots, p)
	sign := 1.0
	if p > .5 {
		sign = -1
	}
	x := func(i int) float64 { return float64(i) / float64(slots-1) }
	start, n := 0.0, 0.0 // the mean place of the slots of the start
	for i := range accuracy {
		if x(i) <= .15 {
			start, n = start+x(i), n+1
		}
	}
	for i := range accuracy {
		switch kind {
		case "start":
			if x(i) <= .15 {
				accuracy[i] += sign * .05
			}
		case "both ends":
			if x(i) <= .15 || x(i) >= .85 {
				accuracy[i] += sign * .05
			}
		case "even fall":
			accuracy[i] += sign*.025 + .05*(.5-x(i))/(1-2*start/n)
		}
	}
	return accuracy
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
	add := func(c calibrationCell) {
		c.settings.Runs, c.settings.Seed = runs, uint64(len(cells)+1)
		cells = append(cells, c)
	}
	for _, kind := range []string{"flat", "start", "both ends", "even fall"} {
		for _, slots := range []int{3, 5, 10, 20} {
			for _, p := range []float64{.02, .2, .5, .9, .98} {
				for _, r := range []float64{0, .5, .9} {
					c := calibrationCell{table: "5 points off", name: fmt.Sprintf("%s, %g", kind, p), lines: []calibrationLine{seldomFlat}}
					c.settings = simulate.CalibrationSettings{Accuracy: offBy5(kind, slots, p), Correlation: r, Questions: 2000}
					if kind == "flat" {
						c.table, c.name, c.lines = "flat", fmt.Sprint(p), []calibrationLine{seldomNamed}
					}
					c.always = kind != "both ends" && slots == 5 && r == .9 && (p == .2 || p == .98)
					add(c)
				}
			}
		}
	}
	// How many questions it takes.
	power := func(name string, accuracy []float64, questions int, lines ...calibrationLine) {
		add(calibrationCell{"power", name, simulate.CalibrationSettings{Accuracy: accuracy, Correlation: .9, Questions: questions}, lines, true})
	}
	gpt := curve("gpt-3.5-turbo/20", 20)
	for _, questions := range []int{100, 200, 300} {
		power("gpt-3.5-turbo/20, five slots", gpt, questions)
		cells[len(cells)-1].settings.Slots = []int{0, 4, 9, 14, 19}
		if questions == 300 {
			cells[len(cells)-1].lines = []calibrationLine{mostly(.95, core.ShapeU)}
		}
	}
	power("gpt-3.5-turbo/20", gpt, 200, mostly(.95, core.ShapeU))
	power("gpt-3.5-turbo/20", gpt, 300, mostly(.96, core.ShapeU), calibrationLine{
		"best in slot 0", func(c simulate.Calibration) float64 { return c.Share(c.BestIn[0]) }, .97, 1,
	}, calibrationLine{
		"worst placed inside", func(c simulate.Calibration) float64 { return inside(c.WorstIn) }, .95, 1,
	})
	power("fall of 58 points", []float64{.79, .645, .5, .355, .21}, 30, mostly(.92, core.ShapePrimacy))
	for _, slots := range []int{5, 20} {
		power("primacy", curve("primacy", slots), 300, mostly(.95, core.ShapePrimacy), calibrationLine{
			"ranked", func(c simulate.Calibration) float64 { return c.Share(c.Ranked) }, .97, 1,
		})
		power("recency", curve("recency", slots), 300, mostly(.95, core.ShapeRecency), calibrationLine{
			"reversed", func(c simulate.Calibration) float64 { return c.Share(c.Reversed) }, .95, 1,
		})
		power("u", curve("u", slots), 300, mostly(.95, core.ShapeU))
		power("inverted", curve("inverted", slots), 300, mostly(.95, core.ShapeInverted))
	}
	// Questions that hang together.
	for _, copies := range []int{2, 5, 10} {
		for _, apart := range []bool{false, true} {
			name, lines := fmt.Sprintf("%d copies, one cluster", copies), []calibrationLine{seldomNamed}
			if apart {
				name, lines = fmt.Sprintf("%d copies, counted apart", copies), nil
			}
			add(calibrationCell{"copies", name, simulate.CalibrationSettings{
				Accuracy: constant(5, .5), Correlation: .9, Questions: 400, Copies: copies, Apart: apart,
			}, lines, copies == 5 && !apart})
		}
	}
	// The key-value curve of docs/sweep.md. Rows are seeded by their place: new ones stand last.
	power("key-value, six slots", []float64{.6, 0, 0, .075, .075, .075}, 30, mostly(.94, core.ShapePrimacy))
	return cells
}

// Every row is seeded, so that one number of runs gives the same counts each time.
// For numbers of runs that nobody has tried, a line is moved out by five standard
// errors of the share that is counted, which chance crosses less than once in a
// million; from 1,000 runs on by two, for there are some hundred rows.
func TestCalibration(t *testing.T) {
	t.Parallel()
	runs, all := *calibrationRuns, *calibrationRuns > 0
	if !all {
		runs = 40
	}
	tables := map[string][]calibrationCell{}
	for _, c := range calibrationCells(t, runs) {
		if all || c.always {
			tables[c.table] = append(tables[c.table], c)
		}
	}
	for _, name := range []string{"flat", "5 points off", "power", "copies"} {
		t.Run(name, func(t *testing.T) { calibrateTable(t, tables[name]) })
	}
}

func calibrateTable(t *testing.T, cells []calibrationCell) {
	t.Helper()
	results := calibrateAll(t, cells)
	for i, cell := range cells {
		c := results[i]
		slack := 5.0
		if c.Runs >= 1000 {
			slack = 2
		}
		for _, line := range cell.lines {
			low := line.min - slack*math.Sqrt(line.min*(1-line.min)/float64(c.Runs))
			high := line.max + slack*math.Sqrt(line.max*(1-line.max)/float64(c.Runs))
			if share := line.share(c); share < low || share > high {
				t.Errorf("%s, %d slots, r = %g: %s in %.1f %% of runs, want %.1f to %.1f %%",
					cell.name, len(c.Wilson), cell.settings.Correlation, line.what, 100*share, 100*low, 100*high)
			}
		}
	}
	table := mistakesTable
	if cells[0].table == "power" || cells[0].table == "copies" {
		table = wordsTable
	}
	t.Logf("per cent of %d simulated sweeps, looked at after every question:\n%s", cells[0].settings.Runs, table(cells, results))
}

// mistakesTable has one row for each reader and number of slots, and columns for each
// correlation.
func mistakesTable(cells []calibrationCell, results []simulate.Calibration) string {
	correlations := []float64{0, .5, .9}
	rows, order := map[string]map[float64]simulate.Calibration{}, []string{}
	for i, cell := range cells {
		row := fmt.Sprintf("| %s\t| %d\t", cell.name, len(cell.settings.Accuracy))
		if rows[row] == nil {
			rows[row], order = map[float64]simulate.Calibration{}, append(order, row)
		}
		rows[row][cell.settings.Correlation] = results[i]
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprint(table, "| reader\t| slots\t")
	columns := []struct {
		name string
		of   func(simulate.Calibration) string
	}{
		{"ever named", func(c simulate.Calibration) string { return fmt.Sprintf("%.1f", 100*c.Share(c.EverNamed)) }},
		{"ever flat", func(c simulate.Calibration) string {
			return fmt.Sprintf("%.1f", 100*c.Share(c.Ever[core.ShapeFlat]))
		}},
		{"median", median},
	}
	for _, column := range columns {
		for _, r := range correlations {
			fmt.Fprintf(table, "| %s, r %g\t", column.name, r)
		}
	}
	fmt.Fprintln(table, "|\n"+strings.Repeat("|---\t", 2+len(columns)*len(correlations))+"|")
	for _, row := range order {
		fmt.Fprint(table, row)
		for _, column := range columns {
			for _, r := range correlations {
				text := ""
				if c, there := rows[row][r]; there {
					text = column.of(c)
				}
				fmt.Fprintf(table, "| %s\t", text)
			}
		}
		fmt.Fprintln(table, "|")
	}
	table.Flush()
	return text.String()
}

// median is until a curve is settled.
func median(c simulate.Calibration) string {
	if c.Median == 0 {
		return "none"
	}
	return fmt.Sprint(c.Median)
}

// wordsTable has one row for each cell, with all that it counts.
func wordsTable(cells []calibrationCell, results []simulate.Calibration) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "| reader\t| slots\t| questions\t| ever named\t| ever flat\t| settled\t| median\t| U\t| inverted\t| primacy\t| recency\t| flat\t| undecided\t| ranked\t| reversed\t| best in 0\t| last inside\t| Wilson\t|")
	fmt.Fprintln(table, strings.Repeat("|---\t", 18)+"|")
	for i, cell := range cells {
		c := results[i]
		settled := 0
		for _, n := range c.Settled {
			settled += n
		}
		fmt.Fprintf(table, "| %s\t| %d\t| %d\t| %.1f\t| %.1f\t| %.1f\t| %s\t", cell.name, len(c.Wilson), cell.settings.Questions,
			100*c.Share(c.EverNamed), 100*c.Share(c.Ever[core.ShapeFlat]), 100*c.Share(settled), median(c))
		for _, s := range []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapePrimacy, core.ShapeRecency, core.ShapeFlat, core.ShapeUndecided} {
			fmt.Fprintf(table, "| %.1f\t", 100*c.Share(c.Shapes[s]))
		}
		for _, share := range []float64{c.Share(c.Ranked), c.Share(c.Reversed), c.Share(c.BestIn[0]), inside(c.WorstIn), wilsonCoverage(c)} {
			fmt.Fprintf(table, "| %.1f\t", 100*share)
		}
		fmt.Fprintln(table, "|")
	}
	table.Flush()
	return text.String()
}

// calibrateAll uses all cores.
func calibrateAll(t *testing.T, cells []calibrationCell) []simulate.Calibration {
	t.Helper()
	results := make([]simulate.Calibration, len(cells))
	next := make(chan int, len(cells))
	for i := range cells {
		next <- i
	}
	close(next)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range next {
				var err error
				if results[i], err = simulate.Calibrate(cells[i].settings); err != nil {
					t.Errorf("%s: %v", cells[i].name, err)
				}
			}
		}()
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return results
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

// Looked at after every question, the first word that is settled is counted once, and what
// any look said is kept.
func TestCalibrateCountsLooks(t *testing.T) {
	t.Parallel()
	calibrate := func(s simulate.CalibrationSettings) simulate.Calibration {
		t.Helper()
		s.Runs, s.Seed = 30, 2
		c, err := simulate.Calibrate(s)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// Without any spread 138 questions are flat, and 137 are not.
	all := simulate.CalibrationSettings{Accuracy: constant(5, 1), Questions: 137}
	if c := calibrate(all); c.Median != 0 || c.Shapes[core.ShapeUndecided] != 30 || len(c.Ever) != 0 || len(c.Settled) != 0 {
		t.Errorf("137 questions, all right: got %+v, want undecided", c)
	}
	all.Questions = 138
	if c := calibrate(all); c.Median != 138 || c.Shapes[core.ShapeFlat] != 30 || c.Ever[core.ShapeFlat] != 30 || c.Settled[core.ShapeFlat] != 30 || c.EverNamed != 0 {
		t.Errorf("138 questions, all right: got %+v, want flat", c)
	}
	all.Questions = 500
	if c := calibrate(all); c.Median != 138 || c.Settled[core.ShapeFlat] != 30 {
		t.Errorf("500 questions, all right: got %+v, want flat at 138", c)
	}
	// A U whose start is better is primacy at first in many runs.
	u := calibrate(simulate.CalibrationSettings{Accuracy: []float64{.8, .5, .5, .5, .65}, Correlation: .9, Questions: 200})
	if u.Shapes[core.ShapeU] < 25 || u.Ever[core.ShapePrimacy] < 10 || u.EverNamed != 30 || u.Named() < 28 {
		t.Errorf("a U: got %+v", u)
	}
}

// Copies that are counted apart are evidence that is not there; counted as clusters they
// are as many as the questions.
func TestCalibrateCopies(t *testing.T) {
	t.Parallel()
	s := simulate.CalibrationSettings{Accuracy: constant(5, .5), Correlation: .9, Questions: 100, Runs: 100, Seed: 4, Copies: 10}
	clustered, err1 := simulate.Calibrate(s)
	s.Apart = true
	apart, err2 := simulate.Calibrate(s)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if clustered.EverNamed > 10 || apart.EverNamed < 25 {
		t.Errorf("a flat reader was named in %d of 100 runs, and in %d where ten copies of each question count as ten; want a few and many",
			clustered.EverNamed, apart.EverNamed)
	}
	if !reflect.DeepEqual(clustered.Wilson, apart.Wilson) {
		t.Errorf("the answers differ: %v and %v", clustered.Wilson, apart.Wilson)
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
		{"Questions", func(s *simulate.CalibrationSettings) { s.Questions = 0 }},
		{"Copies", func(s *simulate.CalibrationSettings) { s.Copies = -1 }},
		{"documents", func(s *simulate.CalibrationSettings) { s.Accuracy = []float64{0.5} }},
		{"accuracy", func(s *simulate.CalibrationSettings) { s.Accuracy = []float64{0.5, 50} }},
		{"accuracy", func(s *simulate.CalibrationSettings) { s.Accuracy = nil }},
		{"correlation", func(s *simulate.CalibrationSettings) { s.Correlation = 2 }},
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
