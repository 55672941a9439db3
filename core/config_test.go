package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

func ptr[T any](v T) *T { return &v }

func words(text string) int { return len(strings.Fields(text)) }

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	higher := core.HigherIsBetter
	for _, test := range []struct {
		config  core.Config
		field   string
		mention []string
	}{
		{core.Config{Rank: "best"}, "Rank", []string{`"best"`, `"given" or "score"`}},
		{core.Config{Direction: "up"}, "Direction", []string{`"up"`, `"higher-is-better" or "lower-is-better"`}},
		{core.Config{Rank: core.ByScore}, "Direction", []string{`""`, "ranking by score needs"}},
		{core.Config{Threshold: ptr(0.5)}, "Direction", []string{"a Threshold needs"}},
		{core.Config{ThresholdBy: "rerank"}, "ThresholdBy", []string{`"rerank"`, `"own" or "ranking"`}},
		{core.Config{Direction: higher, Threshold: ptr(math.NaN())}, "Threshold", []string{"NaN", "finite"}},
		{core.Config{Direction: higher, Threshold: ptr(math.Inf(1))}, "Threshold", []string{"+Inf", "finite"}},
		{core.Config{Direction: higher, Threshold: ptr(math.Inf(-1))}, "Threshold", []string{"-Inf", "finite"}},
		{core.Config{TopK: -1}, "TopK", []string{"-1", "0 (no limit) or more"}},
		{core.Config{Budget: -2}, "Budget", []string{"-2", "0 (no limit) or more"}},
		{core.Config{MaxBytes: -3}, "MaxBytes", []string{"-3", "0 (the default) or more"}},
		{core.Config{MinDocuments: -4}, "MinDocuments", []string{"-4", "0 (always place) or more"}},
		{core.Config{Unit: "tokens"}, "Unit", []string{`"tokens"`, `"runes" or "words"`}},
		{core.Config{Unit: core.Runes, Count: words}, "Unit", []string{"Unit or Count, not both"}},
		{core.Config{Budget: 5}, "Budget", []string{"5", "needs a counter"}},
		{core.Config{KeepBest: true}, "KeepBest", []string{"needs a Budget"}},
		{core.Config{KeepBest: true, Unit: core.Words}, "KeepBest", []string{"needs a Budget"}},
		{core.Config{Overflow: "cut"}, "Overflow", []string{`"cut"`, `"stop" or "skip"`}},
		{core.Config{Pins: []string{"a", ""}}, "Pins", []string{"empty ID"}},
		{core.Config{Placement: core.Choice{Placement: core.StandardPlacement(6)}}, "Placement", []string{"StandardPlacement(6)"}},
		{core.Config{Placement: core.Choice{Placement: core.EdgesFirst{Edge: -1}}}, "Placement", []string{"EdgesFirst{Edge: -1}", "0 (which means 2) or more"}},
		{core.Config{Placement: core.Choice{Placement: core.PlacementFunc(nil)}}, "Placement", []string{"PlacementFunc(nil)", "not nil"}},
		{core.Config{Placement: core.Choice{Placement: core.Choice{Placement: core.EdgesFirst{Edge: -1}}}}, "Placement", []string{"EdgesFirst{Edge: -1}"}},
	} {
		a, err := core.New(test.config)
		if a != nil {
			t.Errorf("%s %q: New returned an Arranger", test.field, test.mention)
		}
		mustMention(t, err, test.mention...)
		var e *core.ConfigError
		if !errors.As(err, &e) {
			t.Errorf("%s %q: got error %T, want a *ConfigError", test.field, test.mention, err)
			continue
		}
		same(t, "field", test.field, e.Field)
		same(t, "number of faults", 1, len(joined(err)))
		mustMention(t, e, "bookend: "+test.field+" is ")
	}
}

func TestNewRefusesABrokenCurve(t *testing.T) {
	t.Parallel()
	_, err := core.New(core.Config{Placement: core.Choice{Placement: core.Measured{}}})
	mustBe[*core.CurveError](t, err)
}

func TestNewAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []core.Config{
		{},
		{Rank: core.AsGiven, Overflow: core.Stop},
		{Rank: core.ByScore, Direction: core.LowerIsBetter, Threshold: ptr(-1.5)},
		{Unit: core.Runes},
		{Count: words},
		{Budget: 1, Count: words, KeepBest: true, Overflow: core.Skip},
		{Budget: 1, Unit: core.Words},
	} {
		if _, err := core.New(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Several faults come together, each as an error of its own.
func TestNewJoinsFaults(t *testing.T) {
	t.Parallel()
	_, err := core.New(core.Config{
		Rank: core.ByScore, Threshold: ptr(math.NaN()), TopK: -1, Budget: -1, MaxBytes: -1, MinDocuments: -1,
		Unit: "tokens", Count: words, Overflow: "cut", Pins: []string{""},
		Placement: core.Choice{Placement: core.EdgesFirst{Edge: -1}},
	})
	var fields []string
	for _, fault := range joined(err) {
		fields = append(fields, mustBe[*core.ConfigError](t, fault).Field)
	}
	same(t, "fields", []string{
		"Direction", "Direction", "Threshold", "TopK", "Budget", "MaxBytes", "MinDocuments",
		"Unit", "Unit", "Overflow", "Pins", "Placement",
	}, fields)

	_, err = core.New(core.Config{TopK: -1, Placement: core.Choice{Placement: core.Measured{}}})
	mustBe[*core.ConfigError](t, err)
	mustBe[*core.CurveError](t, err)
}

func fullConfig(t testing.TB) core.Config {
	return core.Config{
		Rank: core.ByScore, Direction: core.LowerIsBetter, Keys: core.Keys{ID: "key", Score: "distance", Pin: "always", Source: "file", Position: "line"},
		Pins: []string{"a", "b"}, DropSameID: true, DropSameText: true,
		Threshold: ptr(0.25), ThresholdBy: core.OwnScore, MaxBytes: 2000, TopK: 7, Budget: 900, Unit: core.Words,
		Overflow: core.Skip, KeepBest: true,
		Placement:    core.Choice{Placement: core.Shuffled{Seed: 1<<64 - 1}},
		MinDocuments: 3, Groups: true,
	}
}

// Every field that has a key goes there and back.
func TestConfigJSON(t *testing.T) {
	t.Parallel()
	want := fullConfig(t)
	for i := range reflect.TypeFor[core.Config]().NumField() {
		field := reflect.TypeFor[core.Config]().Field(i)
		if field.Tag.Get("json") != "-" && reflect.ValueOf(want).Field(i).IsZero() {
			t.Errorf("the test sets no %s", field.Name)
		}
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", `{"rank":"score","direction":"lower-is-better","keys":{"id":"key","score":"distance","pin":"always","source":"file","position":"line"},`+
		`"pins":["a","b"],"drop_same_id":true,"drop_same_text":true,`+
		`"threshold":0.25,"threshold_by":"own","max_bytes":2000,"top_k":7,"budget":900,"unit":"words",`+
		`"overflow":"skip","keep_best":true,"placement":{"name":"shuffled","seed":18446744073709551615},`+
		`"min_documents":3,"groups":true}`, string(data))
	var got core.Config
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	same(t, "config", want, got)
	mustNew(t, got)
}

func TestConfigJSONOfTheZeroValue(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(core.Config{Count: words, Select: func(context.Context) *core.Arranger { return nil }})
	same(t, "JSON", "{}", string(data))
	same(t, "error", nil, err)
}

func TestConfigJSONRefuses(t *testing.T) {
	t.Parallel()
	for data, mention := range map[string]string{
		`{"topk": 3}`:                          `unknown field "topk"`,
		`{"Observe": null}`:                    `unknown field "Observe"`,
		`{"count": null}`:                      `unknown field "count"`,
		`{"top_k": "3"}`:                       "top_k",
		`{"top_k": 2.5}`:                       "top_k",
		`{"threshold": "NaN"}`:                 "threshold",
		`{"placement": "no-such"}`:             "valid names",
		`{"placement": {"name": "x", "y": 1}}`: `unknown field "y"`,
		`[]`:                                   "array",
	} {
		var c core.Config
		mustMention(t, json.Unmarshal([]byte(data), &c), mention)
	}
	var c core.Config
	mustMention(t, c.UnmarshalJSON([]byte(`{} {}`)), "more after the end")
}

// What the JSON does not mention stays, so that it can be read over defaults set
// in code.
func TestConfigJSONKeepsTheRest(t *testing.T) {
	t.Parallel()
	observed := false
	c := core.Config{TopK: 5, MinDocuments: 2, Unit: core.Runes, Observe: func(context.Context, core.Event) { observed = true }}
	if err := json.Unmarshal([]byte(`{"top_k": 1, "placement": "reversed"}`), &c); err != nil {
		t.Fatal(err)
	}
	same(t, "TopK", 1, c.TopK)
	same(t, "MinDocuments", 2, c.MinDocuments)
	same(t, "Unit", core.Runes, c.Unit)
	same(t, "placement", "reversed", c.Placement.String())
	mustTransform(t, mustNew(t, c), named("A B"))
	same(t, "observed", true, observed)
}

func TestNewCopiesTheConfig(t *testing.T) {
	t.Parallel()
	c := core.Config{Pins: []string{"c"}, Direction: core.HigherIsBetter, Threshold: ptr(2.0), Placement: core.Choice{Placement: core.RankOrder}}
	a := mustNew(t, c)
	c.Pins[0], *c.Threshold = "a", 9
	c.TopK = 1
	docs := []doc{{name: "A", id: "a", score: 1}, {name: "B", id: "b", score: 2}, {name: "C", id: "c", score: 0}}
	same(t, "placed", "B C", mustTransform(t, a, docs))
}

// An Arranger is immutable: what Config returns is not its own.
func TestConfigReturnsACopy(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{
		Pins: []string{"c"}, Direction: core.HigherIsBetter, Threshold: ptr(2.0), TopK: 3,
		Placement: core.Choice{Placement: core.Measured{Curve: mustLoad(t, "testdata/curve.json")}},
	})
	got := a.Config()
	same(t, "TopK", 3, got.TopK)
	got.Pins[0] = "changed"
	*got.Threshold = 99
	got.Placement.Placement.(core.Measured).Curve.Fitted[0] = 99
	got.Placement.Placement.(core.Measured).Curve.Shape = core.ShapeFlat
	again := a.Config()
	same(t, "pins", []string{"c"}, again.Pins)
	same(t, "threshold", 2.0, *again.Threshold)
	curve := again.Placement.Placement.(core.Measured).Curve
	same(t, "fitted", 0.8, curve.Fitted[0])
	same(t, "shape", core.ShapeU, curve.Shape)
}

func TestWith(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{TopK: 4})
	docs := named("A B C D E")
	reversed, err := a.With(core.Reversed)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "with Reversed", "D C B A", mustTransform(t, reversed, docs))
	same(t, "the Arranger itself", "A C D B", mustTransform(t, a, docs))
	back, err := reversed.With(nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "with nil", "A C D B", mustTransform(t, back, docs))

	_, err = a.With(core.EdgesFirst{Edge: -1})
	mustBe[*core.ConfigError](t, err)

	fromNil, err := (*core.Arranger)(nil).With(core.Reversed)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "nil with Reversed", "E D C B A", mustTransform(t, fromNil, docs))

	fromOff, err := core.Off.With(core.Reversed)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Off with Reversed", "E D C B A", mustTransform(t, fromOff, docs))
	same(t, "is off", false, fromOff.IsOff())
	same(t, "Off itself", "A B C D E", mustTransform(t, core.Off, docs))
}

