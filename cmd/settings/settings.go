// Package settings reads the whole configuration of a program that uses Bookend
// from a file that people can read, YAML or JSON, and from the environment.
//
//	order:                # how documents are ranked, admitted and placed
//	  top_k: 8
//	  placement: head-tail
//	prompt:               # what stands in the prompt, and where
//	  layout: bookend
//	  budget: 4000
//	tokenizer: cl100k_base
//
// Unknown keys are errors, with the nearest known one; every fault is reported at
// once, with file, line and column. schema.json lets an editor complete and check.
package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/cmd/internal/doctree"
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/nearest"
)

// Settings is everything that a file can say. The zero value means the defaults.
// It marshals to JSON and, by YAML, to YAML; reading that back gives the same value.
// Funcs are no settings: set them on what Configs returns.
type Settings struct {
	// Schema names the JSON Schema for an editor, and means nothing here.
	Schema string `json:"$schema,omitempty"`
	// Note is a text for people, and means nothing here.
	Note string `json:"note,omitempty"`
	// Order says how documents are ranked, admitted and placed. A placement
	// "measured=FILE" reads its curve from a file, whose path starts at the folder
	// of the settings file, or at the working directory for the environment.
	Order core.Config `json:"order,omitzero"`
	// Prompt says what stands in the prompt, and where.
	Prompt prompt.Config `json:"prompt,omitzero"`
	// Tokenizer names what counts the budgets of Order and Prompt, one of
	// Tokenizers, where they have no Unit of their own. Empty: none.
	Tokenizer string `json:"tokenizer,omitempty"`
	// By and Kinds are what a comparison by kind of question writes: Order is then for the
	// values that no kind has. compare.Settled has them, too, and chooses among them for
	// each call; Configs returns Order and Prompt alone.
	By    string `json:"by,omitempty"`
	Kinds []Kind `json:"kinds,omitempty"`
}

// Kind are the settings for some values of the field By. It converts to a
// compare.SettledKind.
type Kind struct {
	Values []string      `json:"values"`
	Note   string        `json:"note,omitempty"`
	Order  core.Config   `json:"order"`
	Prompt prompt.Config `json:"prompt"`
}

// Load reads a file and then the environment, which wins: environ has the form of
// os.Environ, see EnvName. Without a path the environment alone is read, without an
// environ the file alone. The result is valid as a whole: a file may leave to the
// environment what it needs.
//
// Every fault is found, and comes in one *Error, as does a file that cannot be read
// or that holds no YAML or JSON.
func Load(path string, environ []string) (Settings, error) {
	var file *doctree.File
	if path != "" {
		var err error
		if file, err = doctree.Read(context.Background(), path); err != nil {
			return Settings{}, unreadable(err)
		}
	}
	return decode(file, environ)
}

// Parse is Load for a text, YAML or JSON; name is for messages, and for the folder
// that the paths of curves start at.
func Parse(name string, data []byte, environ []string) (Settings, error) {
	file, err := doctree.Parse(context.Background(), name, data)
	if err != nil {
		return Settings{}, unreadable(err)
	}
	return decode(file, environ)
}

// UnmarshalJSON reads JSON as Parse does. What it does not mention becomes the
// default.
func (s *Settings) UnmarshalJSON(data []byte) error {
	read, err := Parse("settings.json", data, nil)
	if err == nil {
		*s = read
	}
	return err
}

var _ json.Unmarshaler = (*Settings)(nil)

// Configs returns the two configurations, with the tokenizer as the counter of
// every budget that has no unit. It costs the loading of the tokenizer's table,
// some 50 ms, once for each. The error is that of core.New, prompt.New and an
// unknown tokenizer, joined.
func (s Settings) Configs() (core.Config, prompt.Config, error) {
	order, layout := s.Order, s.Prompt
	count, err := Counter(s.Tokenizer)
	if order.Unit == "" && order.Budget > 0 {
		order.Count = count
	}
	if layout.Unit == "" && (layout.Budget > 0 || layout.BookendFrom > 0) {
		layout.Count = count
	}
	_, orderErr := core.New(order)
	_, layoutErr := prompt.New(layout)
	return order, layout, errors.Join(err, orderErr, layoutErr)
}

// Check returns the faults that Load finds in a file alone, in its order. It is
// for the bookend command, since the tree's type is internal. Curves that the file names are read by curve.
func Check(file *doctree.File, curve func(path string) (*core.Curve, error)) []Fault {
	d := &decoder{at: map[string]place{}, curve: curve}
	d.decode(file, nil)
	return d.faults
}

func decode(file *doctree.File, environ []string) (Settings, error) {
	d := &decoder{at: map[string]place{}, curve: core.LoadCurve}
	s := d.decode(file, environ)
	if len(d.faults) > 0 {
		return Settings{}, &Error{Faults: d.faults}
	}
	return s, nil
}

