package prompt

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/internal/safetext"
)

// shown returns a metadata value on one line, cut to limit characters. Equal values
// give equal texts: numbers are written as JSON writes them, and what a pointer points
// to stands in its place.
func shown(value any, limit int) string {
	if text, ok := value.(string); ok {
		return shownText(text, limit)
	}
	p := printer{room: limit}
	p.value(reflect.ValueOf(value), 0)
	return shownText(p.text.String(), limit)
}

// shownText puts a text on one line, without what no person can see, and cuts it to
// limit characters.
func shownText(text string, limit int) string {
	if len(text) <= limit && isShort(text) {
		return text
	}
	return strings.TrimSpace(cut(safetext.Line(text), limit))
}

// isShort says that shownText has nothing to do: a text of letters, digits and signs of
// ASCII, without a space at its ends.
func isShort(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7F {
			return false
		}
	}
	return text == "" || text[0] != ' ' && text[len(text)-1] != ' '
}

// cut returns the first limit characters of text.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for i := range text {
		if limit == 0 {
			return text[:i]
		}
		limit--
	}
	return text
}

const (
	maxDepth = 4   // levels of a value that are shown: a value can hold itself
	deeper   = "…" // stands for what is below
)

// printer writes a value in the form of fmt.Sprint, in bounded depth and size.
type printer struct {
	text strings.Builder
	room int // characters that are still of use
}

func (p *printer) str(text string) {
	text = cut(text, p.room)
	p.text.WriteString(text)
	p.room -= utf8.RuneCountInString(text)
}

func (p *printer) value(v reflect.Value, depth int) {
	if v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || p.room <= 0 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func, reflect.Chan:
		if v.IsNil() {
			return
		}
	}
	if text, ok := ownText(v); ok {
		p.str(text)
		return
	}
	if depth == maxDepth && !isPlain(v.Kind()) {
		p.str(deeper)
		return
	}
	switch v.Kind() {
	case reflect.String:
		p.str(v.String())
	case reflect.Bool:
		p.str(strconv.FormatBool(v.Bool()))
	case reflect.Float32:
		p.str(float(v.Float(), 32))
	case reflect.Float64:
		p.str(float(v.Float(), 64))
	case reflect.Complex64, reflect.Complex128:
		p.str(fmt.Sprint(v.Complex()))
	case reflect.Pointer:
		p.value(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			p.str(string(v.Bytes()[:min(v.Len(), 4*p.room)]))
			return
		}
		p.list("[", "]", v.Len(), func(i int) { p.value(v.Index(i), depth+1) })
	case reflect.Struct:
		p.list("{", "}", v.NumField(), func(i int) { p.value(v.Field(i), depth+1) })
	case reflect.Map:
		keys := sortedKeys(v)
		p.list("map[", "]", len(keys), func(i int) {
			p.str(keys[i].text)
			p.str(":")
			p.value(v.MapIndex(keys[i].key), depth+1)
		})
	default:
		switch {
		case v.CanInt():
			p.str(strconv.FormatInt(v.Int(), 10))
		case v.CanUint() && v.Kind() != reflect.Uintptr:
			p.str(strconv.FormatUint(v.Uint(), 10))
		default: // an address says nothing, and changes from run to run
			p.str(v.Type().String())
		}
	}
}

func (p *printer) list(opening, closing string, n int, item func(i int)) {
	p.str(opening)
	for i := 0; i < n && p.room > 0; i++ {
		if i > 0 {
			p.str(" ")
		}
		item(i)
	}
	p.str(closing)
}

// ownText returns the text that a type has for its values.
func ownText(v reflect.Value) (string, bool) {
	if !v.CanInterface() {
		return "", false
	}
	switch own := v.Interface().(type) {
	case time.Time: // without the reading of its process's own clock
		return own.Format(time.RFC3339Nano), true
	case *time.Time:
		return own.Format(time.RFC3339Nano), true
	case error, fmt.Stringer, fmt.Formatter:
		return fmt.Sprint(own), true // which catches a panic
	}
	return "", false
}

func isPlain(kind reflect.Kind) bool {
	switch kind {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Struct, reflect.Map:
		return false
	}
	return true
}

// float writes a number as encoding/json does: whole numbers up to 1e21 have all their
// digits.
func float(f float64, bits int) string {
	format := byte('g')
	if abs := math.Abs(f); abs == 0 || 1e-6 <= abs && abs < 1e21 {
		format = 'f'
	}
	return strconv.FormatFloat(f, format, -1, bits)
}

type mapKey struct {
	key  reflect.Value
	text string
}

// sortedKeys returns the keys of a map in the order of what they read as; numbers go by
// their value.
func sortedKeys(m reflect.Value) []mapKey {
	keys := make([]mapKey, 0, m.Len())
	for _, key := range m.MapKeys() {
		p := printer{room: DefaultMaxShown}
		p.value(key, maxDepth-1)
		keys = append(keys, mapKey{key, p.text.String()})
	}
	slices.SortFunc(keys, func(a, b mapKey) int {
		if a.key.CanInt() && b.key.CanInt() {
			return cmp.Compare(a.key.Int(), b.key.Int())
		}
		return cmp.Compare(a.text, b.text)
	})
	return keys
}
