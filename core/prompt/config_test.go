package prompt_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
)

func format(prompt.Document) (string, error) { return "", nil }

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config prompt.Config
		fields string // of the errors, in their order
		values []any
	}{
		{"layout", prompt.Config{Layout: "upside-down"}, "Layout", []any{"upside-down"}},
		{"format", prompt.Config{Format: "html"}, "Format", []any{"html"}},
		{"two formats", prompt.Config{Format: prompt.XML, FormatFunc: format}, "Format", []any{"xml"}},
		{"labels", prompt.Config{Labels: "letter"}, "Labels", []any{"letter"}},
		{"unit", prompt.Config{Unit: "bytes"}, "Unit", []any{"bytes"}},
		{"two counters", prompt.Config{Unit: core.Runes, Count: core.Words.Count}, "Unit", []any{"runes"}},
		{"negative budget", prompt.Config{Budget: -1}, "Budget", []any{-1}},
		{"negative reserve", prompt.Config{Reserve: -2}, "Reserve", []any{-2}},
		{"negative length", prompt.Config{MaxShown: -3}, "MaxShown", []any{-3}},
		{"negative threshold", prompt.Config{BookendFrom: -4}, "BookendFrom", []any{-4}},
		{"negative cap", prompt.Config{MaxBytes: -5}, "MaxBytes", []any{-5}},
		{"budget without counter", prompt.Config{Budget: 5}, "Budget", []any{5}},
		{"reserve without budget", prompt.Config{Reserve: 6, Unit: core.Runes}, "Reserve", []any{6}},
		{"threshold without counter", prompt.Config{Layout: prompt.Bookend, BookendFrom: 7}, "BookendFrom", []any{7}},
		{"threshold without its layout", prompt.Config{BookendFrom: 8, Unit: core.Words}, "BookendFrom", []any{8}},
		{
			"several",
			prompt.Config{Layout: "x", Format: "y", Labels: "z", Unit: "u", Budget: -1, Reserve: -1, MaxShown: -1, BookendFrom: -1},
			"Layout Format Labels Unit Budget Reserve MaxShown BookendFrom",
			[]any{"x", "y", "z", "u", -1, -1, -1, -1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := prompt.New(test.config)
			if err == nil || r != nil {
				t.Fatalf("got %v and error %v, want an error alone", r, err)
			}
			var fields []string
			var values []any
			for _, fault := range leaves(err) {
				c, ok := fault.(*core.ConfigError)
				if !ok {
					t.Fatalf("%T is not a *core.ConfigError: %v", fault, fault)
				}
				if c.Rule == "" {
					t.Errorf("%s has no rule", c.Field)
				}
				fields, values = append(fields, c.Field), append(values, c.Value)
			}
			same(t, "fields", test.fields, strings.Join(fields, " "))
			same(t, "values", test.values, values)
		})
	}
}

func TestConfigFillsInDefaults(t *testing.T) {
	t.Parallel()
	var none *prompt.Renderer
	for name, r := range map[string]*prompt.Renderer{"nil": none, "zero": mustNew(t, prompt.Config{})} {
		c := r.Config()
		same(t, name+": question prefix", "Question: ", c.QuestionPrefix)
		same(t, name+": no documents", "No documents were found.", c.NoDocuments)
		same(t, name+": format", prompt.Numbered, c.Format)
		same(t, name+": max shown", prompt.DefaultMaxShown, c.MaxShown)
		same(t, name+": title key", "title", c.TitleKey)
		same(t, name+": layout", prompt.QuestionLast, c.Layout)
		same(t, name+": labels", prompt.ByRank, c.Labels)
	}
}

// What Config returns makes the same Renderer again.
func TestConfigCanBeGivenToNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]prompt.Config{
		"zero":   {},
		"full":   fullConfig(),
		"func":   {FormatFunc: format},
		"budget": {Budget: 1000, Reserve: 10, Count: core.Runes.Count},
		"task":   {Task: "Do it."},
	} {
		first := mustNew(t, c).Config()
		r, err := prompt.New(first)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		second := r.Config()
		first.Count, first.FormatFunc, second.Count, second.FormatFunc = nil, nil, nil, nil
		same(t, name, first, second)
	}
}

