package prompt_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
)

// panics is a metadata value whose own text fails.
type panics struct{}

func (panics) String() string { panic("broken") }

type point struct{ X, Y float64 }

func ptr[T any](v T) *T { return &v }

// showValue returns how the prompt shows a metadata value.
func showValue(t *testing.T, value any, limit int) string {
	t.Helper()
	got := block(t, prompt.Config{Show: []string{"x"}, MaxShown: limit}, []doc{{"T", map[string]any{"x": value}}})
	got, _ = strings.CutPrefix(got, "[1] ")
	got, _ = strings.CutSuffix(got, "T")
	return strings.TrimSuffix(strings.TrimPrefix(got, "(x: "), ") ")
}

// Numbers have their digits, pointers the value that they point to, and what is equal
// is shown alike.
func TestShownValuesOfEveryKind(t *testing.T) {
	t.Parallel()
	var decoded any
	if err := json.Unmarshal([]byte(`{"date": 20260131, "big": 1e21, "list": [1, 2.5, null, true], "small": 0.000001}`), &decoded); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"a whole number from JSON", float64(20260131), "20260131"},
		{"a large one", 123456789012345678.0, "123456789012345680"},
		{"float32", float32(0.1), "0.1"},
		{"a tiny number", 1e-9, "1e-09"},
		{"a negative one", -2.5e6, "-2500000"},
		{"a pointer", ptr(7.0), "7"},
		{"a pointer to a pointer", ptr(ptr("x")), "x"},
		{"a nil pointer", (*int)(nil), ""},
		{"a nil map", map[string]int(nil), ""},
		{"pointers in a list", []*int{ptr(1), nil, ptr(2)}, "[1  2]"},
		{"a struct", point{1, 2e7}, "{1 20000000}"},
		{"a pointer to a struct", &point{1, 2}, "{1 2}"},
		{"JSON", decoded, "map[big:1e+21 date:20260131 list:[1 2.5  true] small:0.000001]"},
		{"a map by number", map[int]string{10: "b", 9: "a"}, "map[9:a 10:b]"},
		{"bytes", []byte("text"), "text"},
		{"raw JSON", json.RawMessage(`{"a":1}`), `{"a":1}`},
		{"a number of JSON", json.Number("20260131"), "20260131"},
		{"time", at, "2026-01-31T08:00:00Z"},
		{"a pointer to a time", &at, "2026-01-31T08:00:00Z"},
		{"a duration", 90 * time.Second, "1m30s"},
		{"an address of the net", net.IPv4(127, 0, 0, 1), "127.0.0.1"},
		{"an error", errors.New("e"), "e"},
		{"a big number", big.NewInt(1234), "1234"},
		{"a func", func() {}, "func()"},
		{"a complex number", 1 + 2i, "(1+2i)"},
		{"bidi controls", "a\u202eb\u2066c", "abc"},
		{"zero-width and tags", "a\u200bb\U000e0041c\ufeff", "abc"},
	} {
		same(t, test.name, test.want, showValue(t, test.value, 0))
	}
	if got := showValue(t, panics{}, 0); !strings.Contains(got, "PANIC") {
		t.Errorf("a text that fails is shown as %q", got)
	}
	now := time.Now()
	same(t, "the clock of the process", showValue(t, now.Round(0), 0), showValue(t, now, 0))
}

// A value that holds itself, or is deep, wide or long, is cut.
func TestShownValuesAreBounded(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{"a": 1}
	cyclic["self"] = cyclic
	list := []any{1, nil}
	list[1] = list
	var pointer any
	pointer = &pointer
	type node struct{ Next *node }
	ring := &node{}
	ring.Next = ring
	var deep any = 1
	for range 100_000 {
		deep = []any{deep}
	}
	wide := make([]int, 1_000_000)
	empty := make([]struct{}, 1_000_000)
	for name, value := range map[string]any{
		"map": cyclic, "list": list, "pointer": pointer, "ring": ring, "deep": deep, "wide": wide, "of nothing": empty,
		"long": strings.Repeat("日", 1_000_000), "long bytes": []byte(strings.Repeat("x", 1_000_000)),
	} {
		got := showValue(t, value, 50)
		if got == "" || len([]rune(got)) > 50 {
			t.Errorf("%s is shown as %q", name, got)
		}
		same(t, name+", once more", got, showValue(t, value, 50))
	}
	same(t, "a map that holds itself", "map[a:1 self:map[a:1 self:map[a:1 self:map[a:1 self:…]]]]", showValue(t, cyclic, 0))
}
