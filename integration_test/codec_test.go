package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
)

// codec is one way to write settings down.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

var codecs = []codec{
	{"json", json.Marshal, json.Unmarshal},
	{
		"yaml",
		func(v any) ([]byte, error) { return yaml.Marshal(v) },
		func(data []byte, v any) error { return yaml.UnmarshalWithOptions(data, v, yaml.Strict()) },
	},
}

func forEachCodec(t *testing.T, f func(*testing.T, codec)) {
	t.Parallel()
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f(t, c)
		})
	}
}

// curveOf reads a curve as a file holds it.
func curveOf(t *testing.T) *core.Curve {
	t.Helper()
	curve, err := core.ParseCurve([]byte(`{
		"format": "bookend-curve/1", "model": "some: model # 1", "documents": 20, "questions": 300,
		"shape": "U", "ends_differ": true,
		"slots": [0, 9, 19], "accuracy": [0.75, 0.1, 1], "fitted": [0.75, 0.1, 1]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// sameConfig compares all but the funcs, which no codec carries. A Choice is
// compared by what it places, and its curves do not say where they were loaded.
func sameConfig(want, got core.Config) string {
	return cmp.Diff(want, got, cmpopts.IgnoreFields(core.Config{}, "Count", "Observe", "Select"),
		cmpopts.IgnoreUnexported(core.Curve{}))
}

func TestChoiceSurvivesEveryCodec(t *testing.T) {
	choices := []core.Placement{
		core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
		core.EdgesFirst{Edge: 3},
		core.Shuffled{Seed: 42},
		core.Shuffled{Seed: math.MaxUint64},
		core.Shuffled{},
		core.Measured{Curve: curveOf(t)},
	}
	forEachCodec(t, func(t *testing.T, c codec) {
		for _, p := range choices {
			want := map[string]core.Choice{"placement": {Placement: p}}
			data, err := c.marshal(want)
			if err != nil {
				t.Errorf("%v: %v", p, err)
				continue
			}
			var got map[string]core.Choice
			if err := c.unmarshal(data, &got); err != nil {
				t.Errorf("%v: written as %s, but: %v", p, data, err)
				continue
			}
			if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(core.Curve{})); d != "" {
				t.Errorf("%v: written as %s (-want +got)\n%s", p, data, d)
			}
		}
	})
}

func TestChoiceReadsTheFormsThatPeopleWrite(t *testing.T) {
	forms := map[string]struct {
		text string // YAML; JSON where it is that too
		want core.Placement
	}{
		"name":        {`"head-tail"`, core.HeadTail},
		"spelling":    {`"Edge_Order"`, core.HeadTail},
		"argument":    {`"edges-first=3"`, core.EdgesFirst{Edge: 3}},
		"object":      {`{"name": "edges-first", "edge": 3}`, core.EdgesFirst{Edge: 3}},
		"seed":        {`{"name": "shuffled", "seed": 18446744073709551615}`, core.Shuffled{Seed: math.MaxUint64}},
		"name alone":  {`{"name": "tail_head"}`, core.TailHead},
		"no argument": {`"shuffled"`, core.Shuffled{}},
	}
	forEachCodec(t, func(t *testing.T, c codec) {
		for name, form := range forms {
			var got struct {
				Placement core.Choice `json:"placement"`
			}
			if err := c.unmarshal([]byte(`{"placement": `+form.text+`}`), &got); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if got.Placement.Placement != form.want {
				t.Errorf("%s: got %v, want %v", name, got.Placement, form.want)
			}
		}
	})
}

func TestChoiceRefusesInEveryCodec(t *testing.T) {
	forms := map[string]string{
		"unknown name":          `"middle-out"`,
		"parameter of another":  `{"name": "head-tail", "edge": 3}`,
		"unknown key":           `{"name": "edges-first", "edges": 3}`,
		"number":                `7`,
		"list":                  `["head-tail"]`,
		"fraction":              `{"name": "edges-first", "edge": 2.5}`,
		"negative seed":         `{"name": "shuffled", "seed": -1}`,
		"curve that is missing": `"measured"`,
		"broken curve":          `{"name": "measured", "curve": {"format": "bookend-curve/1", "documents": 1}}`,
		"no name":               `{"edge": 3}`,
	}
	forEachCodec(t, func(t *testing.T, c codec) {
		for name, form := range forms {
			got := struct {
				Placement core.Choice `json:"placement"`
			}{core.Choice{Placement: core.Reversed}}
			if err := c.unmarshal([]byte(`{"placement": `+form+`}`), &got); err == nil {
				t.Errorf("%s: %s was read as %v", name, form, got.Placement)
			}
			if got.Placement.Placement != core.Reversed {
				t.Errorf("%s: the failed read left %v behind, want the old value", name, got.Placement)
			}
		}
	})
}

// A YAML library may write a number with an exponent and read it as text again.
func TestCurveKeepsItsNumbersInEveryCodec(t *testing.T) {
	curve := curveOf(t)
	curve.Questions = 3_000_000
	curve.Fitted[1] = 0.00005
	forEachCodec(t, func(t *testing.T, c codec) {
		want := core.Choice{Placement: core.Measured{Curve: curve}}
		data, err := c.marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got core.Choice
		if err := c.unmarshal(data, &got); err != nil {
			t.Fatalf("written as\n%s\nbut: %v", data, err)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(core.Curve{})); d != "" {
			t.Errorf("written as\n%s\n(-want +got)\n%s", data, d)
		}
	})
}

// A placement of the user's own has no name, so that writing it is an error and
// not a file that cannot be read.
func TestOwnPlacementIsNotWritten(t *testing.T) {
	forEachCodec(t, func(t *testing.T, c codec) {
		data, err := c.marshal(core.Config{Placement: core.Choice{Placement: rotated(1)}})
		if err == nil {
			t.Fatalf("it was written as %s", data)
		}
		var name *core.ConfigError
		if !errors.As(err, &name) {
			t.Errorf("got %T (%v), want a *core.ConfigError", err, err)
		}
	})
}

// fullConfig sets every field that a codec carries; the test fails when a new one
// is forgotten here.
func fullConfig(t *testing.T) core.Config {
	t.Helper()
	threshold := 0.25
	c := core.Config{
		Rank: core.ByScore, Direction: core.LowerIsBetter, Keys: core.Keys{ID: "doc_id", Score: "distance: # 1", Pin: "pinned", Source: "file", Position: "chunk"},
		Pins:       []string{"007", "yes", "a: b", "null"},
		DropSameID: true, DropSameText: true, Threshold: &threshold, ThresholdBy: core.OwnScore, MaxBytes: 5000, TopK: 12,
		Budget: 3000, Unit: core.Words, Overflow: core.Skip, KeepBest: true,
		Placement: core.Choice{Placement: core.EdgesFirst{Edge: 3}}, MinDocuments: 4, Groups: true,
	}
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if v.Field(i).IsZero() && v.Type().Field(i).Tag.Get("json") != "-" {
			t.Fatalf("field %s is not set", v.Type().Field(i).Name)
		}
	}
	return c
}

func TestConfigSurvivesEveryCodec(t *testing.T) {
	full := fullConfig(t)
	measured := full
	measured.Placement.Placement = core.Measured{Curve: curveOf(t)}
	configs := map[string]core.Config{"zero": {}, "full": full, "measured": measured}
	forEachCodec(t, func(t *testing.T, c codec) {
		for name, want := range configs {
			data, err := c.marshal(want)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got core.Config
			if err := c.unmarshal(data, &got); err != nil {
				t.Errorf("%s: written as\n%s\nbut: %v", name, data, err)
				continue
			}
			if d := sameConfig(want, got); d != "" {
				t.Errorf("%s: written as\n%s\n(-want +got)\n%s", name, data, d)
			}
			if again, err := c.marshal(got); err != nil || !bytes.Equal(data, again) {
				t.Errorf("%s: written twice, error %v (-first +second)\n-%s\n+%s", name, err, data, again)
			}
		}
	})
}

// What a file holds is what somebody chose: the zero Config writes nothing, and
// no key in it is Go's spelling of a field.
func TestConfigIsWrittenInShortKeys(t *testing.T) {
	full := fullConfig(t)
	forEachCodec(t, func(t *testing.T, c codec) {
		data, err := c.marshal(core.Config{})
		if err != nil || strings.TrimSpace(string(data)) != "{}" {
			t.Errorf("the zero Config is written as %s, error %v, want {}", data, err)
		}
		data, err = c.marshal(full)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := c.unmarshal(data, &keys); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"rank", "keys", "pins", "threshold", "top_k", "budget", "placement", "min_documents"} {
			if _, ok := keys[key]; !ok {
				t.Errorf("no key %q in\n%s", key, data)
			}
		}
	})
}

func TestConfigRefusesUnknownKeys(t *testing.T) {
	forEachCodec(t, func(t *testing.T, c codec) {
		var got core.Config
		if err := c.unmarshal([]byte(`{"top_k": 3, "budgget": 5}`), &got); err == nil {
			t.Errorf("a misspelt key was read as %+v", got)
		}
	})
}

// A file changes what it mentions: defaults and funcs that were set before stay.
func TestConfigKeepsWhatAFileDoesNotMention(t *testing.T) {
	forEachCodec(t, func(t *testing.T, c codec) {
		got := core.Config{TopK: 3, Budget: 5, Count: core.Words.Count, Placement: core.Choice{Placement: core.Reversed}}
		if err := c.unmarshal([]byte(`{"budget": 7}`), &got); err != nil {
			t.Fatal(err)
		}
		if got.TopK != 3 || got.Budget != 7 || got.Count == nil || got.Placement.Placement != core.Reversed {
			t.Errorf("got %+v", got)
		}
	})
}

// Every config that works still does the same after it was written and read.
func TestReadConfigDecidesAlike(t *testing.T) {
	forEachCodec(t, func(t *testing.T, codec codec) {
		rapid.Check(t, func(t *rapid.T) {
			c := calls.Draw(t, "call")
			data, err := codec.marshal(c.config)
			if name := (*core.ConfigError)(nil); errors.As(err, &name) {
				return // a placement of the user's own
			} else if err != nil {
				t.Fatal(err)
			}
			read := core.Config{Count: c.config.Count, Observe: func(context.Context, core.Event) {}}
			if err := codec.unmarshal(data, &read); err != nil {
				t.Fatalf("written as %s, but: %v", data, err)
			}
			want := transformSerials(t, c)
			c.config = read
			if d := cmp.Diff(want, transformSerials(t, c)); d != "" {
				t.Errorf("written as %s (-before +after)\n%s", data, d)
			}
		})
	})
}
