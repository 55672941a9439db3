package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// maxFaults is how many faults are told; one more says that there are others.
const maxFaults = 100

// decoder fills the settings from trees, and collects the faults on the way.
type decoder struct {
	file, dir string                                 // of what is being read
	variable  string                                 // the variable that is being read, or ""
	at        map[string]place                       // where each key stands
	wrong     map[string]bool                        // keys whose value could not be taken
	curve     func(path string) (*core.Curve, error) // reads the file of a curve
	faults    []Fault
}

// place is where a value stands: in a file, or in a variable.
type place struct {
	file         string
	line, column int
	variable     string
}

func (d *decoder) placeOf(n *doctree.Node) place {
	if d.variable != "" {
		return place{variable: d.variable}
	}
	return place{file: d.file, line: n.Line, column: n.Column}
}

func (d *decoder) fault(at place, key string, value any, rule string) {
	d.misspelled(at, key, value, rule, "")
}

// misspelled is fault with the name that was probably meant, or "".
func (d *decoder) misspelled(at place, key string, value any, rule, meant string) {
	if at.variable != "" {
		key = at.variable
	}
	if len(d.faults) == maxFaults {
		key, value, rule, meant = "", nil, fmt.Sprintf("has more than %d faults: mend those first", maxFaults), ""
	}
	if len(d.faults) <= maxFaults {
		d.faults = append(d.faults, Fault{File: at.file, Line: at.line, Column: at.column, Key: key, Value: value, Rule: rule, Meant: meant})
	}
}

// full says that no further fault would be told.
func (d *decoder) full() bool { return len(d.faults) > maxFaults }

// faultAt reports a fault of a key at its place, or else at that of the section
// around it, or of the whole.
func (d *decoder) faultAt(key string, value any, rule, meant string) {
	at, section := place{}, key
	for {
		if found, ok := d.at[section]; ok || section == "" {
			at = found
			break
		}
		section, _ = sectionOf(section)
	}
	d.misspelled(at, key, value, rule, meant)
}

// refuse reports a value that cannot be taken, and leaves a valid one in its place,
// so that no fault follows from it.
func (d *decoder) refuse(n *doctree.Node, v reflect.Value, key, rule string) {
	d.refuseFor(n, v, key, rule, "")
}

// refuseFor is refuse with the name that was probably meant, or "".
func (d *decoder) refuseFor(n *doctree.Node, v reflect.Value, key, rule, meant string) {
	var value any
	if n.Kind != doctree.Map && n.Kind != doctree.List && n.Kind != doctree.Null {
		value = n.Text
	}
	d.misspelled(d.placeOf(n), key, value, rule, meant)
	if d.wrong == nil {
		d.wrong = map[string]bool{}
	}
	d.wrong[key] = true
	switch {
	case v.Kind() == reflect.Int:
		v.SetInt(1)
	case v.Type() == reflect.TypeFor[core.Unit]():
		v.SetString(string(core.Words))
	case v.Type() == reflect.TypeFor[core.Direction]():
		v.SetString(string(core.HigherIsBetter))
	}
}

// into reads n into v, a setting of any of the types that there are.
func (d *decoder) into(n *doctree.Node, v reflect.Value, key string) {
	d.at[key] = d.placeOf(n)
	if n.Kind == doctree.Null {
		d.refuse(n, v, key, "has no value: give one, or leave the key out")
		return
	}
	if v.Type() == reflect.TypeFor[core.Choice]() {
		d.placement(n, v, key)
		return
	}
	wants := func(kinds ...doctree.Kind) bool {
		if slices.Contains(kinds, n.Kind) {
			return true
		}
		d.refuse(n, v, key, "must be "+kinds[0].String()+", not "+n.Kind.String())
		return false
	}
	switch v.Kind() {
	case reflect.Struct:
		if wants(doctree.Map) {
			d.mapping(n, v, key)
		}
	case reflect.String:
		if wants(doctree.Text) {
			v.SetString(n.Text)
		}
	case reflect.Bool:
		if wants(doctree.Bool) {
			v.SetBool(strings.EqualFold(n.Text, "true"))
		}
	case reflect.Int:
		if wants(doctree.Int, doctree.Float) {
			if i, ok := wholeNumber(n); ok {
				v.SetInt(i)
			} else {
				d.refuse(n, v, key, "must be a whole number of at most 64 bits")
			}
		}
	case reflect.Pointer: // *float64
		if wants(doctree.Float, doctree.Int) {
			if f, ok := number(n); ok {
				v.Set(reflect.ValueOf(&f))
			} else {
				d.refuse(n, v, key, "must be a finite number")
			}
		}
	case reflect.Slice: // []string or []Kind
		if !wants(doctree.List) {
			return
		}
		for i, item := range n.Items {
			if d.full() {
				return
			}
			if v.Type().Elem().Kind() == reflect.Struct {
				each := reflect.New(v.Type().Elem()).Elem()
				d.into(item, each, fmt.Sprintf("%s[%d]", key, i))
				v.Set(reflect.Append(v, each))
				continue
			}
			d.at[fmt.Sprintf("%s[%d]", key, i)] = d.placeOf(item)
			if item.Kind != doctree.Text {
				d.refuse(item, v, fmt.Sprintf("%s[%d]", key, i), "must be text: put it in quotes")
				continue
			}
			v.Set(reflect.Append(v, reflect.ValueOf(item.Text)))
		}
	}
}

