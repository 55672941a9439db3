package core_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// chunks reads "A2 B A1 C?" as chunks of the sources A, B and C: the digits are
// the position, none for a bare letter. A "-" has no source.
func chunks(list string) []doc {
	docs := named(list)
	for i, d := range docs {
		docs[i].meta = map[string]any{}
		if source := d.name[:1]; source != "-" {
			docs[i].meta["source"] = source
		}
		if position := d.name[1:]; position != "" {
			docs[i].meta["position"] = json.Number(strings.TrimRight(position, "'"))
		}
	}
	return docs
}

func TestDocumentOrder(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Placement: core.Choice{Placement: core.DocumentOrder}})
	for _, test := range []struct{ rule, docs, want string }{
		{"sources by their best rank, then by position", "B2 A3 B1 A1 A2", "B1 B2 A1 A2 A3"},
		{"numbers, not words", "A10 A9 A2", "A2 A9 A10"},
		{"positions may be fractions and negative", "A0.5 A-1 A0", "A-1 A0 A0.5"},
		{"no position: after the others of the source, by rank", "A B2 B B1 B", "A B1 B2 B B"},
		{"no source: a source of its own", "-9 A2 -1 A1 -5", "-9 A1 A2 -1 -5"},
		{"equal positions by rank", "A1 A0' A0'' A0", "A0' A0'' A0 A1"},
		{"one document", "A7", "A7"},
		{"none", "", ""},
	} {
		if got := mustTransform(t, a, chunks(test.docs)); got != test.want {
			t.Errorf("%s: (-want +got)\n-%s\n+%s", test.rule, test.want, got)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ placement, docs, want string }{
		{"head-tail", "A2 A1 B C", "A1 A2 C B"},
		{"head-tail", "A2 B A1 C", "A1 A2 C B"},
		{"ranked", "A2 B A1 C", "A1 A2 B C"},
		{"reversed", "A2 B A1 C", "C B A1 A2"},
		{"tail-head", "A2 B1 A1 C1 B0", "B0 B1 C1 A1 A2"},
		{"document-order", "B2 A2 B1 A1", "B1 B2 A1 A2"},
		{"edges-first=1", "A B C D D0 B0", "A C D0 D B0 B"},
		{"long-context", "- - - -", "- - - -"},
		{"shuffled=42", "A B C D E E1", "B C A D E1 E"},
		{"head-tail", "", ""},
	} {
		a := mustNew(t, core.Config{Groups: true, Placement: core.Choice{Placement: mustParse(t, test.placement)}})
		if got := mustTransform(t, a, chunks(test.docs)); got != test.want {
			t.Errorf("%s of %s: (-want +got)\n-%s\n+%s", test.placement, test.docs, test.want, got)
		}
	}
}

// Admission takes documents out of their groups before the groups are placed.
func TestGroupsOfTheAdmitted(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Groups: true, TopK: 4})
	same(t, "placed", "A2 A3 C1 B1", mustTransform(t, a, chunks("A3 B1 A2 C1 A1")))
}

// A placement sees groups as documents: as many slots, and the origin of the best
// chunk of each.
func TestGroupsAsSeenByAPlacement(t *testing.T) {
	t.Parallel()
	var seen []core.Origin
	spy := core.PlacementFunc(func(slots []int, origin func(rank int) core.Origin) error {
		for rank := range slots {
			seen = append(seen, origin(rank))
		}
		return nil
	})
	a := mustNew(t, core.Config{Groups: true, Placement: core.Choice{Placement: spy}})
	mustTransform(t, a, chunks("A2 B7 A1"))
	same(t, "origins", []core.Origin{
		{Source: "A", Position: 2, HasPosition: true},
		{Source: "B", Position: 7, HasPosition: true},
	}, seen)

	a = mustNew(t, core.Config{Groups: true, Placement: core.Choice{Placement: fill(0, 0)}})
	_, err := core.Transform(t.Context(), a, chunks("A2 B7 A1"), docView, core.Call{})
	mustMention(t, err, "rank 0 into slot 1, which already stands in slot 0")
}

