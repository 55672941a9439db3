package shape_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

func TestFitFillsTheCurve(t *testing.T) {
	t.Parallel()
	// Counts 40, 5, 10, 5, 30 of 40: a U whose middle is pooled.
	rows := append(repeated(5, "11111", "10101"), repeated(20, "10001")...)
	rows = append(rows, repeated(10, "10000")...)
	info := shape.CurveInfo{
		Model: "m", Task: "t", Layout: "l", Date: "2026-01-31",
		Documents: 9, Questions: 40, Slots: []int{0, 2, 4, 6, 8}, Accuracy: []float64{1, 0.125, 0.25, 0.125, 0.75},
	}
	got, err := shape.Fit(shape.Judge(outcomesOf(t, 9, info.Slots, append(rows, "-")...)), info)
	want := &core.Curve{
		Format: core.CurveFormat, Model: "m", Task: "t", Layout: "l", Date: "2026-01-31",
		Documents: 9, Questions: 40, Shape: core.ShapeU, EndsDiffer: true,
		Slots:    []int{0, 2, 4, 6, 8},
		Accuracy: []float64{1, 0.125, 0.25, 0.125, 0.75},
		Fitted:   []float64{1, 0.125, 0.1875, 0.1875, 0.75},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v (%v)", want, got, err)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := core.ParseCurve(data); err != nil || !reflect.DeepEqual(back, want) {
		t.Errorf("read back (-want +got)\n-%+v\n+%+v (%v)", want, back, err)
	}
	info.Slots[0], info.Accuracy[0] = 1, 0
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the curve shares the caller's slices: %+v", got)
	}
}

func TestFitNeedsBothEnds(t *testing.T) {
	t.Parallel()
	for _, slots := range [][]int{{1, 2, 4}, {0, 1, 2}, {1, 2, 3}} {
		c, err := shape.Fit(shape.Verdict{Shape: core.ShapeUndecided}, shape.CurveInfo{
			Documents: 5, Questions: 2, Slots: slots, Accuracy: []float64{1, 0.5, 1},
		})
		want := "bookend: curve does not measure both ends, the first and the last of its 5 slots: measure them"
		if e := (*core.CurveError)(nil); !errors.As(err, &e) || err.Error() != want || c != nil {
			t.Errorf("slots %v (-want +got)\n-%s\n+%v", slots, want, err)
		}
	}
	if _, err := shape.Fit(shape.Verdict{}, shape.CurveInfo{}); !errors.As(err, new(*core.CurveError)) {
		t.Errorf("nothing measured: got %v, want a *core.CurveError", err)
	}
}

func infoOf(o stats.Outcomes) shape.CurveInfo {
	return shape.CurveInfo{Documents: o.Documents(), Questions: o.Questions(), Slots: o.Slots(), Accuracy: o.Accuracy()}
}

// The whole of the placement rule, from the outcomes to the order: what a curve of
// each shape does to the documents, at sizes that were not measured too.
func TestMeasuredPlacesByTheFit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(2))
	shapes := map[core.Shape]int{}
	for run := range 700 {
		documents := 3 + random.Intn(30)
		slots := []int{0}
		for slot := 1; slot < documents-1; slot++ {
			if random.Intn(4) > 0 {
				slots = append(slots, slot)
			}
		}
		slots = append(slots, documents-1)
		name := []string{"flat", "u", "inverted", "primacy", "recency", "gpt-3.5-turbo", "llama-2-70b-chat-repo"}[run%7]
		reader, err := simulate.NewNamedReader(name, documents, uint64(run))
		if err != nil {
			t.Fatal(err)
		}
		o, err := reader.Outcomes(30+random.Intn(500), slots)
		if err != nil {
			t.Fatal(err)
		}
		verdict := shape.Judge(o)
		c, err := shape.Fit(verdict, infoOf(o))
		if err != nil {
			t.Fatal(err)
		}
		if c.Shape != verdict.Shape || c.EndsDiffer != verdict.EndsDiffer || !reflect.DeepEqual(c.Accuracy, o.Accuracy()) {
			t.Fatalf("the curve %+v is not what %+v and %v say", c, verdict, o.Accuracy())
		}
		n := 1 + random.Intn(40)
		order, err := core.Order(core.Measured{Curve: c}, n)
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		kind := c.Shape
		switch {
		case c.Shape == core.ShapeRecency:
			want, _ = core.Order(core.Reversed, n)
		case c.Shape == core.ShapeU && !c.EndsDiffer:
			kind = "U with equal ends"
			want, _ = core.Order(core.HeadTail, n)
		case c.Shape == core.ShapeU, c.Shape == core.ShapeInverted:
			checkFit(t, c)
			want = placedPlainly(c, n)
		default:
			want, _ = core.Order(core.RankOrder, n)
			if c.Fitted != nil {
				t.Errorf("%s: got fitted values, want none", c.Shape)
			}
		}
		if !slices.Equal(order, want) {
			t.Fatalf("%s, %d documents (-want +got)\n-%v\n+%v\n%+v", kind, n, want, order, c)
		}
		shapes[kind]++
	}
	for _, kind := range []core.Shape{"U", "U with equal ends", "inverted", "primacy", "recency", "flat", "undecided"} {
		if shapes[kind] < 5 {
			t.Errorf("%s came up %d times, too few to have tried it: %v", kind, shapes[kind], shapes)
		}
	}
}

