package worth_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/worth"
)

// The values are arithmetic by somebody else's program.
func TestExpectedAgreesWithTheReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/placement-value.json")
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Rows []struct {
			Source, Model                   string
			N                               int
			Decay                           float64
			Ranked, Reversed, Best, Uniform float64
			HeadTail                        float64 `json:"head_tail"`
		}
	}
	if err := json.Unmarshal(text, &reference); err != nil || len(reference.Rows) != 60 {
		t.Fatal(len(reference.Rows), err)
	}
	for _, row := range reference.Rows {
		curve := publishedAs(t, row.Source, row.Model, row.N)
		accuracy := curve.At(row.N)
		gold, err := dataset.DecayingRanks(row.N, row.Decay)
		if err != nil {
			t.Fatal(err)
		}
		value := func(p core.Placement) float64 {
			order, err := core.Order(p, row.N)
			if err != nil {
				t.Fatal(err)
			}
			v, err := worth.Expected(accuracy, order, gold)
			if err != nil {
				t.Fatal(err)
			}
			return 100 * v
		}
		uniform := make([]float64, row.N)
		for i := range uniform {
			uniform[i] = 1 / float64(row.N)
		}
		even, err := worth.Expected(accuracy, slot.All(row.N), uniform)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name      string
			want, got float64
		}{
			{"ranked", row.Ranked, value(core.RankOrder)},
			{"reversed", row.Reversed, value(core.Reversed)},
			{"head-tail", row.HeadTail, value(core.HeadTail)},
			{"uniform", row.Uniform, 100 * even},
		} {
			if math.Abs(c.want-c.got) > 1e-4 {
				t.Errorf("%s, decay %g, %s (-want +got)\n-%.4f\n+%.4f", curve.Name, row.Decay, c.name, c.want, c.got)
			}
		}
		for _, named := range []core.Shape{core.ShapeU, core.ShapeInverted, core.ShapeRecency, core.ShapePrimacy} {
			measured := &core.Curve{
				Format: core.CurveFormat, Documents: row.N, Shape: named, EndsDiffer: true, Slots: curve.Slots,
				Accuracy: curve.Accuracy, Fitted: shape.Fitted(named, curve.Accuracy),
			}
			if got := value(core.Measured{Curve: measured}); got > row.Best+1e-4 {
				t.Errorf("%s, decay %g: measured as %s is worth %.4f, more than the best, %.4f", curve.Name, row.Decay, named, got, row.Best)
			}
			if got, err := worth.AccuracyBySlot(measured, row.N); err != nil || !slices.Equal(got, accuracy) {
				t.Errorf("%s: by slot (-want +got)\n-%v\n+%v, %v", curve.Name, accuracy, got, err)
			}
		}
	}
}

func publishedAs(t *testing.T, source, model string, documents int) published.Curve {
	t.Helper()
	for _, c := range published.All() {
		if c.Source == source && c.Model == model && c.Documents == documents {
			return c
		}
	}
	t.Fatalf("no published curve of %s, %s, %d", source, model, documents)
	return published.Curve{}
}

func TestExpectedWantsOneValueADocument(t *testing.T) {
	t.Parallel()
	half := []float64{0.5, 0.5}
	for name, c := range map[string]struct {
		accuracy, gold []float64
		order          []int
	}{
		"nothing":        {nil, nil, nil},
		"short order":    {half, half, []int{0}},
		"short gold":     {half, []float64{1}, []int{0, 1}},
		"twice":          {half, half, []int{1, 1}},
		"outside":        {half, half, []int{0, 2}},
		"negative rank":  {half, half, []int{0, -1}},
		"percent":        {[]float64{50, 50}, half, []int{0, 1}},
		"not a number":   {half, []float64{math.NaN(), 0}, []int{0, 1}},
		"more than once": {half, []float64{0.9, 0.9}, []int{0, 1}},
	} {
		v, err := worth.Expected(c.accuracy, c.order, c.gold)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	if v, err := worth.Expected([]float64{0.8, 0.4}, []int{1, 0}, []float64{0.5, 0.25}); err != nil || math.Abs(v-0.4) > 1e-12 {
		t.Errorf("an answer that is missing in a quarter: %v, %v", v, err)
	}
	if _, err := worth.AccuracyBySlot(nil, 3); err == nil {
		t.Error("no error for a curve that is nil")
	}
}