// A Choice is a Placement too. It means what it holds.
func TestChoiceInAChoice(t *testing.T) {
	t.Parallel()
	docs := chunks("A2 B A1")
	a, err := mustNew(t, core.Config{MinDocuments: 9}).With(core.Choice{Placement: core.DocumentOrder})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "document-order is not touched by MinDocuments", "A1 A2 B", mustTransform(t, a, docs))

	c := mustLoad(t, "testdata/curve.json")
	a, err = a.With(core.Choice{Placement: core.Measured{Curve: c}})
	if err != nil {
		t.Fatal(err)
	}
	c.Shape = core.ShapeRecency
	kept, err := json.Marshal(a.Config().Placement)
	same(t, "error", nil, err)
	mustMention(t, errors.New(string(kept)), `"shape":"U"`)
}

func TestNilArrangerIsTheDefault(t *testing.T) {
	t.Parallel()
	docs := named("A B C D E")
	var a *core.Arranger
	same(t, "Transform", "A C E D B", mustTransform(t, a, docs))
	same(t, "Transform with an option", "A C D B", mustTransform(t, a, docs, core.Call{TopK: 4}))
	same(t, "Arrange", []int{0, 2, 4, 3, 1}, mustArrange(t, a, docs).Ranks())
	same(t, "Config", core.Config{}, a.Config())
	same(t, "IsOff", false, a.IsOff())
	same(t, "For", "A C E D B", mustTransform(t, a.For(t.Context()), docs))
}

