package core_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// curve returns a valid curve over the given slots.
func curve(shape core.Shape, slots []int, fitted ...float64) *core.Curve {
	return &core.Curve{
		Format: core.CurveFormat, Model: "m", Shape: shape, EndsDiffer: true,
		Documents: slots[len(slots)-1] + 1, Slots: slots, Accuracy: make([]float64, len(slots)), Fitted: fitted,
	}
}

func TestMeasuredByShape(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4}
	equalEnds := curve(core.ShapeU, all, 0.5, 0.4, 0.3, 0.6, 0.9)
	equalEnds.EndsDiffer = false
	for _, test := range []struct {
		rule  string
		curve *core.Curve
		n     int
		want  string // 1-based ranks by slot
	}{
		{"flat: ranked", curve(core.ShapeFlat, all), 5, "12345"},
		{"undecided: ranked", curve(core.ShapeUndecided, all), 5, "12345"},
		{"primacy: ranked", curve(core.ShapePrimacy, all), 5, "12345"},
		{"primacy: ranked, whatever was fitted", curve(core.ShapePrimacy, all, 0.1, 0.2, 0.3, 0.4, 0.5), 5, "12345"},
		{"recency: reversed", curve(core.ShapeRecency, all), 5, "54321"},
		{"recency: reversed, whatever was fitted", curve(core.ShapeRecency, all, 0.9, 0.2, 0.3, 0.4, 0.5), 4, "4321"},
		{"U with equal ends: head-tail", equalEnds, 5, "13542"},
		{"U with equal ends: head-tail, another number", equalEnds, 4, "1342"},
		{"U: the best rank into the best slot", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 5, "24531"},
		{"U: the start is better", curve(core.ShapeU, all, 0.9, 0.7, 0.4, 0.5, 0.6), 5, "12543"},
		{"U, ties: nearer its end first", curve(core.ShapeU, all, 0.9, 0.5, 0.5, 0.5, 0.7), 5, "13542"},
		{"U, ties: equally near, the lower slot first", curve(core.ShapeU, all, 0.9, 0.5, 0.4, 0.5, 0.9), 5, "13542"},
		{"U, ties all over", curve(core.ShapeU, all, 0.5, 0.5, 0.5, 0.5, 0.5), 6, "135642"},
		{"inverted", curve(core.ShapeInverted, all, 0.2, 0.6, 0.9, 0.7, 0.3), 5, "53124"},
		{"inverted, ties: the lower slot first", curve(core.ShapeInverted, all, 0.2, 0.6, 0.6, 0.6, 0.2), 5, "41235"},
		{"inverted, whether the ends differ or not", func() *core.Curve {
			c := curve(core.ShapeInverted, all, 0.2, 0.6, 0.9, 0.7, 0.3)
			c.EndsDiffer = false
			return c
		}(), 5, "53124"},

		{"one document: the first slot", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 1, "1"},
		{"two documents: the ends", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 2, "21"},
		{"three documents: ends and middle", curve(core.ShapeU, all, 0.8, 0.1, 0.4, 0.1, 0.9), 3, "231"},
		{"none", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 0, ""},
		// Slot 1 of 3 lies half way from 0.9 to 0.1: 0.5 beats the end's 0.4.
		{"interpolation, two slots measured", curve(core.ShapeU, []int{0, 9}, 0.9, 0.1), 3, "123"},
		// x = 0, 4/3, 8/3, 4: 0.8, 0.4667, 0.5333 and 0.9.
		{"interpolation between measured slots", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 4, "2431"},
		// x = 0, .5, … 4: .8 .65 .5 .45 .4 .5 .6 .75 .9; slot 5 ties with slot 2 and is no nearer.
		{"interpolation to more documents than measured", curve(core.ShapeU, all, 0.8, 0.5, 0.4, 0.6, 0.9), 9, "246897531"},
		// Slots 0, 2 and 6 of 7: x = 0 … 6 gives .9 .6 .3 .4 .5 .6 .7; slots 1 and 5 tie.
		{"interpolation over uneven gaps", curve(core.ShapeU, []int{0, 2, 6}, 0.9, 0.3, 0.7), 7, "1376542"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			same(t, "order", test.want, digits(mustOrder(t, core.Measured{Curve: test.curve}, test.n)))
		})
	}
}

// Values count to nine places: less than that is the noise of interpolation.
func TestMeasuredRounds(t *testing.T) {
	t.Parallel()
	slots := []int{0, 1, 2, 3, 4}
	noise := curve(core.ShapeU, slots, 0.9, 0.5, 0.5+1e-10, 0.5, 0.7)
	same(t, "1e-10 more is a tie", "13542", digits(mustOrder(t, core.Measured{Curve: noise}, 5)))
	more := curve(core.ShapeU, slots, 0.9, 0.5, 0.5+2e-9, 0.5, 0.7)
	same(t, "2e-9 more is not", "14352", digits(mustOrder(t, core.Measured{Curve: more}, 5)))
}

