package core_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

var errNoYAML = errors.New("broken YAML")

// codec lists placements with their text and their JSON.
var codec = []struct {
	placement  core.Placement
	text, json string
}{
	{core.RankOrder, "ranked", `"ranked"`},
	{core.Reversed, "reversed", `"reversed"`},
	{core.HeadTail, "head-tail", `"head-tail"`},
	{core.TailHead, "tail-head", `"tail-head"`},
	{core.LongContext, "long-context", `"long-context"`},
	{core.DocumentOrder, "document-order", `"document-order"`},
	{core.EdgesFirst{Edge: 2}, "edges-first", `"edges-first"`},
	{core.EdgesFirst{Edge: 3}, "edges-first=3", `{"name":"edges-first","edge":3}`},
	{core.Shuffled{}, "shuffled", `"shuffled"`},
	{core.Shuffled{Seed: 42}, "shuffled=42", `{"name":"shuffled","seed":42}`},
	{core.Shuffled{Seed: 1<<64 - 1}, "shuffled=18446744073709551615", `{"name":"shuffled","seed":18446744073709551615}`},
}

func TestChoiceCodec(t *testing.T) {
	t.Parallel()
	for _, test := range codec {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			want := core.Choice{Placement: test.placement}

			text, err := want.MarshalText()
			same(t, "text", test.text, string(text))
			same(t, "error of MarshalText", nil, err)
			var fromText core.Choice
			same(t, "error of UnmarshalText", nil, fromText.UnmarshalText(text))
			same(t, "from text", want, fromText)

			data, err := json.Marshal(want)
			same(t, "JSON", test.json, string(data))
			same(t, "error of MarshalJSON", nil, err)
			var fromJSON core.Choice
			same(t, "error of UnmarshalJSON", nil, json.Unmarshal(data, &fromJSON))
			same(t, "from JSON", want, fromJSON)

			// The text is accepted in JSON too.
			quoted, _ := json.Marshal(test.text)
			var fromQuoted core.Choice
			same(t, "error of UnmarshalJSON of the text", nil, json.Unmarshal(quoted, &fromQuoted))
			same(t, "from the text in JSON", want, fromQuoted)

			value, err := want.MarshalYAML()
			same(t, "error of MarshalYAML", nil, err)
			var fromYAML core.Choice
			same(t, "error of UnmarshalYAML", nil, fromYAML.UnmarshalYAML(yaml(value)))
			same(t, "from YAML", want, fromYAML)

			var fromFlag core.Choice
			flags := flag.NewFlagSet("test", flag.ContinueOnError)
			flags.Var(&fromFlag, "placement", "")
			same(t, "error of the flag", nil, flags.Parse([]string{"-placement", test.text}))
			same(t, "from the flag", want, fromFlag)
		})
	}
}

// yaml stands in for a YAML library that decodes value into an any.
func yaml(value any) func(any) error {
	return func(v any) error {
		*v.(*any) = value
		return nil
	}
}

func TestChoiceCodecOfZero(t *testing.T) {
	t.Parallel()
	text, err := core.Choice{}.MarshalText()
	same(t, "text", "head-tail", string(text))
	same(t, "error", nil, err)
	data, err := core.Choice{}.MarshalJSON()
	same(t, "JSON", `"head-tail"`, string(data))
	same(t, "error", nil, err)
}

// An edge of 0 means 2, and is written as that.
func TestChoiceCodecOfTheZeroEdge(t *testing.T) {
	t.Parallel()
	c := core.Choice{Placement: core.EdgesFirst{}}
	text, err := c.MarshalText()
	same(t, "text", "edges-first", string(text))
	same(t, "error", nil, err)
	same(t, "JSON", `"edges-first"`, asJSON(t, c))
}

// A curve is written out in full, so that the JSON depends on no file. It has no text
// form, and decoding opens no file.
func TestChoiceCodecOfACurve(t *testing.T) {
	t.Parallel()
	const file = "testdata/curve.json"
	want := core.Choice{Placement: core.Measured{Curve: mustLoad(t, file)}}

	_, err := want.MarshalText()
	mustBe[*core.ConfigError](t, err)
	mustMention(t, err, "marshal it as JSON")

	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", decoded(t, `{"name": "measured", "curve": `+string(content)+`}`), decoded(t, string(data)))

	value, err := want.MarshalYAML()
	same(t, "error of MarshalYAML", nil, err)
	var fromJSON, fromYAML core.Choice
	same(t, "error of UnmarshalJSON", nil, fromJSON.UnmarshalJSON(data))
	same(t, "error of UnmarshalYAML", nil, fromYAML.UnmarshalYAML(yaml(value)))
	same(t, "order from JSON", []int{4, 0, 3, 1, 2}, bestSlots(t, fromJSON, 5))
	same(t, "order from YAML", []int{4, 0, 3, 1, 2}, bestSlots(t, fromYAML, 5))
}