// mapping reads a section. Every key has to be known, and given once.
func (d *decoder) mapping(n *doctree.Node, v reflect.Value, section string) {
	keys := keysOf(v.Type())
	seen := map[string]*doctree.Node{}
	for _, e := range n.Entries {
		if d.full() {
			return
		}
		name, at := e.Key.Text, d.placeOf(e.Key)
		key := join(section, name)
		if first := seen[name]; first != nil {
			d.fault(at, key, nil, fmt.Sprintf("is given twice, first in line %d: keep one", first.Line))
			continue
		}
		seen[name] = e.Key
		field, known := fieldOf(v, name)
		if !known || e.Key.Kind != doctree.Text {
			d.misspelled(at, key, nil, "is not known"+d.suggest(section, name, keys), nearest.Of(name, keys))
			continue
		}
		d.into(e.Value, field, key)
	}
}

// suggest names the key that is probably meant: one of the section, or one of
// another section with the same name.
func (d *decoder) suggest(section, name string, keys []string) string {
	if near := nearest.Hint(name, keys); near != "" {
		return near
	}
	for _, setting := range All() {
		if other, last := sectionOf(setting.Key); last == name && other != section {
			return "; " + setting.Key + " has that name"
		}
	}
	return "; known here: " + strings.Join(keys, ", ")
}

func sectionOf(key string) (section, name string) {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i], key[i+1:]
	}
	return "", key
}

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

