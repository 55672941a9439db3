package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/internal/strictjson"
)

// Choice holds the placement of a Config and carries its codec, since an
// interface alone cannot be decoded. The zero Choice means HeadTail.
//
// As text (flags, environment, map keys) it is the name that ParsePlacement
// reads: "head-tail", "edges-first=3". As JSON and YAML it is that text, or an
// object with a name and one parameter:
//
//	"head-tail"
//	{"name": "edges-first", "edge": 3}
//	{"name": "shuffled", "seed": 42}
//	{"name": "measured", "curve": {…}}     the curve itself, or its JSON as text
//
// Decoding opens no file: "measured=FILE" is read by ParsePlacement and Set alone.
// MarshalJSON writes a curve out in full, so that the result depends on no file.
// A placement of the user's own has no codec: marshaling it is a *ConfigError.
type Choice struct{ Placement }

// placement returns the chosen placement, HeadTail for none.
func (c Choice) placement() Placement {
	if c.Placement == nil {
		return HeadTail
	}
	return c.Placement
}

// String returns the placement's name, "head-tail" for the zero Choice.
func (c Choice) String() string { return placementName(c.placement()) }

// Place runs the chosen placement; see Placement.
func (c Choice) Place(slots []int, origin func(rank int) Origin) error {
	return c.placement().Place(slots, origin)
}

// Set reads what ParsePlacement reads, curve files among it, as the flag.Value of a
// command.
func (c *Choice) Set(name string) error { return c.set(ParsePlacement(name)) }

func (c *Choice) set(p Placement, err error) error {
	if err != nil {
		return err
	}
	c.Placement = p
	return nil
}

// MarshalText returns the name that UnmarshalText reads. A Measured has none:
// marshal it as JSON.
func (c Choice) MarshalText() ([]byte, error) {
	switch p := c.placement().(type) {
	case StandardPlacement, EdgesFirst, Shuffled:
		return []byte(placementName(p)), validatePlacement(p)
	case Measured:
		if err := p.check(); err != nil {
			return nil, err
		}
		return nil, placementFault("measured", "has no text form, since its curve is not one word: marshal it as JSON")
	default:
		return nil, notMarshalable(p)
	}
}

// UnmarshalText reads what ParsePlacement reads, but for the names of files.
func (c *Choice) UnmarshalText(text []byte) error {
	return c.set(parsePlacement(string(text), false))
}

// choiceObject is the object form of a Choice.
type choiceObject struct {
	Name  string          `json:"name"`
	Edge  *int            `json:"edge,omitempty"`
	Seed  *uint64         `json:"seed,omitempty"`
	Curve json.RawMessage `json:"curve,omitempty"`
}

// MarshalJSON writes the form described at Choice.
func (c Choice) MarshalJSON() ([]byte, error) {
	switch p := c.placement().(type) {
	case StandardPlacement:
		return marshalName(p, p.check())
	case EdgesFirst:
		if p.Edge == 0 || p.Edge == defaultEdge {
			return marshalName(p, nil)
		}
		return marshalObject(choiceObject{Name: "edges-first", Edge: &p.Edge}, p.check())
	case Shuffled:
		if p.Seed == 0 {
			return marshalName(p, nil)
		}
		return marshalObject(choiceObject{Name: "shuffled", Seed: &p.Seed}, nil)
	case Measured:
		if err := p.check(); err != nil {
			return nil, err
		}
		curve, err := json.Marshal(p.Curve)
		return marshalObject(choiceObject{Name: "measured", Curve: curve}, err)
	default:
		return nil, notMarshalable(p)
	}
}

func marshalName(p fmt.Stringer, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(p.String())
}