func TestDecodingOpensNoFile(t *testing.T) {
	t.Parallel()
	const file = "testdata/curve.json" // is there, and a curve
	for what, decode := range map[string]func(*core.Choice) error{
		"text":      func(c *core.Choice) error { return c.UnmarshalText([]byte("measured=" + file)) },
		"JSON text": func(c *core.Choice) error { return json.Unmarshal([]byte(`"curve=`+file+`"`), c) },
		"JSON object": func(c *core.Choice) error {
			return json.Unmarshal([]byte(`{"name": "measured", "curve": "`+file+`"}`), c)
		},
		"a name with it": func(c *core.Choice) error { return json.Unmarshal([]byte(`{"name": "measured=`+file+`"}`), c) },
		"YAML":           func(c *core.Choice) error { return c.UnmarshalYAML(yaml("measured=" + file)) },
		"a Config": func(*core.Choice) error {
			return json.Unmarshal([]byte(`{"placement": "measured=`+file+`"}`), new(core.Config))
		},
	} {
		c := core.Choice{Placement: core.TailHead}
		err := decode(&c)
		mustMention(t, err, "opens no file", "ParsePlacement")
		same(t, what+" leaves the choice", core.Choice{Placement: core.TailHead}, c)
	}
	var c core.Choice
	same(t, "error of a flag", nil, c.Set("measured="+file))
	same(t, "a flag reads it", core.Choice{Placement: core.Measured{Curve: mustLoad(t, file)}}, c)
}

// A copy of a Config shares pins and threshold with it: decoding into the one must not
// write to the other.
func TestDecodingWritesToNoCopy(t *testing.T) {
	t.Parallel()
	first := core.Config{Pins: []string{"a", "b"}, Threshold: ptr(0.5)}
	second := first
	same(t, "error", nil, json.Unmarshal([]byte(`{"pins": ["x"], "threshold": 9}`), &second))
	same(t, "pins", []string{"a", "b"}, first.Pins)
	same(t, "threshold", 0.5, *first.Threshold)
	same(t, "decoded", []string{"x"}, second.Pins)
}

func decoded(t *testing.T, data string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func TestChoiceReadsObjects(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]core.Placement{
		` "Sandwich" `:                              core.HeadTail,
		`{"name":"HEAD_TAIL"}`:                      core.HeadTail,
		` { "name" : "ranked" } `:                   core.RankOrder,
		`{"name":"edges_first"}`:                    core.EdgesFirst{Edge: 2},
		`{"name":"edges-first=4"}`:                  core.EdgesFirst{Edge: 4},
		`{"name":"edges-first","edge":1}`:           core.EdgesFirst{Edge: 1},
		`{"edge":5,"name":"Edges_First"}`:           core.EdgesFirst{Edge: 5},
		`{"name":"shuffled"}`:                       core.Shuffled{},
		`{"name":"shuffled","seed":0}`:              core.Shuffled{},
		`{"name":"SHUFFLED","seed":7}`:              core.Shuffled{Seed: 7},
		`{"name":"ranked","edge":null,"seed":null}`: core.RankOrder,
	} {
		var got core.Choice
		if err := json.Unmarshal([]byte(data), &got); err != nil || got.Placement != want {
			t.Errorf("%s: (-want +got)\n-%v\n+%v, error %v", data, want, got, err)
		}
	}
}

