package settings_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/bookend-rag/bookend/cmd/settings"
)

var update = flag.Bool("update", false, "write schema.json and the table of docs/settings.md anew")

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(settings.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile("schema.json", settings.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, settings.Schema()) {
		t.Error("schema.json is not what the types give: go test ./cmd/settings -update writes it")
	}
}

var table = regexp.MustCompile(`(?s)\| key \|.*\n(\|[^\n]*\n)+`)

func TestTableIsCurrent(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "settings.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		page = table.ReplaceAllLiteral(page, []byte(settings.Table()))
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(page), settings.Table()) {
		t.Error("the table of docs/settings.md is not what the types give: go test ./cmd/settings -update writes it")
	}
	for _, s := range settings.All() {
		if s.Help == "" {
			t.Errorf("%s has no help", s.Key)
		}
	}
}

// companions are the other settings that one needs to be valid.
var companions = map[string]string{
	"order.rank":          `"direction": "higher-is-better"`,
	"order.threshold":     `"direction": "higher-is-better"`,
	"order.budget":        `"unit": "words"`,
	"order.keep_best":     `"unit": "words", "budget": 9`,
	"prompt.budget":       `"unit": "words"`,
	"prompt.reserve":      `"unit": "words", "budget": 9`,
	"prompt.bookend_from": `"unit": "words", "layout": "bookend"`,
}

// values are what each setting is tried with, as JSON.
func values(t *testing.T) []string {
	values := []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `2.5`, `10.0`, `1e2`, `9223372036854775807`, `9223372036854775808`, `18446744073709551615`,
		`18446744073709551616`, `-0`, `1e300`, `1e400`, `{}`, `[]`, `["a"]`, `["a", "b"]`, `[""]`, `[1]`, `[null]`, `[["a"]]`, `{"name": 1}`, `{"a": 1}`,
		`{"name": "ranked"}`, `{"name": "Head_Tail"}`, `{"name": "nope"}`, `{"Name": "ranked"}`, `{"name": "ranked", "edge": 1}`, `{"name": null}`,
		`{"name": "edges-first"}`, `{"name": "edges_first", "edge": 0}`, `{"name": "edges-first", "edge": 3}`, `{"name": "edges-first", "edge": -1}`,
		`{"name": "edges-first", "edge": 1.5}`, `{"name": "edges-first", "edge": "3"}`, `{"name": "edges-first", "edge": null}`,
		`{"name": "edges-first", "edge": 3, "seed": 1}`, `{"name": "edges-first", "edge": 3, "x": 1}`, `{"name": "edges-first=3"}`, `{"name": "edges-first=3", "edge": 3}`,
		`{"name": "shuffled", "seed": 18446744073709551615}`, `{"name": "shuffled", "seed": 18446744073709551616}`, `{"name": "shuffled", "seed": -1}`,
		`{"name": "shuffled", "seed": "1"}`, `{"name": "measured"}`, `{"name": "measured", "curve": ""}`, `{"name": "measured", "curve": 5}`, `{"edge": 3}`,
	}
	good, err := json.Marshal(curve(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"", ""},
		{`"documents":5`, `"documents":1`},
		{`"documents":5`, `"documents":"5"`},
		{`"shape":"U"`, `"shape":"V"`},
		{`bookend-curve/1`, `bookend-curve/2`},
		{`"accuracy":[0.7`, `"accuracy":[70`},
		{`"model"`, `"modell"`},
		{`"slots":[0,2,4]`, `"slots":[-1,2,4]`},
		{`"questions":60`, `"questions":1.5`},
		{`"ends_differ":true`, `"ends_differ":"yes"`},
		{`"format":"bookend-curve/1",`, ``},
		{`"accuracy":[0.7`, `"accuracy":[true`},
		{`"documents":5`, `"documents":5,"asked":"q1 q2"`},
		{`"documents":5`, `"documents":5,"asked":["q1"]`},
		{`"documents":5`, `"documents":5,"kind":"use","layout":"l","date":"d","task":"t"`},
	} {
		values = append(values, `{"name": "measured", "curve": `+strings.Replace(string(good), change[0], change[1], 1)+`}`)
	}
	words := []string{
		"", "x", "given", "score", "Given", "higher-is-better", "higher_is_better", "lower-is-better", "runes", "words", "lines", "stop", "skip", "stopp",
		"rank", "slot", "numbered", "Titled", " XML ", "markdown", "html", "cl100k_base", "o200k_base", "gpt2", "CL100K_BASE",
		"question-last", "Question_Last", " bookend ", "query-aware", "instruction-first", "documents-first", "bookends", "documents", "documents,question", "Documents , QUESTION",
		"rules,question,documents,question", "question,documents,question,question", "documents,documents,question", "documents,rules", "question,rules",
		"history,documents,question", "documents,question,history", "documents,history,question", "documents,,question", "documents,question,", ",documents,question", "documents;question",
		"documents,question,footer", "task,history,rules,documents,question,instruction,reminder", "rules,rules,documents,question", "\ndocuments,\tquestion ",
		"ranked", "RANKED", "similarity_desc", "head_tail_alternating", "sandwich", "fold-by-relevance", "source_order", "ranked=", "ranked=1", "head tail", "measured", "measured=", "measured= ",
		"edges-first", "edges-first=3", "edges_first = +03", "edges-first=0", "edges-first=-1", "edges-first=", "edges-first=x", "edges-first=1.5", "edges-first=3=4",
		"shuffled", "shuffled=0", "shuffled= 42 ", "shuffled=-1", "shuffled=+1", "shuffled=18446744073709551615", "shuffled=18446744073709551616", "shuffled=0018446744073709551615",
		"shuffled=9999999999999999999", "shuffled=99999999999999999999", "shuffled=18446744073709551609", "shuffled=17999999999999999999", "shuffled=x",
	}
	for _, word := range append(words, texts...) {
		text, err := json.Marshal(word)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, string(text))
	}
	return values
}

