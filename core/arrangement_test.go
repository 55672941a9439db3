package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// goldenDocs and goldenConfig make an arrangement that has a bit of everything.
func goldenDocs(t testing.TB) []doc {
	return parse(t, `
		A id=1 text=30 score=0.75,
		B id=2 text=20 score=+Inf,
		C id=1 text=30 score=0.5,
		D id=4 text=25 pin,
		E id=5 text=90 score=0.125,
		F id=6 text=10 score=0.1,
		G id=7 text=5 score=0.0625,
		H id=8 text=99`)
}

func goldenConfig(t testing.TB) core.Config {
	return core.Config{
		Rank: core.ByScore, Direction: core.HigherIsBetter, Threshold: ptr(-1.0),
		Keys: core.Keys{Pin: "pin"}, DropSameID: true, TopK: 5, Budget: 90, Count: sizeOf, Overflow: core.Skip,
		Placement: core.Choice{Placement: core.Measured{Curve: mustLoad(t, "testdata/curve.json")}},
	}
}

func TestArrangement(t *testing.T) {
	t.Parallel()
	a := mustArrange(t, mustNew(t, goldenConfig(t)), goldenDocs(t))
	want := core.Arrangement{
		N:         8,
		Placement: `measured ("example-model", 5 documents)`,
		Slots: []core.Placed{
			{Index: 0, Rank: 1, Label: 2, Score: 0.75, Size: 30},
			{Index: 3, Rank: 6, Label: 4, Score: core.Score(missing), Size: 25, Pinned: true},
			{Index: 5, Rank: 4, Label: 3, Score: 0.1, Size: 10},
			{Index: 1, Rank: 0, Label: 1, Score: core.Score(math.Inf(1)), Size: 20},
		},
		Dropped: []core.Dropped{
			{Index: 2, Rank: 2, Score: 0.5, Reason: core.SameID},
			{Index: 4, Rank: 3, Score: 0.125, Size: 90, Reason: core.OverBudget},
			{Index: 6, Rank: 5, Score: 0.0625, Reason: core.OverTopK},
			{Index: 7, Rank: 7, Score: core.Score(missing), Reason: core.NoScore},
		},
		Room: 90, Used: 85,
		Notes: []string{"the curve was measured with 5 documents and is used for 4"},
	}
	same(t, "arrangement", asJSON(t, want), asJSON(t, a))
	same(t, "ranks", []int{1, 6, 4, 0}, a.Ranks())
	same(t, "labels", map[int]int{1: 0, 2: 1, 3: 4, 4: 6}, a.Labels())
	same(t, "order", "r2 r7 r5 r1", a.Order())
	for rank, want := range map[int]int{0: 3, 1: 0, 4: 2, 6: 1} {
		slot, ok := a.SlotOf(rank)
		if !ok || slot != want {
			t.Errorf("SlotOf(%d) = %d, %v, want %d", rank, slot, ok, want)
		}
	}
	for _, rank := range []int{-1, 2, 3, 5, 7, 8} {
		if slot, ok := a.SlotOf(rank); ok {
			t.Errorf("SlotOf(%d) = %d, want none", rank, slot)
		}
	}
	for rank, want := range map[int]int{0: 1, 1: 0, 4: 5, 6: 3} {
		index, ok := a.IndexOf(rank)
		if !ok || index != want {
			t.Errorf("IndexOf(%d) = %d, %v, want %d", rank, index, ok, want)
		}
	}
	for _, rank := range []int{-1, 2, 3, 5, 7, 8} {
		if index, ok := a.IndexOf(rank); ok || index != 0 {
			t.Errorf("IndexOf(%d) = %d, %v, want none", rank, index, ok)
		}
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestArrangementOfNothing(t *testing.T) {
	t.Parallel()
	for _, docs := range [][]doc{nil, {}} {
		a := mustArrange(t, nil, docs)
		same(t, "JSON", `{"n":0,"placement":"head-tail","slots":[]}`, asJSON(t, a))
		same(t, "table", "head-tail: 0 in, 0 placed, 0 left out\n", a.String())
		same(t, "ranks", []int{}, a.Ranks())
		same(t, "labels", map[int]int{}, a.Labels())
		same(t, "order", "", a.Order())

		placed, err := core.Apply(a, docs)
		same(t, "error of Apply", nil, err)
		same(t, "Apply", docs, placed)
		ranked, err := core.RestoreRank(a, docs)
		same(t, "error of RestoreRank", nil, err)
		same(t, "RestoreRank", docs, ranked)
	}
	var zero core.Arrangement
	same(t, "ranks of the zero value", []int{}, zero.Ranks())
	same(t, "table of the zero value", ": 0 in, 0 placed, 0 left out\n", zero.String())
}

// All are left out: the result is empty, not nil.
func TestNothingAdmitted(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Budget: 1, Count: sizeOf})
	docs := parse(t, "A text=2, B text=2")
	placed, err := core.Transform(t.Context(), a, docs, docView, core.Call{})
	same(t, "error", nil, err)
	same(t, "placed", []doc{}, placed)
	arrangement := mustArrange(t, a, docs)
	placed, err = core.Apply(arrangement, docs)
	same(t, "error of Apply", nil, err)
	same(t, "Apply", []doc{}, placed)
}