// decode reads what there is, and checks it as a whole.
func (d *decoder) decode(file *doctree.File, environ []string) Settings {
	var s Settings
	if file != nil {
		d.file, d.dir = file.Name, filepath.Dir(file.Name)
		switch len(file.Docs) {
		case 0: // an empty file says nothing
		case 1:
			d.into(file.Docs[0], reflect.ValueOf(&s).Elem(), "")
		default:
			second := file.Docs[1]
			d.fault(d.placeOf(second), "", nil, "holds a second document: settings are one")
		}
	}
	d.file, d.dir = "", ""
	d.environment(environ, &s)
	d.whole(s)
	slices.SortStableFunc(d.faults, inOrder)
	return s
}

// whole checks the settings as core and prompt do, and says where each fault stands.
func (d *decoder) whole(s Settings) {
	if s.Tokenizer != "" && !slices.Contains(Tokenizers(), s.Tokenizer) {
		d.faultAt("tokenizer", s.Tokenizer, "is no tokenizer: use "+strings.Join(Tokenizers(), ", ")+nearest.Hint(s.Tokenizer, Tokenizers()), nearest.Of(s.Tokenizer, Tokenizers()))
	}
	count := core.Words.Count // any counter does to check
	if s.Tokenizer == "" {
		count = nil
	}
	d.both("", s.Order, s.Prompt, count)
	seen := map[string]bool{}
	for i, k := range s.Kinds {
		section := fmt.Sprintf("kinds[%d]", i)
		d.both(section, k.Order, k.Prompt, count)
		for j, value := range k.Values {
			if seen[value] {
				d.faultAt(fmt.Sprintf("%s.values[%d]", section, j), value, "stands twice: give each value one kind", "")
			}
			seen[value] = true
		}
	}
}

// both checks the two configurations of a section.
func (d *decoder) both(section string, order core.Config, layout prompt.Config, count func(string) int) {
	if order.Unit == "" {
		order.Count = count
	}
	if layout.Unit == "" {
		layout.Count = count
	}
	_, err := core.New(order)
	d.translate(join(section, "order"), reflect.TypeFor[core.Config](), err)
	_, err = prompt.New(layout)
	d.translate(join(section, "prompt"), reflect.TypeFor[prompt.Config](), err)
}

// translate turns the faults of a section, which name Go's fields, into faults of
// its keys.
func (d *decoder) translate(section string, config reflect.Type, err error) {
	for _, err := range split(err) {
		fault := (*core.ConfigError)(nil)
		if !errors.As(err, &fault) {
			d.faultAt(section, nil, strings.TrimPrefix(err.Error(), "bookend: "), "")
			continue
		}
		path := section
		if field, ok := config.FieldByName(fault.Field); ok {
			path += "." + keyOf(field)
		}
		if !d.wrong[path] {
			d.faultAt(path, fault.Value, fault.Explain(keyFor(config)), "")
		}
	}
}

// split takes joined errors apart.
func split(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	return all
}

// keyFor returns the key of a setting that a rule of core or prompt names, such as
// "keys.score" for "Keys.Score" and "tokenizer" for the counter that it sets.
func keyFor(config reflect.Type) func(setting string) string {
	return func(setting string) string {
		if setting == "Count" {
			return "tokenizer"
		}
		t, key := config, ""
		for _, name := range strings.Split(setting, ".") {
			if t.Kind() != reflect.Struct {
				return setting
			}
			field, ok := t.FieldByName(name)
			if !ok || keyOf(field) == "" {
				return setting
			}
			t, key = field.Type, join(key, keyOf(field))
		}
		return key
	}
}

// Fault is one fault of the settings.
type Fault struct {
	File         string // empty for the environment
	Line, Column int    // from 1; 0 where nothing stands that could be pointed at
	Key          string // such as "order.top_k", or the name of a variable
	Value        any    // what was given; nil if that says nothing
	Rule         string // what is wrong with it, and the remedy
	Meant        string // the name that was probably meant for the key or the value, or ""
}

// Error writes file:line:column, the key, the value and the rule.
func (f Fault) Error() string {
	text := "bookend: "
	if place := doctree.Place(f.File, f.Line, f.Column); place != "" {
		text += place + ": "
	}
	if f.Key != "" {
		text += f.Key + " "
	}
	switch value := f.Value.(type) {
	case nil:
	case string:
		text += fmt.Sprintf("is %q: ", value)
	default:
		text += fmt.Sprintf("is %v: ", value)
	}
	return text + f.Rule
}

// inOrder sorts faults by place, those of the environment last.
func inOrder(a, b Fault) int {
	if (a.File == "") != (b.File == "") {
		return strings.Compare(b.File, a.File)
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// Error holds every fault of the settings, in the order of the file.
type Error struct {
	Faults []Fault
	Err    error // why a file cannot be read, such as fs.ErrNotExist; else nil
}

// Error has a line for each fault.
func (e *Error) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the cause, for errors.Is.
func (e *Error) Unwrap() error { return e.Err }

// unreadable makes an *Error of the one fault that kept a file from being read.
func unreadable(err error) error {
	fault := (*doctree.Error)(nil)
	if !errors.As(err, &fault) {
		return err
	}
	rule := fault.Rule
	if fault.Err != nil {
		rule += ": " + fault.Err.Error()
	}
	return &Error{Faults: []Fault{{File: fault.File, Line: fault.Line, Column: fault.Column, Rule: rule}}, Err: fault.Err}
}