// Every setting is tried with every value, and every section with unknown keys; the
// schema and the code must agree on each.
func TestSchemaAgreesWithTheCode(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	agreed := map[bool]int{}
	try := func(doc string) {
		t.Helper()
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
		if err != nil {
			return // 1e400 and the like
		}
		_, codeErr := settings.Parse("settings.json", []byte(doc), nil)
		schemaErr := schema.Validate(instance)
		if (codeErr == nil) != (schemaErr == nil) {
			t.Errorf("%s\ncode:   %v\nschema: %v", doc, codeErr, schemaErr)
		}
		agreed[codeErr == nil]++
	}
	all := values(t)
	for _, s := range settings.All() {
		section, key, nested := strings.Cut(s.Key, ".")
		for _, value := range all {
			switch companion := companions[s.Key]; {
			case !nested:
				try(fmt.Sprintf(`{%q: %s}`, s.Key, value))
			case companion != "":
				try(fmt.Sprintf(`{%q: {%s, %q: %s}}`, section, companion, key, value))
			default:
				try(fmt.Sprintf(`{%q: {%q: %s}}`, section, key, value))
			}
		}
	}
	for _, value := range all {
		try(value)
		try(`{"order": ` + value + `}`)
		try(`{"prompt": ` + value + `}`)
		try(`{"order": {"top_kk": ` + value + `}}`)
		try(`{"prompt": {"top_k": ` + value + `}}`)
		try(`{"orders": ` + value + `}`)
	}
	if agreed[true] < 500 || agreed[false] < 500 {
		t.Errorf("%d accepted and %d refused documents: too few of one kind", agreed[true], agreed[false])
	}
	t.Logf("%d accepted, %d refused", agreed[true], agreed[false])
}

// completions returns what an editor offers for a value: the enums of a schema, its
// alternatives included.
func completions(schema map[string]any) []string {
	var all []string
	if values, ok := schema["enum"].([]any); ok {
		for _, v := range values {
			all = append(all, fmt.Sprint(v))
		}
	}
	if value, ok := schema["const"]; ok {
		all = append(all, fmt.Sprint(value))
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		inner, _ := schema[key].([]any)
		for _, s := range inner {
			all = append(all, completions(s.(map[string]any))...)
		}
	}
	return all
}

// An editor offers the names of each setting that has names, each once and no other,
// and says what the setting does.
func TestEditorsComplete(t *testing.T) {
	t.Parallel()
	var root map[string]any
	if err := json.Unmarshal(settings.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	named := map[string]string{
		"order.rank": "given score", "order.direction": "higher-is-better lower-is-better", "order.threshold_by": "own ranking",
		"order.unit": "runes words", "order.overflow": "stop skip", "prompt.unit": "runes words", "prompt.labels": "rank slot id",
		"order.placement": "ranked reversed head-tail tail-head long-context edges-first document-order shuffled",
		"prompt.layout":   "question-last bookend query-aware instruction-first documents-first",
		"prompt.format":   "numbered titled xml markdown", "tokenizer": strings.Join(settings.Tokenizers(), " "),
	}
	for _, s := range settings.All() {
		at := root
		for _, key := range strings.Split(s.Key, ".") {
			at = at["properties"].(map[string]any)[key].(map[string]any)
		}
		if got := strings.Join(completions(at), " "); named[s.Key] != "" && got != named[s.Key] {
			t.Errorf("%s offers %q, want %q", s.Key, got, named[s.Key])
		}
		if at["description"] == "" {
			t.Errorf("%s has no description", s.Key)
		}
	}
}
