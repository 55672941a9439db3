package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"
)

// reader walks over JSON that is known to be valid, beside the type that it is
// decoded into.
type reader struct{ rest []byte }

// value reads one value of the type; nil: of any.
func (r *reader) value(t reflect.Type) error {
	t = target(t)
	switch r.next() {
	case '{':
		return r.object(t)
	case '[':
		return r.array(t)
	case '"':
		r.text()
		return nil
	}
	word := r.word()
	if string(word) == "null" && t != nil {
		if what := wanted(t.Kind()); what != "" {
			return fmt.Errorf("is null: give it %s, or leave the key out", what)
		}
	}
	return nil
}

func (r *reader) object(t reflect.Type) error {
	var known map[string]reflect.Type
	var of reflect.Type // of the values of a map
	switch {
	case t == nil:
	case t.Kind() == reflect.Struct:
		known = fieldsOf(t)
	case t.Kind() == reflect.Map:
		of = t.Elem()
	}
	seen := map[string]bool{}
	r.skip('{')
	for first := true; r.next() != '}'; first = false {
		if !first {
			r.skip(',')
			r.next()
		}
		key := unquote(r.text())
		if seen[key] {
			return fmt.Errorf("the key %q is given twice: keep one", key)
		}
		seen[key] = true
		if known != nil {
			var ok bool
			if of, ok = known[key]; !ok {
				return fmt.Errorf("the key %q is written %q", key, inCase(key, known))
			}
		}
		r.next()
		r.skip(':')
		if err := r.value(of); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	r.skip('}')
	return nil
}

func (r *reader) array(t reflect.Type) error {
	var of reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		of = t.Elem()
	}
	r.skip('[')
	for i := 0; r.next() != ']'; i++ {
		if i > 0 {
			r.skip(',')
		}
		if err := r.value(of); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	r.skip(']')
	return nil
}

// next passes white space and returns what comes next.
func (r *reader) next() byte {
	for len(r.rest) > 0 {
		switch c := r.rest[0]; c {
		case ' ', '\t', '\n', '\r':
			r.rest = r.rest[1:]
		default:
			return c
		}
	}
	return 0
}

// skip passes one character, which next has found.
func (r *reader) skip(c byte) { r.rest = bytes.TrimPrefix(r.rest, []byte{c}) }

// text passes a text and returns it with its quotes.
func (r *reader) text() []byte {
	end := 1
	for end < len(r.rest) && r.rest[end] != '"' {
		if r.rest[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end+1, len(r.rest))
	text := r.rest[:end]
	r.rest = r.rest[end:]
	return text
}

// word passes a number, true, false or null, and returns it.
func (r *reader) word() []byte {
	end := 0
	for end < len(r.rest) && !strings.ContainsRune(" \t\n\r,]}", rune(r.rest[end])) {
		end++
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	return word
}

func unquote(text []byte) (key string) {
	plain := text[1 : len(text)-1]
	for _, c := range plain {
		if c == '\\' || c >= utf8.RuneSelf {
			_ = json.Unmarshal(text, &key) // it is valid
			return key
		}
	}
	return string(plain)
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()
)

// target follows pointers, which may be null; what decodes itself is nil.
func target(t reflect.Type) reflect.Type {
	pointer := false
	for t != nil {
		if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
			return nil
		}
		if t.Kind() != reflect.Pointer {
			break
		}
		pointer, t = true, t.Elem()
	}
	if pointer && t != nil && wanted(t.Kind()) != "" {
		return nil
	}
	return t
}

// wanted says what a value must be that cannot be null.
func wanted(k reflect.Kind) string {
	switch {
	case k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr:
		return "a number"
	case k == reflect.String:
		return "a text"
	case k == reflect.Bool:
		return "true or false"
	}
	return ""
}

var fieldsByType sync.Map // of map[string]reflect.Type

// fieldsOf returns the types of a struct's keys.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("json") == "-" || f.Anonymous && name == "" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
	}
	fieldsByType.Store(t, fields)
	return fields
}

// inCase returns how a key is written that differs from a known one by its case
// alone: the decoder has taken it, so there is one.
func inCase(key string, known map[string]reflect.Type) string {
	for name := range known {
		if strings.EqualFold(name, key) {
			return name
		}
	}
	return strings.ToLower(key)
}