func TestChoiceRefuses(t *testing.T) {
	t.Parallel()
	for data, parts := range map[string][]string{
		`"no-such"`:                            {"no-such", "valid names"},
		`""`:                                   {"valid names"},
		`"measured"`:                           {"needs the curve"},
		`{}`:                                   {"valid names"},
		`{"edge":3}`:                           {"valid names"},
		`{"name":"no-such","edge":3}`:          {"no-such", "valid names"},
		`{"name":"measured"}`:                  {"measured", "needs the curve"},
		`{"name":"measured","curve":""}`:       {`Placement is "measured"`, "needs the curve"},
		`{"name":"measured","curve":null}`:     {`Placement is "measured"`, "needs the curve"},
		`{"name":"measured","curve":3}`:        {"not the JSON of a curve"},
		`{"name":"measured","curve":{}}`:       {"has the format"},
		`{"name":"measured","curve":"none"}`:   {`Placement is "measured"`, "opens no file"},
		`{"name":"ranked","edge":3}`:           {"ranked", `takes no "edge"`, `"edges-first"`},
		`{"name":"head-tail","seed":3}`:        {"head-tail", `takes no "seed"`, `"shuffled"`},
		`{"name":"shuffled","curve":"x"}`:      {"shuffled", `takes no "curve"`, `"measured"`},
		`{"name":"edges-first","seed":3}`:      {"edges-first", `takes no "seed"`},
		`{"name":"edges-first=3","edge":4}`:    {"edges-first=3", "edge"},
		`{"name":"shuffled=3","seed":4}`:       {"shuffled=3", "seed"},
		`{"name":"shuffled=3","edge":4}`:       {"shuffled=3", "edge"},
		`{"name":"edges-first","edge":-1}`:     {"EdgesFirst{Edge: -1}", "0 (which means 2) or more"},
		`{"name":"edges-first","edge":"3"}`:    {"edge"},
		`{"name":"edges-first","edge":2.5}`:    {"edge"},
		`{"name":"shuffled","seed":-1}`:        {"seed"},
		`{"name":"ranked","edges":3}`:          {"placement", `unknown field "edges"`},
		`{"name":3}`:                           {"name"},
		`["head-tail"]`:                        {`[\"head-tail\"]`, "a name in quotes, or an object"},
		`3`:                                    {"a name in quotes, or an object"},
		`true`:                                 {"a name in quotes, or an object"},
		`[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14]`: {`"[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14]"`},
	} {
		got := core.Choice{Placement: core.TailHead}
		err := json.Unmarshal([]byte(data), &got)
		mustMention(t, err, parts...)
		if got.Placement != core.TailHead {
			t.Errorf("%s: the choice was changed to %v", data, got)
		}
	}
}