func TestMinDocuments(t *testing.T) {
	t.Parallel()
	const few, enough = "A2 B A1", "A2 B A1 C"
	for _, test := range []struct {
		rule       string
		config     core.Config
		docs, want string
	}{
		{"fewer stay as ranked", core.Config{MinDocuments: 4}, few, few},
		{"as many are placed", core.Config{MinDocuments: 4}, enough, "A2 A1 C B"},
		{"it never splits groups", core.Config{MinDocuments: 4, Groups: true}, few, "A1 A2 B"},
		{"it leaves document-order alone", core.Config{MinDocuments: 4, Placement: core.Choice{Placement: core.DocumentOrder}}, few, "A1 A2 B"},
		{"it counts the admitted", core.Config{MinDocuments: 4, TopK: 3}, enough, few},
	} {
		a := mustNew(t, test.config)
		if got := mustTransform(t, a, chunks(test.docs)); got != test.want {
			t.Errorf("%s: (-want +got)\n-%s\n+%s", test.rule, test.want, got)
		}
	}
}

func TestMinDocumentsIsNoted(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{MinDocuments: 4})
	few := mustArrange(t, a, named("A B C"))
	same(t, "placement", "ranked", few.Placement)
	same(t, "notes", []string{"fewer than MinDocuments (4) documents: left as ranked"}, few.Notes)
	enough := mustArrange(t, a, named("A B C D"))
	same(t, "placement", "head-tail", enough.Placement)
	same(t, "notes", nil, enough.Notes)
}

// Loaders name the source and the position differently; keys of one's own go
// first.
func TestOriginKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule             string
		config           core.Config
		first, second    map[string]any
		together, sorted bool
	}{
		{"source and position", core.Config{}, map[string]any{"source": "x", "position": 2}, map[string]any{"source": "x", "position": 1}, true, true},
		{"_source and chunk_index", core.Config{}, map[string]any{"_source": "x", "chunk_index": 2}, map[string]any{"_source": "x", "chunk_index": 1}, true, true},
		{"start_index", core.Config{}, map[string]any{"source": "x", "start_index": 2}, map[string]any{"source": "x", "start_index": 1}, true, true},
		{"page", core.Config{}, map[string]any{"source": "x", "page": 2}, map[string]any{"source": "x", "page": 1}, true, true},
		{"position goes before page", core.Config{}, map[string]any{"source": "x", "position": 2, "page": 1}, map[string]any{"source": "x", "position": 1, "page": 2}, true, true},
		{"source goes before _source", core.Config{}, map[string]any{"source": "x", "_source": "y", "page": 2}, map[string]any{"source": "x", "_source": "z", "page": 1}, true, true},
		{"keys of one's own", core.Config{Keys: core.Keys{Source: "file", Position: "line"}}, map[string]any{"file": "x", "line": 2}, map[string]any{"file": "x", "line": 1}, true, true},
		{"a key of one's own has no other beside it", core.Config{Keys: core.Keys{Source: "file"}}, map[string]any{"source": "x", "page": 2}, map[string]any{"source": "x", "page": 1}, false, false},
		{"a source that is no text is none", core.Config{}, map[string]any{"source": 7, "page": 2}, map[string]any{"source": 7, "page": 1}, false, false},
		{"a position may be a number as text", core.Config{}, map[string]any{"source": "x", "page": "10"}, map[string]any{"source": "x", "page": "9"}, true, true},
		{"a position that is other text is none", core.Config{}, map[string]any{"source": "x", "page": "ii"}, map[string]any{"source": "x", "page": "i"}, true, false},
		{"a default key that cannot be used hides no other", core.Config{}, map[string]any{"source": 7, "_source": "x", "position": "ii", "page": 2}, map[string]any{"source": "", "_source": "x", "chunk_index": nil, "page": 1}, true, true},
		{"an empty source is none", core.Config{}, map[string]any{"source": "", "page": 2}, map[string]any{"source": "", "page": 1}, false, false},
		{"no metadata", core.Config{}, nil, nil, false, false},
	} {
		test.config.Placement.Placement = core.DocumentOrder
		a := mustNew(t, test.config)
		docs := []doc{{name: "1", meta: test.first}, {name: "between"}, {name: "2", meta: test.second}}
		want := "1 between 2"
		switch {
		case test.together && test.sorted:
			want = "2 1 between"
		case test.together:
			want = "1 2 between"
		}
		if got := mustTransform(t, a, docs); got != want {
			t.Errorf("%s: (-want +got)\n-%s\n+%s", test.rule, want, got)
		}
	}
}
