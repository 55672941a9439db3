package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

const byLanguage = `order: {placement: ranked, budget: 100}
tokenizer: cl100k_base
by: language
kinds:
- values: [de, nl]
  note: reorder
  order: {placement: reversed, budget: 100}
  prompt: {}
- values: [en]
  order: {top_k: 3}
  prompt: {}
`

func TestKinds(t *testing.T) {
	t.Parallel()
	s, err := Parse("a.yaml", []byte(byLanguage), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Kind{
		{Values: []string{"de", "nl"}, Note: "reorder", Order: core.Config{Placement: core.Choice{Placement: core.Reversed}, Budget: 100}},
		{Values: []string{"en"}, Order: core.Config{TopK: 3}},
	}
	if s.By != "language" || !reflect.DeepEqual(s.Kinds, want) {
		t.Errorf("by %q: %+v", s.By, s.Kinds)
	}
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse("b.yaml", text, nil); err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestKindsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now, want string }{
		"an unknown key":    {"top_k: 3", "top_kk: 3", "a.yaml:10:11: kinds[1].order.top_kk is not known; did you mean top_k?"},
		"a negative number": {"top_k: 3", "top_k: -3", "a.yaml:10:18: kinds[1].order.top_k is -3"},
		"a value twice":     {"[en]", "[en, de]", "a.yaml:9:16: kinds[1].values[1] is \"de\": stands twice"},
		"a number":          {"[en]", "[1]", "a.yaml:9:12: kinds[1].values[0] is \"1\": must be text"},
		"no section":        {"- values: [en]\n  order: {top_k: 3}\n  prompt: {}\n", "- en\n", "must be "},
		"no list":           {byLanguage[strings.Index(byLanguage, "\n- values"):], " 3\n", "kinds is \"3\": must be "},
	} {
		text := strings.Replace(byLanguage, c.old, c.now, 1)
		if text == byLanguage {
			t.Fatalf("%s: nothing was replaced", name)
		}
		if _, err := Parse("a.yaml", []byte(text), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