// Off changes nothing, and still gives a slice of the caller's own.
func TestOffChangesNothing(t *testing.T) {
	t.Parallel()
	docs := []doc{{name: "B", id: "x", score: 1}, {name: "A", id: "x", score: missing}, {name: "B", id: "x", score: 9}}
	same(t, "Transform", "B A B", mustTransform(t, core.Off, docs))
	same(t, "Transform with options", "B A B", mustTransform(t, core.Off, docs, core.Call{TopK: 1}, core.Call{Query: "q"}))
	same(t, "Config", core.Config{}, core.Off.Config())
	same(t, "IsOff", true, core.Off.IsOff())

	placed, err := core.Transform(t.Context(), core.Off, docs, nil, core.Call{})
	same(t, "error", nil, err)
	placed[0].name = "changed"
	same(t, "input", "B A B", names(docs))

	placed, err = core.Transform(t.Context(), core.Off, []doc(nil), nil, core.Call{})
	same(t, "nil", []doc(nil), placed)
	same(t, "error of nil", nil, err)
	placed, err = core.Transform(t.Context(), core.Off, []doc{}, nil, core.Call{})
	same(t, "empty", []doc{}, placed)
	same(t, "error of empty", nil, err)

	arrangement := mustArrange(t, core.Off, docs)
	same(t, "placement", "off", arrangement.Placement)
	same(t, "ranks", []int{0, 1, 2}, arrangement.Ranks())

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = core.Transform(canceled, core.Off, docs, nil, core.Call{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of the context", err)
	}
}

type armKey struct{}

func withArm(ctx context.Context, a *core.Arranger) context.Context {
	return context.WithValue(ctx, armKey{}, a)
}

// byContext is a Select that returns the Arranger in the context.
func byContext(ctx context.Context) *core.Arranger {
	a, _ := ctx.Value(armKey{}).(*core.Arranger)
	return a
}

func TestSelect(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Select: byContext})
	never := func(context.Context) *core.Arranger {
		t.Error("the Select of the selected was asked")
		return nil
	}
	for what, test := range map[string]struct {
		selected *core.Arranger
		want     string
	}{
		"nil: this one":                 {nil, "A C E D B"},
		"another":                       {mustNew(t, core.Config{Placement: core.Choice{Placement: core.Reversed}}), "E D C B A"},
		"another that admits less":      {mustNew(t, core.Config{TopK: 2}), "A B"},
		"off":                           {core.Off, "A B C D E"},
		"itself":                        {a, "A C E D B"},
		"one with a Select of its own":  {mustNew(t, core.Config{TopK: 1, Select: never}), "A"},
		"one that would select another": {mustNew(t, core.Config{TopK: 3, Select: func(context.Context) *core.Arranger { return core.Off }}), "A C B"},
	} {
		ctx := withArm(t.Context(), test.selected)
		placed, err := core.Transform(ctx, a, named("A B C D E"), docView, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, what, test.want, names(placed))

		arrangement, err := core.Arrange(ctx, a, named("A B C D E"), docView, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		placed, err = core.Apply(arrangement, named("A B C D E"))
		same(t, "error of Apply", nil, err)
		same(t, what+", by Arrange", test.want, names(placed))
	}
}

// What For returns asks no Select, so that one call gets one answer.
func TestForAsksOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	reversed := mustNew(t, core.Config{Placement: core.Choice{Placement: core.Reversed}})
	for what, chosen := range map[string]*core.Arranger{"another": reversed, "this one": nil, "off": core.Off} {
		asked = 0
		// An Observe lets what For returns be looked at again.
		observe, _ := watch()
		a := mustNew(t, core.Config{Observe: observe, Select: func(context.Context) *core.Arranger {
			asked++
			return chosen
		}})
		forCall := a.For(t.Context())
		same(t, what+": asked", 1, asked)
		mustTransform(t, forCall, named("A B"))
		same(t, what+": For of For", forCall, forCall.For(t.Context()))
		same(t, what+": asked after two more calls", 1, asked)
		same(t, what+": is off", chosen.IsOff(), forCall.IsOff())
	}
}

func TestSelectPassesObserveOn(t *testing.T) {
	t.Parallel()
	var calls []string
	observe := func(who string) func(context.Context, core.Event) {
		return func(_ context.Context, e core.Event) { calls = append(calls, who+": "+e.Arrangement.Placement) }
	}
	reversed := core.Choice{Placement: core.Reversed}
	for _, test := range []struct {
		rule     string
		outer    func(context.Context, core.Event)
		selected *core.Arranger
		want     []string
	}{
		{"this one", observe("outer"), nil, []string{"outer: head-tail"}},
		{"inherited", observe("outer"), mustNew(t, core.Config{Placement: reversed}), []string{"outer: reversed"}},
		{"of its own", observe("outer"), mustNew(t, core.Config{Placement: reversed, Observe: observe("inner")}), []string{"inner: reversed"}},
		{"inherited by off", observe("outer"), core.Off, []string{"outer: off"}},
		{"of its own alone", nil, mustNew(t, core.Config{Observe: observe("inner")}), []string{"inner: head-tail"}},
		{"none", nil, mustNew(t, core.Config{}), nil},
		{"of its own, beside a Select", observe("outer"), mustNew(t, core.Config{Observe: observe("inner"), Select: byContext}), []string{"inner: head-tail"}},
		{"inherited by one with a Select", observe("outer"), mustNew(t, core.Config{Placement: reversed, Select: byContext}), []string{"outer: reversed"}},
	} {
		calls = nil
		a := mustNew(t, core.Config{Observe: test.outer, Select: byContext})
		if _, err := core.Transform(withArm(t.Context(), test.selected), a, named("A B"), docView, core.Call{}); err != nil {
			t.Fatal(err)
		}
		same(t, test.rule, test.want, calls)
	}
	// Nothing of a call stays behind.
	calls = nil
	mustTransform(t, core.Off, named("A B"))
	same(t, "observers of Off itself", nil, calls)
}