// keyOf returns the key of a field, "" for one that is no setting.
func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if key == "-" {
		return ""
	}
	return key
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := keyOf(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if key != "" && keyOf(v.Type().Field(i)) == key {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// wholeNumber reads an integer; 10.0 is one, as JSON Schema has it.
func wholeNumber(n *doctree.Node) (int64, bool) {
	text := strings.ReplaceAll(n.Text, "_", "")
	if i, err := strconv.ParseInt(text, 0, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}

func number(n *doctree.Node) (float64, bool) {
	text := strings.ReplaceAll(n.Text, "_", "")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		i, err := strconv.ParseInt(text, 0, 64)
		return float64(i), err == nil
	}
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}

// placement reads a name, or a mapping with a name and one parameter.
func (d *decoder) placement(n *doctree.Node, v reflect.Value, key string) {
	choice := v.Addr().Interface().(*core.Choice)
	var err error
	switch n.Kind {
	case doctree.Text:
		err = d.placementName(n.Text, choice)
	case doctree.Map:
		err = d.placementMapping(n, choice, key)
	default:
		d.refuse(n, v, key, "must be the name of a placement, or a mapping with a name")
		return
	}
	if err != nil {
		d.placementFault(n, v, key, err)
	}
	if choice.Placement == (core.EdgesFirst{}) { // what Edge 0 means, so that it is written as it was read
		choice.Placement = core.EdgesFirst{Edge: 2}
	}
}

// placementName reads a name. The curve of "measured=FILE" is read here, so that who
// may open which file is decided in one place.
func (d *decoder) placementName(name string, choice *core.Choice) error {
	word, path, given := strings.Cut(name, "=")
	word, path = strings.ToLower(strings.TrimSpace(word)), strings.TrimSpace(path)
	if !given || path == "" || word != "measured" && word != "curve" {
		return choice.UnmarshalText([]byte(name))
	}
	return d.measured(path, choice)
}

// measured reads a curve from a file, whose path starts at the folder of the
// settings.
func (d *decoder) measured(path string, choice *core.Choice) error {
	curve, err := d.curve(d.inFolder(path))
	if err == nil {
		choice.Placement = core.Measured{Curve: curve}
	}
	return err
}

// placementFault rewords what core says of a placement, which names it already.
func (d *decoder) placementFault(n *doctree.Node, v reflect.Value, key string, err error) {
	rule, meant := strings.TrimPrefix(err.Error(), "bookend: "), ""
	if fault := (*core.ConfigError)(nil); errors.As(err, &fault) {
		name, _ := fault.Value.(string)
		meant = nearest.Of(name, core.PlacementNames())
		rule = fault.Rule
	}
	d.refuseFor(n, v, key, rule, meant)
}

// placementMapping hands the mapping to core as JSON, once its keys are known.
func (d *decoder) placementMapping(n *doctree.Node, choice *core.Choice, key string) error {
	object := map[string]json.RawMessage{}
	for _, e := range n.Entries {
		name := e.Key.Text
		if !slices.Contains(placementKeys, name) {
			return errors.New("has the unknown key " + strconv.Quote(name) + nearest.Hint(name, placementKeys) + "; known: " + strings.Join(placementKeys, ", "))
		}
		if _, twice := object[name]; twice {
			return errors.New("has the key " + name + " twice: keep one")
		}
		if e.Value.Kind == doctree.Null {
			return errors.New("has no value for " + name)
		}
		text, err := asJSON(e.Value)
		if err != nil {
			return errors.New(name + " " + err.Error())
		}
		object[name] = text
	}
	if object["name"] == nil {
		return errors.New("has no name: add one of " + strings.Join(core.PlacementNames(), ", "))
	}
	var name string
	if json.Unmarshal(object["name"], &name) != nil {
		return errors.New("must have text as its name")
	}
	if strings.Contains(name, "=") && len(object) > 1 {
		return errors.New("has a parameter in its name and another as a key: keep one")
	}
	curve := n.Get("curve")
	switch isFile := curve != nil && curve.Kind == doctree.Text && curve.Text != "" && !strings.HasPrefix(curve.Text, "{"); {
	case len(object) == 1:
		return d.placementName(name, choice)
	case len(object) == 2 && isFile && slices.Contains([]string{"measured", "curve"}, strings.ToLower(strings.TrimSpace(name))):
		return d.measured(curve.Text, choice)
	case isFile: // it belongs to no other placement: the words are core's, and no file is opened
		object["curve"] = json.RawMessage(`{}`)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return choice.UnmarshalJSON(text)
}

var placementKeys = []string{"name", "edge", "seed", "curve"}

func (d *decoder) inFolder(path string) string {
	if d.dir == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(d.dir, path)
}

// asJSON writes a tree as JSON. Numbers that JSON does not know are an error.
func asJSON(n *doctree.Node) (json.RawMessage, error) { return appendJSON(nil, n) }

func appendJSON(text []byte, n *doctree.Node) ([]byte, error) {
	switch n.Kind {
	case doctree.Null:
		return append(text, "null"...), nil
	case doctree.Bool:
		return append(text, strings.ToLower(n.Text)...), nil
	case doctree.Int, doctree.Float:
		if json.Valid([]byte(n.Text)) {
			return append(text, n.Text...), nil
		}
		if u, err := strconv.ParseUint(strings.ReplaceAll(n.Text, "_", ""), 0, 64); err == nil {
			return strconv.AppendUint(text, u, 10), nil
		}
		f, ok := number(n)
		if !ok {
			return nil, fmt.Errorf("must be a finite number, not %s", n.Text)
		}
		return strconv.AppendFloat(text, f, 'g', -1, 64), nil
	case doctree.Text:
		quoted, err := json.Marshal(n.Text)
		return append(text, quoted...), err
	}
	open, end, err := byte('['), byte(']'), error(nil)
	if n.Kind == doctree.Map {
		open, end = '{', '}'
	}
	text = append(text, open)
	for i, item := range n.Items {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = appendJSON(text, item); err != nil {
			return nil, err
		}
	}
	for i, e := range n.Entries {
		if i > 0 {
			text = append(text, ',')
		}
		key, _ := json.Marshal(e.Key.Text) // a text always can be written
		text = append(append(text, key...), ':')
		if text, err = appendJSON(text, e.Value); err != nil {
			return nil, err
		}
	}
	return append(text, end), nil
}
