package core_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

func FuzzParsePlacement(f *testing.F) {
	for _, s := range spellings {
		for _, name := range s.names {
			f.Add(name)
		}
	}
	for _, c := range codec {
		f.Add(c.text)
	}
	for _, name := range []string{"", "=", "measured", "measured=", "edges-first=-1", "shuffled=18446744073709551616", "ranked=x", " FOLD\n"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if word, file, _ := strings.Cut(name, "="); strings.TrimSpace(file) != "" && !strings.Contains(strings.ToLower(word), "edges") && !strings.Contains(strings.ToLower(word), "shuffled") {
			t.Skip("it may be the name of a file")
		}
		p, err := core.ParsePlacement(name)
		if err != nil {
			same(t, "the name in the error", any(name), mustBe[*core.ConfigError](t, err).Value)
			if p != nil {
				t.Errorf("got %v with the error", p)
			}
			return
		}
		text, err := core.Choice{Placement: p}.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "what was read from what was written", p, mustParse(t, string(text)))
		mustOrder(t, p, 7)
	})
}

func FuzzParseCurve(f *testing.F) {
	content, err := os.ReadFile("testdata/curve.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, uint8(5))
	f.Add([]byte(minimalCurve), uint8(0))
	f.Add([]byte(strings.Replace(minimalCurve, "flat", "recency", 1)), uint8(9))
	f.Add([]byte(`{"format":"bookend-curve/1","documents":3,"shape":"inverted","slots":[0,2],"accuracy":[0,0],"fitted":[0.1,1]}`), uint8(40))
	f.Add([]byte(`null`), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		c, err := core.ParseCurve(data)
		if err != nil {
			mustBe[*core.CurveError](t, err)
			return
		}
		order := mustOrder(t, core.Measured{Curve: c}, int(n))
		slices.Sort(order)
		for i, rank := range order {
			if i != rank {
				t.Fatalf("n=%d: no permutation", n)
			}
		}
		again, err := core.ParseCurve([]byte(asJSON(t, c)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "what was read from what was written", asJSON(t, c), asJSON(t, again))
	})
}

func FuzzChoiceJSON(f *testing.F) {
	for _, c := range codec {
		f.Add([]byte(c.json))
	}
	for _, data := range []string{``, `null`, `{`, `"measured"`, `{"name":"measured","curve":{}}`, `{"name":"edges-first","edge":0}`, `{"name":"shuffled","seed":-1}`} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), "=") || strings.Contains(strings.ToLower(string(data)), "curve") || strings.Contains(string(data), `\u`) {
			t.Skip("it may name a file")
		}
		var c core.Choice
		if err := c.UnmarshalJSON(data); err != nil {
			return
		}
		var again core.Choice
		if err := again.UnmarshalJSON([]byte(asJSON(t, c))); err != nil {
			t.Fatal(err)
		}
		same(t, "order of what was read from what was written", mustOrder(t, c, 9), mustOrder(t, again, 9))
	})
}

func FuzzConfigJSON(f *testing.F) {
	f.Add([]byte(asJSON(f, fullConfig(f))))
	for _, data := range []string{`{}`, `null`, `[]`, `{"topk":1}`, `{"threshold":1e999}`, `{"pins":[""]}`, `{"placement":{"name":"edges-first","edge":-1}}`} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), "=") || strings.Contains(strings.ToLower(string(data)), "curve") || strings.Contains(string(data), `\u`) {
			t.Skip("it may name a file")
		}
		var c core.Config
		if err := json.Unmarshal(data, &c); err != nil {
			return
		}
		a, err := core.New(c)
		if err != nil {
			for _, fault := range joined(err) {
				mustBe[*core.ConfigError](t, fault)
			}
			return
		}
		var again core.Config
		if err := json.Unmarshal([]byte(asJSON(t, c)), &again); err != nil {
			t.Fatal(err)
		}
		same(t, "what was read from what was written", asJSON(t, c), asJSON(t, again))
		docs := parse(t, "A id=1 text=x score=1, B id=1 text=y, C id=2 text=x score=3")
		placed, err := core.Transform(t.Context(), a, docs, docView, core.Call{})
		if err == nil && len(placed) > len(docs) {
			t.Errorf("%d documents of %d", len(placed), len(docs))
		}
	})
}

// setup is one case of FuzzTransform.
type setup struct {
	config core.Config
	docs   []doc
}

var (
	someScores = []float64{missing, math.Inf(-1), -3, -1, 0, 0.5, 0.5, 1, 2, math.Inf(1)}
	someTexts  = []string{"", "a", "a", "bb", "ää", "cccc", "dddddddd", strings.Repeat("e", 30)}
	someIDs    = []string{"", "1", "2", "3", "4"}
)

