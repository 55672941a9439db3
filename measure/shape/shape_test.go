package shape_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

// plainVerdict is the rule written down once more, in plain floating point.
type plainVerdict struct {
	h, t, e    [5]float64 // mean, standard error, z, low, high
	shape      core.Shape
	endsDiffer bool
	any, each  float64
}

func judgePlainly(o stats.Outcomes) plainVerdict {
	slots, n := o.Slots(), o.Questions()
	var v plainVerdict
	mean := func(question int, in func(x float64) bool) float64 {
		sum, count := 0.0, 0.0
		for i, slot := range slots {
			if in(float64(slot) / float64(o.Documents()-1)) {
				count++
				if o.Right(question, i) {
					sum++
				}
			}
		}
		return sum / count // NaN for an empty zone
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
	var h, tt, e []float64
	for q := range n {
		start := mean(q, func(x float64) bool { return x <= .15 })
		middle := mean(q, func(x float64) bool { return .25 <= x && x <= .75 })
		end := mean(q, func(x float64) bool { return x >= .85 })
		h, tt, e = append(h, start-middle), append(tt, end-middle), append(e, start-end)
	}
	finish := func(values []float64) (c [5]float64) {
		m, sd := stat.MeanStdDev(values, nil)
		se := sd / math.Sqrt(float64(n))
		z := m / se
		if se < 1e-12 {
			se, z = 0, 0
			if math.Abs(m) > 1e-12 {
				z = math.Copysign(math.Inf(1), m)
			}
		}
		return [5]float64{m, se, z, m - t.Quantile(.975)*se, m + t.Quantile(.975)*se}
	}
	v.h, v.t, v.e = finish(h), finish(tt), finish(e)
	v.shape = core.ShapeUndecided
	ze := v.e[2]
	if math.IsNaN(v.h[0]) {
		v.any, v.each = t.Quantile(.975), t.Quantile(.975)
		if ze > v.each {
			v.shape = core.ShapePrimacy
		}
		if ze < -v.each {
			v.shape = core.ShapeRecency
		}
	} else {
		g, z, zh, zt := t.Quantile(1-.05/6), t.Quantile(.95), v.h[2], v.t[2]
		v.any, v.each = g, z
		if math.Max(math.Abs(zh), math.Max(math.Abs(zt), math.Abs(ze))) <= g {
			v.shape = core.ShapeFlat
			for _, c := range [][5]float64{v.h, v.t, v.e} {
				if !(math.Abs(c[0])+z*c[1] < .05) {
					v.shape = core.ShapeUndecided
				}
			}
		} else if zh > z && zt > z {
			v.shape = core.ShapeU
		} else if zh < -z && zt < -z {
			v.shape = core.ShapeInverted
		} else if ze > z && (zh > z || zt < -z) {
			v.shape = core.ShapePrimacy
		} else if ze < -z && (zt > z || zh < -z) {
			v.shape = core.ShapeRecency
		}
	}
	v.endsDiffer = math.Abs(ze) > v.each
	return v
}

func sameNumber(got, want float64) bool {
	return got == want || math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
}

func sameContrast(got shape.Contrast, want [5]float64) bool {
	if math.IsNaN(want[0]) {
		return got == shape.Contrast{}
	}
	for i, v := range []float64{got.Mean, got.SE, got.Z, got.Low, got.High} {
		if !sameNumber(v, want[i]) {
			return false
		}
	}
	return true
}

// Random readers of all kinds, over random slots, against the plain rule.
func TestJudgeShapeFollowsTheRule(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(1))
	seen := map[string]int{}
	for run := range 3000 {
		documents := 2 + random.Intn(40)
		slots := []int{0}
		for slot := 1; slot < documents-1; slot++ {
			if random.Intn(3) > 0 {
				slots = append(slots, slot)
			}
		}
		slots = append(slots, documents-1)
		name := simulate.Names()[random.Intn(30)]
		if run%2 == 0 {
			name = []string{"flat", "u", "inverted", "primacy", "recency"}[run/2%5]
		}
		accuracy, err := simulate.Accuracy(name, documents)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := simulate.NewReader(accuracy, random.Float64(), uint64(run))
		if err != nil {
			t.Fatal(err)
		}
		o, err := reader.Outcomes(2+random.Intn(120), slots)
		if err != nil {
			t.Fatal(err)
		}
		got, want := shape.Judge(o), judgePlainly(o)
		if got.Shape != want.shape || got.EndsDiffer != want.endsDiffer ||
			!sameNumber(float64(got.Any), want.any) || !sameNumber(float64(got.Each), want.each) ||
			!sameContrast(got.StartMiddle, want.h) || !sameContrast(got.EndMiddle, want.t) || !sameContrast(got.StartEnd, want.e) {
			t.Fatalf("%s, %d documents, slots %v (-want +got)\n-%+v\n+%+v", name, documents, slots, want, got)
		}
		kind := string(got.Shape)
		if math.IsNaN(want.h[0]) {
			kind += " without a middle"
		}
		seen[kind]++
	}
	for _, kind := range []string{
		"U", "inverted", "primacy", "recency", "flat", "undecided",
		"primacy without a middle", "recency without a middle", "undecided without a middle",
	} {
		if seen[kind] < 5 {
			t.Errorf("%s came up %d times, too few to have tried it: %v", kind, seen[kind], seen)
		}
	}
}