// An interpolated curve that is symmetric has its ties broken the same way at
// every n, whatever the arithmetic makes of slot/(n-1).
func TestMeasuredInterpolationKeepsTies(t *testing.T) {
	t.Parallel()
	c := curve(core.ShapeU, []int{0, 3, 6}, 0.9, 0.3, 0.9)
	for n := range 100 {
		same(t, fmt.Sprint("n=", n), mustOrder(t, core.HeadTail, n), mustOrder(t, core.Measured{Curve: c}, n))
	}
}

func TestMeasuredNote(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Placement: core.Choice{Placement: core.Measured{Curve: mustLoad(t, "testdata/curve.json")}}})
	arrangement := mustArrange(t, a, named("A B C D E"))
	same(t, "ranks", []int{1, 3, 4, 2, 0}, arrangement.Ranks())
	same(t, "placement", `measured ("example-model", 5 documents)`, arrangement.Placement)
	same(t, "notes with as many documents", nil, arrangement.Notes)
	same(t, "notes with fewer", []string{"the curve was measured with 5 documents and is used for 4"},
		mustArrange(t, a, named("A B C D")).Notes)
}

func TestNewCopiesTheCurve(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "testdata/curve.json")
	a := mustNew(t, core.Config{Placement: core.Choice{Placement: core.Measured{Curve: c}}})
	with, err := a.With(core.Measured{Curve: c})
	if err != nil {
		t.Fatal(err)
	}
	c.Shape = core.ShapeRecency
	c.Slots[1], c.Accuracy[0], c.Fitted[0] = 99, 99, 99
	for _, a := range []*core.Arranger{a, with} {
		same(t, "placed", "B D E C A", mustTransform(t, a, named("A B C D E")))
		kept := a.Config().Placement.Placement.(core.Measured).Curve
		same(t, "slots", []int{0, 1, 2, 3, 4}, kept.Slots)
		same(t, "accuracy", 0.78, kept.Accuracy[0])
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	valid := func() *core.Curve { return curve(core.ShapeU, []int{0, 2, 4}, 0.9, 0.3, 0.7) }
	same(t, "error of a valid curve", nil, valid().Check())
	same(t, "error of a shape that needs no fit", nil, curve(core.ShapeRecency, []int{0, 4}).Check())
	for _, test := range []struct {
		change  func(*core.Curve)
		mention string
	}{
		{func(c *core.Curve) { c.Format = "" }, `has the format "", not "bookend-curve/1"`},
		{func(c *core.Curve) { c.Format = "bookend-curve/2" }, `has the format "bookend-curve/2"`},
		{func(c *core.Curve) { c.Kind = "Use" }, `has the kind "Use"; leave it out for accuracies, or write "use"`},
		{func(c *core.Curve) { c.Shape = "" }, `has the shape ""; valid are U, inverted`},
		{func(c *core.Curve) { c.Shape = "u" }, `has the shape "u"`},
		{func(c *core.Curve) { c.Documents, c.Slots = 1, []int{0} }, "has 1 documents; at least 2"},
		{func(c *core.Curve) { c.Documents = -5 }, "has -5 documents"},
		{func(c *core.Curve) { c.Slots = nil }, "does not measure both ends, the first and the last of its 5 slots"},
		{func(c *core.Curve) { c.Slots[0] = 1 }, "does not measure both ends, the first and the last of its 5 slots"},
		{func(c *core.Curve) { c.Slots[2] = 3 }, "does not measure both ends, the first and the last of its 5 slots"},
		{func(c *core.Curve) { c.Documents = 6 }, "does not measure both ends, the first and the last of its 6 slots"},
		{func(c *core.Curve) { c.Slots = []int{0, 2, 2, 4} }, "slots that do not ascend"},
		{func(c *core.Curve) { c.Slots = []int{0, 3, 2, 4} }, "slots that do not ascend"},
		{func(c *core.Curve) { c.Slots = []int{0, 9, 4} }, "slots that do not ascend"},
		{func(c *core.Curve) { c.Accuracy = c.Accuracy[:2] }, "has 2 accuracies for 3 slots"},
		{func(c *core.Curve) { c.Accuracy[1] = 55 }, "shares, not percent"},
		{func(c *core.Curve) { c.Accuracy[1] = -0.1 }, "outside 0 to 1"},
		{func(c *core.Curve) { c.Accuracy[1] = missing }, "outside 0 to 1"},
		{func(c *core.Curve) { c.Fitted[2] = 1.01 }, "outside 0 to 1"},
		{func(c *core.Curve) { c.Fitted = nil }, "has 0 fitted values for 3 slots, which its shape U needs"},
		{func(c *core.Curve) { c.Shape, c.Fitted = core.ShapeInverted, c.Fitted[:2] }, "has 2 fitted values for 3 slots, which its shape inverted needs"},
	} {
		c := valid()
		test.change(c)
		err := c.Check()
		mustMention(t, err, "bookend: curve ", test.mention)
		mustBe[*core.CurveError](t, err)
		if _, err := core.New(core.Config{Placement: core.Choice{Placement: core.Measured{Curve: c}}}); err == nil {
			t.Errorf("New takes a curve that %s", test.mention)
		}
	}
	mustMention(t, (*core.Curve)(nil).Check(), "curve is nil")
}

