// Package meta reads the values of a document's metadata, which come from JSON,
// from databases and from loaders, each with types of its own.
package meta

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Number reads a value of any numeric type: the integers and floats of Go, named
// types of them, json.Number, and pointers to any of these. NaN, text and
// everything else are no number.
func Number(value any) (float64, bool) {
	switch n := value.(type) {
	case nil:
		return 0, false
	case float64:
		return n, !math.IsNaN(n)
	case float32:
		return float64(n), n == n
	case int:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil && !math.IsNaN(f)
	}
	v := reflect.ValueOf(value)
	for range 4 { // pointers to pointers, without following a cycle
		if v.Kind() != reflect.Pointer || v.IsNil() {
			break
		}
		v = v.Elem()
	}
	if n, ok := v.Interface().(json.Number); ok {
		return Number(n)
	}
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), !math.IsNaN(v.Float())
	}
	return 0, false
}

// Position reads a value as Number does, and a finite number that is written as
// text, such as the "3" of stores that keep text alone.
func Position(value any) (float64, bool) {
	if text, ok := value.(string); ok {
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return Number(value)
}

// ID reads an ID: text, or a whole number of any type. The second result says
// whether there is one.
func ID(value any) (string, bool) {
	switch id := value.(type) {
	case nil:
		return "", false
	case string:
		return id, id != ""
	case json.Number:
		return id.String(), id != ""
	case float64:
		if id == math.Trunc(id) && math.Abs(id) < 1<<53 {
			return strconv.FormatFloat(id, 'f', -1, 64), true
		}
		return "", false
	}
	switch v := reflect.ValueOf(value); {
	case v.Kind() == reflect.String:
		return v.String(), v.Len() > 0
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), true
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), true
	}
	return "", false
}

// Text reads text that is not empty.
func Text(value any) (string, bool) {
	text, ok := value.(string)
	return text, ok && text != ""
}

// First reads the value of key by read; for an empty key that of the first of
// defaults which read can use.
func First[T any](meta map[string]any, key string, defaults []string, read func(any) (T, bool)) (T, bool) {
	if key != "" {
		return read(meta[key])
	}
	for _, k := range defaults {
		if value, ok := read(meta[k]); ok {
			return value, true
		}
	}
	var none T
	return none, false
}

// SourceKeys and PositionKeys are the fields that say where a chunk was cut from,
// where no setting names others.
var (
	SourceKeys   = []string{"source", "_source"}
	PositionKeys = []string{"position", "chunk_index", "start_index", "page"}
)

// Source reads the source of a chunk; an empty key means SourceKeys. "": not known.
func Source(meta map[string]any, key string) string {
	source, _ := First(meta, key, SourceKeys, Text)
	return source
}