// repeated gives n questions of each pattern.
func repeated(n int, patterns ...string) []string {
	var rows []string
	for _, p := range patterns {
		for range n {
			rows = append(rows, p)
		}
	}
	return rows
}

func TestJudgeShapeByHand(t *testing.T) {
	t.Parallel()
	five := slotsUpTo(5)
	for _, tt := range []struct {
		name       string
		slots      []int
		rows       []string
		want       core.Shape
		endsDiffer bool
	}{
		{"always the ends", five, repeated(20, "10001"), core.ShapeU, false},
		{"always the middle", five, repeated(20, "01110"), core.ShapeInverted, false},
		{"always the start", five, repeated(20, "10000"), core.ShapePrimacy, true},
		{"always the end", five, repeated(20, "00001"), core.ShapeRecency, true},
		{"never the end", five, repeated(20, "11110"), core.ShapePrimacy, true},
		{"never the start", five, repeated(20, "01111"), core.ShapeRecency, true},
		{"all or nothing", five, repeated(20, "11111", "00000"), core.ShapeFlat, false},
		{"two questions", five, []string{"10001", "00000"}, core.ShapeUndecided, false},
		{"one question", five, []string{"10001"}, core.ShapeUndecided, false},
		{"one question, only the start", five, []string{"10000"}, core.ShapeUndecided, false},
		{"a U with a better start", five, repeated(20, "10000", "10001"), core.ShapeU, true},
		{"ends alone, primacy", []int{0, 4}, repeated(20, "10"), core.ShapePrimacy, true},
		{"ends alone, recency", []int{0, 4}, repeated(20, "01"), core.ShapeRecency, true},
		{"ends alone, equal", []int{0, 4}, repeated(20, "11"), core.ShapeUndecided, false},
		{"no start", []int{1, 2, 4}, repeated(20, "001"), core.ShapeUndecided, false},
		{"no end", []int{0, 1, 2}, repeated(20, "100"), core.ShapeUndecided, false},
		{"no start, all or nothing", []int{1, 2, 4}, repeated(20, "111", "000"), core.ShapeUndecided, false},
		{"no end, all or nothing", []int{0, 1, 2}, repeated(20, "111", "000"), core.ShapeUndecided, false},
		{"middle alone", []int{2}, repeated(20, "1"), core.ShapeUndecided, false},
	} {
		got := shape.Judge(outcomesOf(t, 5, tt.slots, tt.rows...))
		if got.Shape != tt.want || got.EndsDiffer != tt.endsDiffer {
			t.Errorf("%s: got %s, ends differ %t, want %s, %t\n%+v", tt.name, got.Shape, got.EndsDiffer, tt.want, tt.endsDiffer, got)
		}
	}
	if got := shape.Judge(stats.Outcomes{}); got.Shape != core.ShapeUndecided {
		t.Errorf("no outcomes: got %s, want undecided", got.Shape)
	}
}