// Shares may be 0 and 1.
func TestCheckAllowsTheLimits(t *testing.T) {
	t.Parallel()
	c := curve(core.ShapeU, []int{0, 1}, 0, 1)
	c.Accuracy = []float64{0, 1}
	same(t, "error", nil, c.Check())
}

const minimalCurve = `{"format": "bookend-curve/1", "documents": 2, "shape": "flat", "slots": [0, 1], "accuracy": [0.5, 0.5]}`

func TestParseCurve(t *testing.T) {
	t.Parallel()
	got, err := core.ParseCurve([]byte(minimalCurve + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "curve", core.Curve{
		Format: core.CurveFormat, Documents: 2, Shape: core.ShapeFlat, Slots: []int{0, 1}, Accuracy: []float64{0.5, 0.5},
	}, *got)
}

func TestCurveFileErrors(t *testing.T) {
	t.Parallel()
	with := func(key string) string { return strings.Replace(minimalCurve, "{", "{"+key+", ", 1) }
	for name, test := range map[string]struct {
		content string
		mention string
	}{
		"empty":             {"", "is not the JSON of a curve"},
		"null":              {"null", "has the format"},
		"text":              {"slot,accuracy\n0,0.5\n", "is not the JSON of a curve"},
		"a list":            {"[]", "is not the JSON of a curve"},
		"cut off":           {minimalCurve[:40], "is not the JSON of a curve"},
		"of another kind":   {`{"format": "vegalite/1"}`, `has the format "vegalite/1"`},
		"a plain object":    {`{}`, `has the format ""`},
		"unknown key":       {with(`"colour": "red"`), `unknown field "colour"`},
		"wrong type":        {with(`"questions": "many"`), "is not the JSON of a curve"},
		"more after it":     {minimalCurve + " {}", "there is more after the end"},
		"noise after it":    {minimalCurve + " x", "there is more after the end"},
		"percent":           {strings.Replace(minimalCurve, "[0.5, 0.5]", "[50, 50]", 1), "shares, not percent"},
		"not ascending":     {`{"format": "bookend-curve/1", "documents": 3, "shape": "flat", "slots": [0, 1, 1, 2], "accuracy": [1, 1, 1, 1]}`, "do not ascend"},
		"ends not measured": {`{"format": "bookend-curve/1", "documents": 9, "shape": "flat", "slots": [0, 1], "accuracy": [1, 1]}`, "the first and the last of its 9 slots"},
		"lengths":           {`{"format": "bookend-curve/1", "documents": 2, "shape": "flat", "slots": [0, 1], "accuracy": [1]}`, "has 1 accuracies for 2 slots"},
		"too large":         {minimalCurve + strings.Repeat(" ", 1<<20), "is larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "curve.json")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := core.LoadCurve(path)
			if c != nil {
				t.Errorf("got %v with the error", c)
			}
			same(t, "path", path, mustBe[*core.CurveError](t, err).Path)
			mustMention(t, err, "bookend: curve file ", test.mention)

			_, err = core.ParseCurve([]byte(test.content))
			same(t, "path", "", mustBe[*core.CurveError](t, err).Path)
			mustMention(t, err, "bookend: curve ", test.mention)

			_, err = core.ParsePlacement("measured=" + path)
			mustMention(t, err, test.mention)
		})
	}
}

// A curve file of just 1 MiB is read.
func TestCurveFileOfTheLargestSize(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "curve.json")
	content := minimalCurve + strings.Repeat(" ", 1<<20-len(minimalCurve))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := core.LoadCurve(path)
	same(t, "error", nil, err)
}

func TestCurveFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := core.LoadCurve(filepath.Join(t.TempDir(), "none.json"))
	mustBe[*core.CurveError](t, err)
	mustMention(t, err, "none.json", "cannot be opened")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}

	// What is not a regular file is not even opened: a pipe would wait for its writer.
	_, err = core.LoadCurve(t.TempDir())
	mustBe[*core.CurveError](t, err)
	mustMention(t, err, "not a regular file")
}

func TestCurveKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	c := mustLoad(t, "testdata/curve.json")
	content, err := os.ReadFile("testdata/curve.json")
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, content); err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", compact.String(), string(written))
}
