package core_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// spellings lists each placement with all its names, the canonical one first.
var spellings = []struct {
	want  core.Placement
	names []string
}{
	{core.RankOrder, []string{"ranked", "similarity_desc", "forward"}},
	{core.Reversed, []string{"reversed", "similarity_asc", "reverse"}},
	{core.HeadTail, []string{"head-tail", "head_tail_alternating", "edge_order", "sandwich", "sides"}},
	{core.TailHead, []string{"tail-head", "fold", "fold_by_relevance"}},
	{core.LongContext, []string{"long-context", "long_context_reorder"}},
	{core.EdgesFirst{Edge: 2}, []string{"edges-first", "edges_first"}},
	{core.DocumentOrder, []string{"document-order", "source_order"}},
	{core.Shuffled{}, []string{"shuffled"}},
}

// variants writes a name in the ways that all mean the same.
func variants(name string) []string {
	hyphens := strings.ReplaceAll(name, "_", "-")
	underscores := strings.ReplaceAll(name, "-", "_")
	return []string{name, hyphens, underscores, strings.ToUpper(hyphens), strings.ToUpper(underscores), " \t" + name + "\n "}
}

func TestParsePlacementReadsEverySpelling(t *testing.T) {
	t.Parallel()
	for _, s := range spellings {
		for _, name := range s.names {
			for _, variant := range variants(name) {
				got, err := core.ParsePlacement(variant)
				if err != nil || got != s.want {
					t.Errorf("%q: (-want +got)\n-%v\n+%v, error %v", variant, s.want, got, err)
				}
			}
		}
	}
}

func TestParsePlacementReadsArguments(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]core.Placement{
		"edges-first=1":                 core.EdgesFirst{Edge: 1},
		"edges-first=3":                 core.EdgesFirst{Edge: 3},
		" EDGES_FIRST = 3 ":             core.EdgesFirst{Edge: 3},
		"shuffled=0":                    core.Shuffled{},
		"shuffled=42":                   core.Shuffled{Seed: 42},
		"Shuffled = 42":                 core.Shuffled{Seed: 42},
		"shuffled=18446744073709551615": core.Shuffled{Seed: 1<<64 - 1},
	} {
		got, err := core.ParsePlacement(name)
		if err != nil || got != want {
			t.Errorf("%q: (-want +got)\n-%v\n+%v, error %v", name, want, got, err)
		}
	}
}

func TestParsePlacementReadsACurveFile(t *testing.T) {
	t.Parallel()
	want := mustLoad(t, "testdata/curve.json")
	for _, name := range []string{"measured=testdata/curve.json", "CURVE = testdata/curve.json "} {
		got, err := core.ParsePlacement(name)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, core.Placement(core.Measured{Curve: want})) {
			t.Errorf("%q: (-want +got)\n-%v\n+%v", name, want, got)
		}
	}
}

// A name may have an equals sign in its argument, and case counts there.
func TestParsePlacementKeepsTheFileName(t *testing.T) {
	t.Parallel()
	_, err := core.ParsePlacement("measured=No/Such_File=1.json")
	if e := mustBe[*core.CurveError](t, err); e.Path != "No/Such_File=1.json" {
		t.Errorf("path %q", e.Path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

func TestParsePlacementErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, rule string }{
		{"", "no placement has that name"},
		{"  ", "no placement has that name"},
		{"=3", "no placement has that name"},
		{"best-first", "no placement has that name"},
		{"head tail", "no placement has that name"},
		{"head-tail,", "no placement has that name"},
		{"custom", "no placement has that name"},
		{"measured", "needs the curve"},
		{"measured=", "needs the curve"},
		{"curve= ", "needs the curve"},
		{"ranked=1", "takes no argument"},
		{"reverse=", "takes no argument"},
		{"head-tail=2", "takes no argument"},
		{"fold=2", "takes no argument"},
		{"long-context=2", "takes no argument"},
		{"source-order=2", "takes no argument"},
		{"edges-first=", "1 or more"},
		{"edges-first=0", "1 or more"},
		{"edges-first=-1", "1 or more"},
		{"edges-first=x", "1 or more"},
		{"edges-first=2.5", "1 or more"},
		{"edges-first=99999999999999999999", "1 or more"},
		{"shuffled=", "needs a seed"},
		{"shuffled=-1", "needs a seed"},
		{"shuffled=x", "needs a seed"},
		{"shuffled=18446744073709551616", "needs a seed"},
	} {
		p, err := core.ParsePlacement(test.name)
		if p != nil {
			t.Errorf("%q: got %v with the error %v", test.name, p, err)
		}
		e := mustBe[*core.ConfigError](t, err)
		if e.Value != test.name {
			t.Errorf("the error names %q, want %q", e.Value, test.name)
		}
		mustMention(t, err, test.rule)
		mustMention(t, err, core.PlacementNames()...)
	}
}

func TestPlacementNames(t *testing.T) {
	t.Parallel()
	want := []string{"ranked", "reversed", "head-tail", "tail-head", "long-context", "edges-first", "document-order", "measured", "shuffled"}
	got := core.PlacementNames()
	same(t, "names", want, got)
	got[0] = "changed"
	same(t, "names after a caller changed the slice", want, core.PlacementNames())
}

func TestStringIsReadBack(t *testing.T) {
	t.Parallel()
	for _, p := range []core.Placement{
		core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
		core.EdgesFirst{Edge: 1},
		core.EdgesFirst{Edge: 2},
		core.EdgesFirst{Edge: 7},
		core.Shuffled{},
		core.Shuffled{Seed: 1},
		core.Shuffled{Seed: 1<<64 - 1},
	} {
		text := core.Choice{Placement: p}.String()
		if got := mustParse(t, text); got != p {
			t.Errorf("%q: (-want +got)\n-%#v\n+%#v", text, p, got)
		}
	}
}

func TestString(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]core.Placement{
		"ranked":                             core.RankOrder,
		"edges-first":                        core.EdgesFirst{},
		"edges-first=3":                      core.EdgesFirst{Edge: 3},
		"shuffled":                           core.Shuffled{},
		"shuffled=7":                         core.Shuffled{Seed: 7},
		"measured":                           core.Measured{},
		"StandardPlacement(99)":              core.StandardPlacement(99),
		"custom":                             core.PlacementFunc(func([]int, func(int) core.Origin) error { return nil }),
		"core_test.mute":                     mute{},
		`measured ("a\nmodel", 5 documents)`: core.Measured{Curve: &core.Curve{Model: "a\nmodel", Documents: 5}},
	} {
		same(t, "String", want, core.Choice{Placement: p}.String())
	}
	same(t, "String of the zero Choice", "head-tail", core.Choice{}.String())
}

// mute is a placement of a type without String.
type mute struct{}

func (mute) Place([]int, func(int) core.Origin) error { return nil }

func TestEveryNameOfTheTableIsTested(t *testing.T) {
	t.Parallel()
	tested := []string{"measured"}
	for _, s := range spellings {
		tested = append(tested, s.names[0])
	}
	for _, name := range core.PlacementNames() {
		if !slices.Contains(tested, name) {
			t.Errorf("%q is in no table", name)
		}
	}
}

func mustLoad(t testing.TB, path string) *core.Curve {
	t.Helper()
	c, err := core.LoadCurve(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