func TestConfigIsCopied(t *testing.T) {
	t.Parallel()
	c := prompt.Config{Show: []string{"date"}}
	r := mustNew(t, c)
	c.Show[0] = "broken"
	same(t, "after a change of what was given", []string{"date"}, r.Config().Show)
	r.Config().Show[0] = "broken"
	same(t, "after a change of what was returned", []string{"date"}, r.Config().Show)
}

// fullConfig sets every field but the funcs, each to another value than its zero.
func fullConfig() prompt.Config {
	return prompt.Config{
		Layout: prompt.Bookend, BookendFrom: 100,
		Rules: "rules", Task: "task", Instruction: "instruction", Reminder: "reminder",
		Cue: "Answer:", QuestionPrefix: "Q: ", NoDocuments: "nothing",
		Format: prompt.XML, Labels: prompt.BySlot, Show: []string{"date", "author"}, MaxShown: 17,
		TitleKey: "heading", SourceKey: "path", IDKey: "key", DropTurns: 8,
		Budget: 1000, Reserve: 200, MaxBytes: 5000, Unit: core.Words,
	}
}

func TestConfigRoundTripsThroughJSON(t *testing.T) {
	t.Parallel()
	want := fullConfig()
	for _, field := range reflect.VisibleFields(reflect.TypeOf(want)) {
		value := reflect.ValueOf(want).FieldByIndex(field.Index)
		if value.IsZero() && value.Kind() != reflect.Func {
			t.Errorf("the test leaves %s out", field.Name)
		}
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got prompt.Config
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	same(t, "config", want, got)

	data, err = json.Marshal(prompt.Config{FormatFunc: format, Count: core.Runes.Count})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "zero config", "{}", string(data))
}

func TestNamesAreCaseInsensitive(t *testing.T) {
	t.Parallel()
	docs := []doc{{text: "A", meta: map[string]any{"source": "a.md"}}}
	same(t, "format", block(t, prompt.Config{Format: prompt.XML}, docs), block(t, prompt.Config{Format: " XML "}, docs))

	r := mustNew(t, prompt.Config{Layout: "Bookend", BookendFrom: 1, Unit: core.Runes})
	p, err := prompt.Build(t.Context(), r, nil, docs, docView, prompt.Input{Question: "Q"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "layout", prompt.Bookend, p.Layout)
}

func TestCompile(t *testing.T) {
	t.Parallel()
	observe := func(context.Context, core.Event) {}
	r, a, err := prompt.Compile(prompt.Config{Rules: "rules", Layout: "rules,history,documents,question"}, core.Config{TopK: 3}, false, true)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "rules", "rules", r.Config().Rules)
	same(t, "top-k", 3, a.Config().TopK)

	if _, a, err = prompt.Compile(prompt.Config{}, core.Config{Observe: observe}, true, false); err != nil {
		t.Errorf("an observer of placed documents is refused: %v", err)
	} else if a.Config().Observe == nil {
		t.Error("the observer is lost")
	}

	own := core.PlacementFunc(func([]int, func(int) core.Origin) error { return nil })
	for name, c := range map[string]core.Config{
		"top-k":         {TopK: 3},
		"placement":     {Placement: core.Choice{Placement: core.Reversed}},
		"own placement": {Placement: core.Choice{Placement: own}},
		"select":        {Select: func(context.Context) *core.Arranger { return nil }},
		"counter":       {Count: core.Runes.Count},
	} {
		r, a, err := prompt.Compile(prompt.Config{}, c, true, false)
		if r != nil || a != nil || err == nil {
			t.Errorf("%s: got %v, %v and error %v, want an error alone", name, r, a, err)
			continue
		}
		mustMention(t, err, "Placed")
	}

	_, _, err = prompt.Compile(prompt.Config{Format: "html"}, core.Config{TopK: -1}, true, true)
	var fields []string
	for _, fault := range leaves(err) {
		var c *core.ConfigError
		if errors.As(fault, &c) {
			fields = append(fields, c.Field)
		}
	}
	same(t, "faults of all three", []string{"Format", "TopK", "Config"}, fields)
}
