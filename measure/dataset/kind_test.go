package dataset_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
)

// kindLine is a line of a list with more fields.
func kindLine(question, more string) string {
	return fmt.Sprintf(`{"question":%q,"answers":["yes"],"ctxs":[{"text":"yes"},{"text":"no"}]%s}`, question, more)
}

func openKinds(t *testing.T, by string, labels dataset.Labels, lines ...string) (*dataset.Dataset, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := dataset.Rules{Lists: true, By: by, Labels: labels}.Open(path)
	if err == nil {
		t.Cleanup(func() { data.Close() })
	}
	return data, err
}

func TestKinds(t *testing.T) {
	t.Parallel()
	lines := []string{
		kindLine("a", `,"language":"de","size":3,"paid":true`), kindLine("b", `,"language":"en","size":3.5`),
		kindLine("c", `,"language":"de"`), kindLine("d", `,"language":null`), kindLine("e", ``),
	}
	for by, want := range map[string]map[string]int{
		"":                  nil,
		"language":          {"de": 2, "en": 1, "": 2},
		"size":              {"3": 1, "3.5": 1, "": 3},
		"paid":              {"true": 1, "": 4},
		dataset.ByDocuments: {"2": 5},
	} {
		data, err := openKinds(t, by, nil, lines...)
		if err != nil {
			t.Fatalf("by %q: %v", by, err)
		}
		if got := data.Report(); got.By != by || !maps.Equal(got.Kinds, want) {
			t.Errorf("by %q: %v %v, want %v", by, got.By, got.Kinds, want)
		}
		first, err := data.Case(0)
		if err != nil || by == "language" && first.Kind != "de" {
			t.Errorf("by %q: the first case has the kind %q, %v", by, first.Kind, err)
		}
		if kinds := data.Report().Kinds; kinds != nil {
			kinds["new"] = 1
			if data.Report().Kinds["new"] != 0 {
				t.Error("the report of the dataset was written to")
			}
		}
	}
}

// What a recorded line lacks may stand in the labels.
func TestKindsOfLabels(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "labels.jsonl")
	text := `{"question":"a","answers":["yes"],"language":"fr","nested":{"x":1}}` + "\n" + `{"question":"b","answers":["yes"],"language":"de"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	labels, err := dataset.ReadLabels(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := openKinds(t, "language", labels, kindLine("a", ""), kindLine("b", `,"language":"en"`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := data.Report().Kinds, map[string]int{"fr": 1, "en": 1}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestKindsThatAreRefused(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 1_001 {
		many = append(many, kindLine(fmt.Sprint("question ", i), fmt.Sprintf(`,"tenant":%d`, i)))
	}
	for name, c := range map[string]struct {
		by    string
		lines []string
		want  error
		says  string
	}{
		"no line has it":     {"langauge", []string{kindLine("a", `,"language":"de"`)}, dataset.ErrOtherFormat, `"langauge"`},
		"a kind a question":  {"tenant", many, dataset.ErrLimit, "1001 different values"},
		"a list":             {"tags", []string{kindLine("a", `,"tags":["x"]`)}, dataset.ErrNoCase, "names the kind"},
		"a text of 201":      {"tenant", []string{kindLine("a", fmt.Sprintf(`,"tenant":%q`, strings.Repeat("x", 201)))}, dataset.ErrNoCase, "at most 200 bytes"},
		"what all have once": {"ctxs", []string{kindLine("a", "")}, dataset.ErrNoCase, "names the kind"},
	} {
		_, err := openKinds(t, c.by, nil, c.lines...)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