// With 21 documents the borders are slots 3, 5, 15 and 17, all of them inside.
func TestZonesHoldTheirBorders(t *testing.T) {
	t.Parallel()
	all := slotsUpTo(21)
	for slot := range all {
		row := strings.Repeat("0", slot) + "1" + strings.Repeat("0", 20-slot)
		c, err := shape.ContrastsOf(outcomesOf(t, 21, all, row, row), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		start, middle, end := 0.0, 0.0, 0.0
		switch {
		case slot <= 3:
			start = 1.0 / 4
		case slot >= 5 && slot <= 15:
			middle = 1.0 / 11
		case slot >= 17:
			end = 1.0 / 4
		}
		for what, pair := range map[string][2]float64{
			"start-middle": {c.StartMiddle.Mean, start - middle},
			"end-middle":   {c.EndMiddle.Mean, end - middle},
			"start-end":    {c.StartEnd.Mean, start - end},
		} {
			if !near(pair[0], pair[1]) {
				t.Errorf("slot %d, %s: got %g, want %g", slot, what, pair[0], pair[1])
			}
		}
	}
}

// More slots than bits in a word.
func TestJudgeShapeOfManySlots(t *testing.T) {
	t.Parallel()
	for _, documents := range []int{63, 64, 65, 150} {
		reader, err := simulate.NewNamedReader("recency", documents, 1)
		if err != nil {
			t.Fatal(err)
		}
		o, err := reader.Outcomes(60, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, want := shape.Judge(o), judgePlainly(o)
		if got.Shape != core.ShapeRecency || !sameContrast(got.StartEnd, want.e) || !sameContrast(got.EndMiddle, want.t) {
			t.Errorf("%d documents (-want +got)\n-%+v\n+%+v", documents, want, got)
		}
	}
}

func TestContrastsWidenWithTheConfidence(t *testing.T) {
	t.Parallel()
	o := outcomesOf(t, 5, slotsUpTo(5), "10001", "11001", "00010", "10000", "11111", "10100")
	narrow, err1 := shape.ContrastsOf(o, 0.5)
	wide, err2 := shape.ContrastsOf(o, 0.99)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, tt := range []struct {
		confidence float64
		got        shape.Contrast
	}{{0.5, narrow.StartEnd}, {0.99, wide.StartEnd}} {
		q := distuv.StudentsT{Sigma: 1, Nu: 5}.Quantile(0.5 + tt.confidence/2)
		if c := tt.got; !near(c.High, c.Mean+q*c.SE) || !near(c.Low, c.Mean-q*c.SE) {
			t.Errorf("at %g: got %+v, want the mean ± %g standard errors", tt.confidence, c, q)
		}
	}
}

func TestASingleQuestionKnowsNothing(t *testing.T) {
	t.Parallel()
	c, err := shape.ContrastsOf(outcomesOf(t, 5, slotsUpTo(5), "10000"), 0.95)
	want := shape.Contrast{Questions: 1, Mean: 1, SE: math.Inf(1), Interval: stats.Interval{Low: -1, High: 1}}
	if err != nil || c.StartMiddle != want {
		t.Errorf("(-want +got)\n-%+v\n+%+v (%v)", want, c.StartMiddle, err)
	}
}

// JSON has no infinity, and a report must not fail for one.
func TestVerdictsMarshal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ row, want string }{
		{"10001", `{"shape":"U","ends_differ":false,` +
			`"start_middle":{"questions":2,"mean":1,"se":0,"z":"+Inf","low":1,"high":1},` +
			`"end_middle":{"questions":2,"mean":1,"se":0,"z":"+Inf","low":1,"high":1},` +
			`"start_end":{"questions":2,"mean":0,"se":0,"z":0,"low":0,"high":0},` +
			`"any":38.18`},
		{"01110", `"z":"-Inf"`},
	} {
		v := shape.Judge(outcomesOf(t, 5, slotsUpTo(5), tt.row, tt.row))
		got, err := json.Marshal(v)
		if err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("got %s (%v), want %s in it", got, err, tt.want)
		}
	}
	got, err := json.Marshal(shape.Judge(outcomesOf(t, 5, slotsUpTo(5), "10001")))
	if err != nil || !strings.Contains(string(got), `"any":"+Inf","each":"+Inf","margin":0.05}`) {
		t.Errorf("a single question: got %s (%v)", got, err)
	}
}

func ExampleJudge() {
	reader, err := simulate.NewNamedReader("gpt-3.5-turbo/20", 20, 1)
	if err != nil {
		panic(err)
	}
	o, err := reader.Outcomes(300, nil)
	if err != nil {
		panic(err)
	}
	v := shape.Judge(o)
	fmt.Printf("%s: z of start - middle %.1f, end - middle %.1f, start - end %.1f; each must pass %.2f\n",
		v.Shape, v.StartMiddle.Z, v.EndMiddle.Z, v.StartEnd.Z, v.Each)
	fmt.Println("the ends differ:", v.EndsDiffer)
	// Output:
	// U: z of start - middle 10.9, end - middle 6.5, start - end 6.3; each must pass 1.65
	// the ends differ: true
}

func ExampleContrastsOf() {
	o, err := stats.NewOutcomes(5, []int{0, 2, 4}, [][]bool{
		{true, false, true}, {true, false, false}, {true, true, true}, {true, false, false},
	})
	if err != nil {
		panic(err)
	}
	c, err := shape.ContrastsOf(o, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("start - middle %.2f (%.2f to %.2f)\n", c.StartMiddle.Mean, c.StartMiddle.Low, c.StartMiddle.High)
	// Output: start - middle 0.75 (-0.05 to 1.55)
}