// decode makes settings and documents of any bytes.
func decode(data []byte) setup {
	next := func(n int) int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % n
	}
	placements := []core.Placement{
		nil, core.RankOrder, core.Reversed, core.HeadTail, core.TailHead, core.LongContext, core.DocumentOrder,
		core.EdgesFirst{},
		core.EdgesFirst{Edge: 3},
		core.Shuffled{Seed: 5},
		halves{},
		core.Measured{Curve: curve(core.ShapeU, []int{0, 2, 4}, 0.9, 0.3, 0.7)},
		core.Measured{Curve: curve(core.ShapeInverted, []int{0, 1}, 0.9, 0.3)},
	}
	var s setup
	c := &s.config
	c.Placement.Placement = placements[next(len(placements))]
	c.Direction = []core.Direction{core.HigherIsBetter, core.LowerIsBetter}[next(2)]
	c.Rank = []core.Ranking{core.AsGiven, core.ByScore}[next(2)]
	c.DropSameID, c.DropSameText, c.Groups = next(2) == 1, next(2) == 1, next(3) == 1
	c.TopK, c.MinDocuments, c.MaxBytes = next(9), next(5), next(40)
	if t := next(len(someScores) * 2); t < len(someScores) && !math.IsNaN(someScores[t]) && !math.IsInf(someScores[t], 0) {
		c.Threshold = &someScores[t]
	}
	if c.Budget = next(40); c.Budget > 0 {
		c.Unit, c.KeepBest = core.Runes, next(2) == 1
		c.Overflow = []core.Overflow{"", core.Stop, core.Skip}[next(3)]
	}
	for range next(3) {
		c.Pins = append(c.Pins, someIDs[1+next(len(someIDs)-1)])
	}
	for i := 0; len(data) > 0; i++ {
		d := doc{name: fmt.Sprint(i), score: someScores[next(len(someScores))], text: someTexts[next(len(someTexts))], id: someIDs[next(len(someIDs))]}
		if source := next(4); source > 0 {
			d.meta = map[string]any{"source": fmt.Sprint(source), "page": next(5)}
		}
		s.docs = append(s.docs, d)
	}
	return s
}

func checkTransform(t *testing.T, s setup) {
	t.Helper()
	a, err := core.New(s.config)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%#v", s.docs)
	placed, err := core.Transform(t.Context(), a, s.docs, docView, core.Call{})
	admitted, left, ok := reference(s.config, s.docs)
	if !ok {
		mustBe[*core.PinError](t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if (placed == nil) != (s.docs == nil) {
		t.Errorf("got %#v for %#v", placed, s.docs)
	}
	arrangement := mustArrange(t, a, s.docs)
	same(t, "error of Check", nil, arrangement.Check(len(s.docs)))
	applied, err := core.Apply(arrangement, s.docs)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Apply of Arrange", names(placed), names(applied))
	restored, err := core.RestoreRank(arrangement, placed)
	if err != nil {
		t.Fatal(err)
	}
	byIndex := func(indices []int) string {
		var picked []doc
		for _, i := range indices {
			picked = append(picked, s.docs[i])
		}
		return names(picked)
	}
	same(t, "the admitted, by rank", byIndex(admitted), names(restored))
	var dropped []int
	for _, d := range arrangement.Dropped {
		dropped = append(dropped, d.Index)
	}
	same(t, "what was left out, by rank", byIndex(left), byIndex(dropped))
	if p := s.config.Placement.Placement; !s.config.Groups && p != core.DocumentOrder {
		if len(admitted) < s.config.MinDocuments {
			p = core.RankOrder
		}
		want := make([]int, len(admitted))
		for slot, i := range mustOrder(t, p, len(admitted)) {
			want[slot] = admitted[i]
		}
		same(t, "placed", byIndex(want), names(placed))
	}
	if s.config.Groups || s.config.Placement.Placement == core.DocumentOrder {
		checkTogether(t, placed)
	}
	same(t, "documents afterwards", before, fmt.Sprintf("%#v", s.docs))
	again := mustTransform(t, a, s.docs)
	same(t, "a second time", names(placed), again)
}

// checkTogether fails the test where chunks of one source are apart, or not in
// the order of their text.
func checkTogether(t *testing.T, placed []doc) {
	t.Helper()
	done := map[any]bool{}
	for i, d := range placed {
		source := d.meta["source"]
		if source == nil {
			continue
		}
		if i > 0 && placed[i-1].meta["source"] == source {
			if placed[i-1].meta["page"].(int) > d.meta["page"].(int) {
				t.Errorf("source %v: page %v before page %v", source, placed[i-1].meta["page"], d.meta["page"])
			}
			continue
		}
		if done[source] {
			t.Errorf("the chunks of source %v stand apart", source)
		}
		done[source] = true
	}
}

func FuzzTransform(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a short text makes settings and documents"))
	for seed := range uint64(20) {
		f.Add(randomBytes(rand.New(rand.NewPCG(seed, 1)), 120))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			t.Skip("long")
		}
		checkTransform(t, decode(data))
	})
}

func randomBytes(random *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return data
}

// What FuzzTransform checks, over a few thousand cases that are always the same.
func TestTransformEqualsTheReference(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 13))
	failed, limited := 0, 0
	for range 3000 {
		s := decode(randomBytes(random, 20+random.IntN(100)))
		admitted, _, ok := reference(s.config, s.docs)
		if !ok {
			failed++
		} else if len(admitted) < len(s.docs) && len(admitted) > 0 {
			limited++
		}
		checkTransform(t, s)
		if t.Failed() {
			t.Fatalf("settings %s of\n%+v", asJSON(t, s.config), s.docs)
		}
	}
	if failed < 100 || limited < 1000 {
		t.Errorf("%d cases with too many pins, %d with some documents left out: the cases are too tame", failed, limited)
	}
}