// UnmarshalJSON may be called with text that no decoder has looked at.
func TestChoiceRefusesBrokenJSON(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", " ", `"`, `{`, `{"name":"ranked"`, `{"name":"ranked"} {}`, `{"name":"ranked"}]`} {
		var c core.Choice
		if err := c.UnmarshalJSON([]byte(data)); err == nil {
			t.Errorf("%q: got %v and no error", data, c)
		}
	}
}

func TestChoiceAllowsWhiteSpace(t *testing.T) {
	t.Parallel()
	for _, data := range []string{" \"fold\"\n", "\t{\"name\": \"fold\"} "} {
		var c core.Choice
		same(t, "error", nil, c.UnmarshalJSON([]byte(data)))
		same(t, "choice", core.Choice{Placement: core.TailHead}, c)
	}
}

func TestChoiceShortensWhatItQuotes(t *testing.T) {
	t.Parallel()
	long := make([]byte, 10_000)
	for i := range long {
		long[i] = '7'
	}
	var c core.Choice
	e := mustBe[*core.ConfigError](t, c.UnmarshalJSON(long))
	if quoted := e.Value.(string); len(quoted) > 40 {
		t.Errorf("the error quotes %d bytes", len(quoted))
	}
}

func TestChoiceLeavesNullAlone(t *testing.T) {
	t.Parallel()
	got := core.Choice{Placement: core.TailHead}
	same(t, "error of JSON null", nil, json.Unmarshal([]byte(` null `), &got))
	same(t, "error of YAML null", nil, got.UnmarshalYAML(yaml(nil)))
	same(t, "choice", core.Choice{Placement: core.TailHead}, got)
}

func TestChoiceYAML(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		value any
		want  core.Placement
	}{
		{"fold", core.TailHead},
		{map[string]any{"name": "edges-first", "edge": 3}, core.EdgesFirst{Edge: 3}},
		{map[string]any{"name": "edges-first", "edge": uint64(3)}, core.EdgesFirst{Edge: 3}},
		{map[string]any{"name": "edges-first", "edge": 3.0}, core.EdgesFirst{Edge: 3}},
		{map[string]any{"name": "shuffled", "seed": uint64(1<<53 + 1)}, core.Shuffled{Seed: 1<<53 + 1}},
		// Older libraries decode a mapping into this type.
		{map[any]any{"name": "edges-first", "edge": 3}, core.EdgesFirst{Edge: 3}},
	} {
		var got core.Choice
		if err := got.UnmarshalYAML(yaml(test.value)); err != nil || got.Placement != test.want {
			t.Errorf("%v: (-want +got)\n-%v\n+%v, error %v", test.value, test.want, got, err)
		}
	}
}

func TestChoiceYAMLOfACurve(t *testing.T) {
	t.Parallel()
	var got core.Choice
	same(t, "error", nil, got.UnmarshalYAML(yaml(map[any]any{"name": "measured", "curve": map[any]any{
		"format": core.CurveFormat, "documents": 2, "shape": "recency", "slots": []any{0, 1}, "accuracy": []any{0.1, 0.9},
	}})))
	same(t, "order", []int{2, 1, 0}, mustOrder(t, got, 3))
}

func TestChoiceYAMLErrors(t *testing.T) {
	t.Parallel()
	for _, value := range []any{3, true, []any{"head-tail"}, "no-such", math.NaN(), map[string]any{"name": "ranked", "seed": 1}} {
		var c core.Choice
		mustBe[*core.ConfigError](t, c.UnmarshalYAML(yaml(value)))
	}
	var c core.Choice
	mustMention(t, c.UnmarshalYAML(yaml(map[any]any{1: "ranked"})), `unknown field "1"`)
	if err := c.UnmarshalYAML(func(any) error { return errNoYAML }); !errors.Is(err, errNoYAML) {
		t.Errorf("got %v, want the library's own error", err)
	}
}

// The value that MarshalYAML returns is an uint64 for a seed, since a float64
// holds no whole number above 2^53.
func TestChoiceYAMLKeepsLargeSeeds(t *testing.T) {
	t.Parallel()
	const seed = 1<<63 + 1
	got, err := core.Choice{Placement: core.Shuffled{Seed: seed}}.MarshalYAML()
	same(t, "error", nil, err)
	same[any](t, "value", map[string]any{"name": "shuffled", "seed": uint64(seed)}, got)
}

func TestChoiceAsMapKey(t *testing.T) {
	t.Parallel()
	var got map[core.Choice]int
	same(t, "error", nil, json.Unmarshal([]byte(`{"fold":1,"edges-first=3":2}`), &got))
	same(t, "map", map[core.Choice]int{{core.TailHead}: 1, {core.EdgesFirst{Edge: 3}}: 2}, got)
}

func TestChoiceThatCannotBeMarshaled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		placement core.Placement
		mention   []string
	}{
		{mute{}, []string{"core_test.mute", "a placement of your own", "set it in code"}},
		{core.PlacementFunc(func([]int, func(int) core.Origin) error { return nil }), []string{"custom", "a placement of your own"}},
		{core.PlacementFunc(nil), []string{"custom"}},
		{core.StandardPlacement(99), []string{"StandardPlacement(99)"}},
		{core.EdgesFirst{Edge: -3}, []string{"EdgesFirst{Edge: -3}"}},
		{core.Measured{}, []string{"curve is nil"}},
		{core.Measured{Curve: &core.Curve{}}, []string{"has the format"}},
	} {
		c := core.Choice{Placement: test.placement}
		_, err := c.MarshalText()
		mustMention(t, err, test.mention...)
		_, err = c.MarshalJSON()
		mustMention(t, err, test.mention...)
		_, err = c.MarshalYAML()
		mustMention(t, err, test.mention...)
	}
}

func TestChoiceFlagError(t *testing.T) {
	t.Parallel()
	c := core.Choice{Placement: core.Reversed}
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(&c, "placement", "")
	mustMention(t, flags.Parse([]string{"-placement", "no-such"}), "no-such", "valid names")
	same(t, "choice", core.Choice{Placement: core.Reversed}, c)
}

func TestChoicePlaces(t *testing.T) {
	t.Parallel()
	same(t, "the zero Choice", []int{0, 2, 4, 3, 1}, mustOrder(t, core.Choice{}, 5))
	same(t, "a Choice", []int{2, 1, 0}, mustOrder(t, core.Choice{Placement: core.Reversed}, 3))
}

// bestSlots returns the slots of a placement of n documents by rank.
func bestSlots(t testing.TB, p core.Placement, n int) []int {
	t.Helper()
	slots := make([]int, n)
	for slot, rank := range mustOrder(t, p, n) {
		slots[rank] = slot
	}
	return slots
}

var _ interface {
	flag.Value
	json.Unmarshaler
	json.Marshaler
} = (*core.Choice)(nil)
