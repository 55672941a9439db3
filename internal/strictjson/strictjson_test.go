package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

type inner struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

type embedded struct {
	Deep float64 `json:"deep"`
}

// own decodes itself.
type own struct{ raw string }

func (o *own) UnmarshalJSON(data []byte) error {
	o.raw = string(data)
	return nil
}

type outer struct {
	embedded
	Number   float64         `json:"number"`
	Numbers  []float64       `json:"numbers"`
	Maybe    *float64        `json:"maybe"`
	Flag     bool            `json:"flag"`
	Text     string          `json:"text"`
	Inner    inner           `json:"inner"`
	List     []inner         `json:"list"`
	ByName   map[string]int  `json:"by_name"`
	Anything any             `json:"anything"`
	Raw      json.RawMessage `json:"raw"`
	Own      own             `json:"own"`
	Untagged int
	hidden   int
	Skipped  int `json:"-"`
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: "",
		`  {"number" : 1.5e3 , "numbers":[ 1 , 2 ],"maybe":null,"flag":true,"text":"a\"b\\","deep":1,"Untagged":2} ` + "\n": "",
		`{"numbers":null,"list":null,"by_name":null,"anything":null,"raw":null,"own":null}`:                                 "",
		`{"inner":{"name":"x","size":1},"list":[{"name":"x"},{"name":"y"}],"by_name":{"a":1,"A":2}}`:                        "",
		`{"anything":[{"a":null},{"a":[[],{}]}]}`:                                                                           "",
		`{"n\u0075mber":1}`:               "",
		`{"maybe":2}`:                     "",
		`{"number":null}`:                 "number: is null: give it a number",
		`{"numbers":[0.5,null]}`:          "numbers: [1]: is null",
		`{"deep":null}`:                   "deep: is null",
		`{"flag":null}`:                   "give it true or false",
		`{"text":null}`:                   "give it a text",
		`{"by_name":{"a":null}}`:          "by_name: a: is null",
		`{"list":[{},{"size":null}]}`:     "list: [1]: size: is null",
		`{"Number":1}`:                    `"Number" is written "number"`,
		`{"NUMBERS":[1]}`:                 `"NUMBERS" is written "numbers"`,
		`{"inner":{"Size":1}}`:            `inner: the key "Size" is written "size"`,
		`{"untagged":1}`:                  `"untagged" is written "Untagged"`,
		`{"number":1,"number":1}`:         `"number" is given twice`,
		`{"number":1,"n\u0075mber":2}`:    `"number" is given twice`,
		`{"inner":{"size":1,"size":2}}`:   `inner: the key "size" is given twice`,
		`{"by_name":{"a":1,"a":2}}`:       `"a" is given twice`,
		`{"anything":{"a":1,"a":2}}`:      `"a" is given twice`,
		`{"raw":[{"a":"}","b":1,"a":2}]}`: `"a" is given twice`,
		`{"own":{"a":1,"a":2}}`:           `"a" is given twice`,
		`{"numbre":1}`:                    "unknown field",
		`{"hidden":1}`:                    "unknown field",
		`{"Skipped":1}`:                   "unknown field",
		`{"number":1} {"number":1}`:       "more after the end",
		`{"number":"1"}`:                  "cannot unmarshal",
		`{"number":1`:                     "unexpected EOF",
		``:                                "EOF",
	} {
		var v outer
		_ = v.hidden
		err := Unmarshal([]byte(text), &v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// FuzzUnmarshal: nothing panics, and what is accepted means what a plain decoder reads
// into a map.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{`{"a":{"b":[1,"x",null,true]}}`, `{"a":1,"a":2}`, `[{"\u0061":1,"a":2}]`, `"\\"`, `{"number":null}`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var v any
		err := Unmarshal([]byte(text), &v)
		if err == nil && !json.Valid([]byte(text)) {
			t.Errorf("%q is accepted", text)
		}
		_ = Unmarshal([]byte(text), new(outer))
	})
}

func BenchmarkUnmarshal(b *testing.B) {
	text := []byte(`{"numbers":[` + strings.Repeat("0.123456,", 999) + `1],"list":[` + strings.Repeat(`{"name":"x","size":1},`, 99) + `{}]}`)
	for name, decode := range map[string]func([]byte, any) error{"strict": Unmarshal, "plain": json.Unmarshal} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := decode(text, new(outer)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