func marshalObject(o choiceObject, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

func notMarshalable(p Placement) error {
	return placementFault(placementName(p), "is a placement of your own, which has no name to write down: set it in code")
}

// UnmarshalJSON reads the forms described at Choice; null leaves c unchanged. An
// unknown key, a parameter that belongs to another placement and a wrong type
// are errors.
func (c *Choice) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	switch {
	case bytes.Equal(data, []byte("null")):
		return nil
	case len(data) > 0 && data[0] == '"':
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return err
		}
		return c.UnmarshalText([]byte(name))
	case len(data) > 0 && data[0] == '{':
		var o choiceObject
		if err := strictjson.Unmarshal(data, &o); err != nil {
			return fmt.Errorf("bookend: placement: %w", err)
		}
		return c.set(o.placement())
	}
	return placementFault(string(data[:min(len(data), 40)]), "must be a name in quotes, or an object with a name")
}

// UnmarshalYAML reads the same forms from YAML. Its signature is the one that
// the common YAML libraries look for, so that none has to be imported here.
func (c *Choice) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	data, err := json.Marshal(stringKeys(v, 0))
	if err != nil {
		return placementFault(fmt.Sprint(v), "must be a name, or a mapping with a name")
	}
	return c.UnmarshalJSON(data)
}

// stringKeys turns the mappings of libraries that allow any key into those that
// JSON knows. What is nested deeper than a placement can be stays as it is.
func stringKeys(v any, depth int) any {
	mapping, ok := v.(map[any]any)
	if !ok || depth > 3 {
		return v
	}
	out := make(map[string]any, len(mapping))
	for key, value := range mapping {
		out[fmt.Sprint(key)] = stringKeys(value, depth+1)
	}
	return out
}

// MarshalYAML writes the same forms as MarshalJSON, but for a curve, which is
// written as its JSON in one text: the numbers of a curve have to survive, and
// YAML libraries round them or read them back as text.
func (c Choice) MarshalYAML() (any, error) {
	switch p := c.placement().(type) {
	case EdgesFirst:
		if p.Edge != 0 && p.Edge != defaultEdge {
			return map[string]any{"name": "edges-first", "edge": p.Edge}, p.check()
		}
	case Shuffled:
		if p.Seed != 0 {
			return map[string]any{"name": "shuffled", "seed": p.Seed}, nil
		}
	case Measured:
		if err := p.check(); err != nil {
			return nil, err
		}
		curve, err := json.Marshal(p.Curve)
		return map[string]any{"name": "measured", "curve": string(curve)}, err
	}
	name, err := c.MarshalText()
	return string(name), err
}

// placement builds what o describes. A parameter belongs to one placement only.
func (o choiceObject) placement() (Placement, error) {
	name := canonicalName(o.Name)
	for _, parameter := range []struct {
		key, owner string
		given      bool
	}{
		{"edge", "edges-first", o.Edge != nil},
		{"seed", "shuffled", o.Seed != nil},
		{"curve", "measured", o.Curve != nil},
	} {
		if parameter.given && name != parameter.owner {
			if _, err := parsePlacement(o.Name, false); name == "" && err != nil {
				return nil, err
			}
			return nil, placementFault(o.Name, fmt.Sprintf("takes no %q: that belongs to the bare name %q", parameter.key, parameter.owner))
		}
	}
	switch {
	case name == "edges-first" && o.Edge != nil:
		p := EdgesFirst{Edge: *o.Edge}
		return p, p.check()
	case name == "shuffled" && o.Seed != nil:
		return Shuffled{Seed: *o.Seed}, nil
	case name == "measured" && o.Curve != nil:
		return o.measured()
	}
	return parsePlacement(o.Name, false)
}

// measured reads the curve of o: the curve itself, or its JSON in one text.
func (o choiceObject) measured() (Placement, error) {
	var text string
	isText := json.Unmarshal(o.Curve, &text) == nil
	switch {
	case isText && strings.HasPrefix(text, "{"):
		o.Curve = json.RawMessage(text)
	case isText:
		return nil, placementFault(o.Name, "needs the curve itself: decoding opens no file, which ParsePlacement does")
	}
	curve, err := ParseCurve(o.Curve)
	if err != nil {
		return nil, err
	}
	return Measured{Curve: curve}, nil
}