// checkFit holds the fit to what it promises: shares, of the shape's form, with the
// sum of the accuracies.
func checkFit(t *testing.T, c *core.Curve) {
	t.Helper()
	sign := 1.0
	if c.Shape == core.ShapeInverted {
		sign = -1
	}
	rising, sum := false, 0.0
	for i, v := range c.Fitted {
		if !(v >= 0 && v <= 1) || math.Signbit(v) {
			t.Errorf("fitted value %g of slot %d is no share", v, c.Slots[i])
		}
		sum += v - c.Accuracy[i]
		if i == 0 {
			continue
		}
		switch step := sign * (v - c.Fitted[i-1]); {
		case step > 0:
			rising = true
		case step < 0 && rising:
			t.Errorf("%s is fitted by %v, which turns twice", c.Shape, c.Fitted)
		}
	}
	if len(c.Fitted) != len(c.Slots) || math.Abs(sum) > 1e-9 {
		t.Errorf("%v is fitted by %v, want the same number and the same mean", c.Accuracy, c.Fitted)
	}
}

// placedPlainly sorts the slots by the interpolated fit, by a bubble sort over the
// rule as it is stated.
func placedPlainly(c *core.Curve, n int) []int {
	value := make([]float64, n)
	for j := range value {
		x := 0.0
		if n > 1 {
			x = float64(j) / float64(n-1) * float64(c.Documents-1)
		}
		for i := range c.Slots {
			if x >= float64(c.Slots[i])-1e-9 {
				value[j] = c.Fitted[i]
				if i+1 < len(c.Slots) {
					left, right := float64(c.Slots[i]), float64(c.Slots[i+1])
					value[j] += (c.Fitted[i+1] - c.Fitted[i]) * (x - left) / (right - left)
				}
			}
		}
		value[j] = math.Round(value[j] * 1e9)
	}
	before := func(a, b int) bool {
		if value[a] != value[b] {
			return value[a] > value[b]
		}
		if da, db := min(a, n-1-a), min(b, n-1-b); c.Shape == core.ShapeU && da != db {
			return da < db
		}
		return a < b
	}
	slots := slotsUpTo(n)
	for range slots {
		for i := 1; i < n; i++ {
			if before(slots[i], slots[i-1]) {
				slots[i], slots[i-1] = slots[i-1], slots[i]
			}
		}
	}
	order := make([]int, n)
	for rank, slot := range slots {
		order[slot] = rank
	}
	return order
}

func ExampleFit() {
	reader, err := simulate.NewNamedReader("gpt-3.5-turbo/20", 20, 1)
	if err != nil {
		panic(err)
	}
	o, err := reader.Outcomes(300, []int{0, 4, 9, 14, 19})
	if err != nil {
		panic(err)
	}
	curve, err := shape.Fit(shape.Judge(o), shape.CurveInfo{
		Model: "simulated gpt-3.5-turbo", Task: "question answering",
		Documents: o.Documents(), Questions: o.Questions(), Slots: o.Slots(), Accuracy: o.Accuracy(),
	})
	if err != nil {
		panic(err)
	}
	order, err := core.Order(core.Measured{Curve: curve}, 8)
	if err != nil {
		panic(err)
	}
	fmt.Println(curve.Shape, order)
	// Output: U [0 1 4 6 7 5 3 2]
}