// Apply does what Transform does, and RestoreRank undoes it, for every placement.
func TestApplyAndRestoreRank(t *testing.T) {
	t.Parallel()
	placements := []core.Placement{core.Measured{Curve: mustLoad(t, "testdata/curve.json")}, core.Shuffled{Seed: 3}, halves{}}
	for name := range vectors {
		placements = append(placements, mustParse(t, name))
	}
	docs := chunks("A3 B2 - A1 C B1 A2 - D E")
	for i := range docs {
		docs[i].score = float64(i * 7 % 10)
	}
	ranked := byScore(t, core.HigherIsBetter)
	for _, p := range placements {
		for _, groups := range []bool{false, true} {
			for _, topK := range []int{0, 1, 2, 7} {
				c := core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, Groups: groups, TopK: topK, Placement: core.Choice{Placement: p}}
				a := mustNew(t, c)
				arrangement := mustArrange(t, a, docs)
				placed, err := core.Apply(arrangement, docs)
				if err != nil {
					t.Fatal(err)
				}
				same(t, c.Placement.String()+": Apply", mustTransform(t, a, docs), names(placed))

				restored, err := core.RestoreRank(arrangement, placed)
				if err != nil {
					t.Fatal(err)
				}
				var opts []core.Call
				if topK > 0 {
					opts = append(opts, core.Call{TopK: topK})
				}
				same(t, c.Placement.String()+": RestoreRank", mustTransform(t, ranked, docs, opts...), names(restored))
				if &restored[0] == &placed[0] {
					t.Error("RestoreRank returned the slice it was given")
				}
			}
		}
	}
}

// RestoreRank serves any list that runs parallel to the slots, such as answers.
func TestRestoreRankOfAnotherType(t *testing.T) {
	t.Parallel()
	type answers []string
	a := mustArrange(t, nil, named("A B C"))
	got, err := core.RestoreRank(a, answers{"first", "second", "third"})
	same(t, "error", nil, err)
	same(t, "restored", answers{"first", "third", "second"}, got)
}

func TestForeignArrangements(t *testing.T) {
	t.Parallel()
	docs := named("A B C")
	good := func() core.Arrangement { return mustArrange(t, nil, docs) }
	for _, test := range []struct {
		what    string
		change  func(*core.Arrangement)
		mention string
	}{
		{"of more documents", func(a *core.Arrangement) { a.N = 4 }, "of 4 documents, head-tail\": 3 documents were given"},
		{"an index twice", func(a *core.Arrangement) { a.Slots[2].Index = 0 }, "index 0"},
		{"an index too high", func(a *core.Arrangement) { a.Slots[1].Index = 3 }, "index 3"},
		{"an index below 0", func(a *core.Arrangement) { a.Slots[1].Index = -1 }, "index -1"},
		{"a rank twice", func(a *core.Arrangement) { a.Slots[1].Rank = 0 }, "rank 0"},
		{"a rank too high", func(a *core.Arrangement) { a.Slots[1].Rank = 3 }, "rank 3"},
		{"a label twice", func(a *core.Arrangement) { a.Slots[1].Label = 1 }, "label 1"},
		{"a label below 0", func(a *core.Arrangement) { a.Slots[1].Label = -1 }, "label -1"},
		{"a label of its own twice", func(a *core.Arrangement) { a.Slots[1].Label, a.Slots[2].Label = 4821, 4821 }, "label 4821"},
		{"a document placed and left out", func(a *core.Arrangement) {
			*a = core.Arrangement{N: 3, Slots: []core.Placed{{Label: 1}, {Index: 1, Rank: 1, Label: 2}}, Dropped: []core.Dropped{{Index: 1, Rank: 2}}}
		}, "leaves out index 1"},
		{"a document that is lost", func(a *core.Arrangement) {
			*a = core.Arrangement{N: 3, Slots: []core.Placed{{Label: 1}, {Index: 1, Rank: 1, Label: 2}}}
		}, "places 2 and leaves out 0"},
		{"more reused than there are", func(a *core.Arrangement) { a.Reused = 4 }, "4 of them are reused"},
		{"more slots than documents", func(a *core.Arrangement) { a.Slots = append(a.Slots, core.Placed{Index: 1}) }, "in slot 3"},
	} {
		a := good()
		test.change(&a)
		placed, err := core.Apply(a, docs)
		if placed != nil {
			t.Errorf("%s: got %v", test.what, names(placed))
		}
		mustBe[*core.ConfigError](t, err)
		mustMention(t, err, "bookend: Arrangement ", test.mention)
	}

	ghost := core.Arrangement{Slots: []core.Placed{{Index: 0}}}
	for _, none := range [][]doc{nil, {}} {
		_, err := core.Apply(ghost, none)
		mustBe[*core.ConfigError](t, err)
	}
	for _, given := range [][]doc{nil, named("A B"), named("A B C D")} {
		_, err := core.RestoreRank(good(), given)
		mustBe[*core.ConfigError](t, err)
		mustMention(t, err, "has 3 slots")
	}
}

func TestArrangementTable(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/arrangement.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := mustArrange(t, mustNew(t, goldenConfig(t)), goldenDocs(t)).String()
	same(t, "table", strings.Split(string(want), "\n"), strings.Split(got, "\n"))
}

// logLine returns what one record looks like, without its time.
func logLine(handler func(*bytes.Buffer, *slog.HandlerOptions) slog.Handler, attr slog.Attr) string {
	var b bytes.Buffer
	slog.New(handler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})).LogAttrs(context.Background(), slog.LevelInfo, "placed", attr)
	return b.String()
}

func textHandler(b *bytes.Buffer, o *slog.HandlerOptions) slog.Handler {
	return slog.NewTextHandler(b, o)
}

func jsonHandler(b *bytes.Buffer, o *slog.HandlerOptions) slog.Handler {
	return slog.NewJSONHandler(b, o)
}

func TestArrangementLog(t *testing.T) {
	t.Parallel()
	a := mustArrange(t, mustNew(t, goldenConfig(t)), goldenDocs(t))
	same(t, "text", `level=INFO msg=placed a.placement="measured (\"example-model\", 5 documents)" a.in=8 a.placed=4`+
		` a.order="r2 r7 r5 r1" a.room=90 a.used=85`+
		` a.dropped="budget: 1, no-score: 1, same-id: 1, top-k: 1"`+
		` a.notes="[the curve was measured with 5 documents and is used for 4]"`+"\n",
		logLine(textHandler, slog.Any("a", a)))
	same(t, "JSON", `{"level":"INFO","msg":"placed","a":{"placement":"measured (\"example-model\", 5 documents)","in":8,"placed":4,`+
		`"order":"r2 r7 r5 r1","room":90,"used":85,`+
		`"dropped":"budget: 1, no-score: 1, same-id: 1, top-k: 1",`+
		`"notes":["the curve was measured with 5 documents and is used for 4"]}}`+"\n",
		logLine(jsonHandler, slog.Any("a", a)))

	short := mustArrange(t, mustNew(t, core.Config{TopK: 1}), named("A B C"))
	same(t, "short text", `level=INFO msg=placed a.placement=head-tail a.in=3 a.placed=1 a.order=r1 a.dropped="top-k: 2"`+"\n",
		logLine(textHandler, slog.Any("a", short)))
	plain := mustArrange(t, nil, named("A B"))
	same(t, "plain text", `level=INFO msg=placed a.placement=head-tail a.in=2 a.placed=2 a.order="r1 r2"`+"\n",
		logLine(textHandler, slog.Any("a", plain)))
}

func TestArrangementJSON(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=+Inf, B score=-Inf, C, D score=1e300, E score=-0.25")
	want := mustArrange(t, mustNew(t, core.Config{TopK: 4}), docs)
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "JSON", `{"n":5,"placement":"head-tail","slots":[`+
		`{"index":0,"rank":0,"label":1,"score":"+Inf"},`+
		`{"index":2,"rank":2,"label":3,"score":null},`+
		`{"index":3,"rank":3,"label":4,"score":1e+300},`+
		`{"index":1,"rank":1,"label":2,"score":"-Inf"}],`+
		`"dropped":[{"index":4,"rank":4,"score":-0.25,"reason":"top-k"}]}`, string(data))
	var got core.Arrangement
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	same(t, "scores", []core.Score{core.Score(math.Inf(1)), 1e300, core.Score(math.Inf(-1))},
		[]core.Score{got.Slots[0].Score, got.Slots[2].Score, got.Slots[3].Score})
	same(t, "is the missing score known", false, got.Slots[1].Score.Known())
	same(t, "JSON of what was read", string(data), asJSON(t, got))

	full := mustArrange(t, mustNew(t, goldenConfig(t)), goldenDocs(t))
	var again core.Arrangement
	if err := json.Unmarshal([]byte(asJSON(t, full)), &again); err != nil {
		t.Fatal(err)
	}
	same(t, "JSON of all fields", asJSON(t, full), asJSON(t, again))
	same(t, "table", full.String(), again.String())
}

func TestScore(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		score      core.Score
		text, json string
	}{
		{0, "0", "0"},
		{-1.5, "-1.5", "-1.5"},
		{0.1, "0.1", "0.1"},
		{1e21, "1e+21", "1e+21"},
		{core.Score(missing), "-", "null"},
		{core.Score(math.Inf(1)), "+Inf", `"+Inf"`},
		{core.Score(math.Inf(-1)), "-Inf", `"-Inf"`},
	} {
		same(t, "text", test.text, test.score.String())
		same(t, "JSON", test.json, asJSON(t, test.score))
		got := core.Score(77)
		if err := json.Unmarshal([]byte(test.json), &got); err != nil {
			t.Fatal(err)
		}
		same(t, "known", !math.IsNaN(float64(test.score)), got.Known())
		same(t, "text of what was read", test.text, got.String())
	}
	for _, data := range []string{`"NaN"`, `"1"`, `"inf"`, `true`, `{}`, `[]`, `1e999`} {
		var s core.Score
		if err := json.Unmarshal([]byte(data), &s); err == nil {
			t.Errorf("%s is read as the score %v", data, s)
		}
	}
}

// Labels are dense among the admitted, and follow the rank.
func TestLabelsFollowRanks(t *testing.T) {
	t.Parallel()
	a := mustArrange(t, mustNew(t, core.Config{DropSameID: true, Placement: core.Choice{Placement: core.Reversed}}),
		parse(t, "A id=1, B id=1, C id=2, D id=2, E id=3"))
	var labels []int
	for _, p := range a.Slots {
		labels = append(labels, p.Label)
	}
	same(t, "labels by slot", []int{3, 2, 1}, labels)
	same(t, "rank by label", map[int]int{1: 0, 2: 2, 3: 4}, a.Labels())
	if !slices.Equal(a.Ranks(), []int{4, 2, 0}) {
		t.Errorf("ranks %v", a.Ranks())
	}
}
