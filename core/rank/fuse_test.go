package rank_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

// lists makes a list for each group of IDs.
func lists(groups ...string) []rank.List[doc] {
	all := make([]rank.List[doc], len(groups))
	for i, ids := range groups {
		all[i].Docs = byID(ids)
	}
	return all
}

func TestFuse(t *testing.T) {
	t.Parallel()
	weighted := func(weights ...float64) []rank.List[doc] {
		all := lists("a b c", "c b a", "d")
		for i, w := range weights {
			all[i].Weight = w
		}
		return all
	}
	for _, c := range []struct {
		name   string
		fusion rank.Fusion
		lists  []rank.List[doc]
		want   string
	}{
		{"one list stays as it is", rank.Fusion{}, lists("c a b"), "c a b"},
		{"what two lists have comes first", rank.Fusion{}, lists("a b c", "d b e"), "b a d c e"},
		{"a place in two lists beats the first in one", rank.Fusion{}, lists("a x x1 x2 b", "c y y1 y2 b"), "b a c x y x1 y1 x2 y2"},
		{"but not for a small k", rank.Fusion{K: .5}, lists("a x x1 x2 b", "c y y1 y2 b"), "a c x y b x1 y1 x2 y2"},
		{"a tie goes by the best rank, then by the list", rank.Fusion{}, lists("a b", "b a"), "a b"},
		{"the order of a sum decides nothing", rank.Fusion{}, lists("p q r", "q p r", "x y p q"), "p q r x y"},
		{"equal ranks in another order of the lists tie", rank.Fusion{}, lists("a b c", "b c a", "c a b"), "a b c"},
		{"a sum in another order is no other sum", rank.Fusion{}, lists("a b 1 1 1 1 c", "b c 2 2 2 2 a", "c a 3 3 3 3 b"), "a b c 1 2 3"},
		{"weights", rank.Fusion{}, weighted(1, 3, 0), "c b a d"},
		{"a weight of 0 is 1", rank.Fusion{}, weighted(0, 0, 0), "a c b d"},
		{"a weight below 1", rank.Fusion{}, weighted(1, .01, 3), "d a b c"},
		{"within a list the best copy counts", rank.Fusion{}, lists("a b a a a", "b"), "b a"},
		{"at most TopK", rank.Fusion{TopK: 2}, lists("a b c", "d b e"), "b a"},
		{"an empty list", rank.Fusion{}, lists("a b", ""), "a b"},
		{"nothing", rank.Fusion{}, lists("", ""), ""},
		{"no list", rank.Fusion{}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := rank.Fuse(c.fusion, docView, c.lists...)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "order", c.want, idsOf(got.Docs))
			if c.want == "" && got.Docs != nil {
				t.Error("an empty list for nothing, want nil")
			}
		})
	}
}

// Worked by hand: 1/61 = .0163934, 1/62 = .0161290, 1/63 = .0158730.
func TestFusedScores(t *testing.T) {
	t.Parallel()
	all := lists("a b c", "c a")
	all[0].Name, all[1].Weight = "words", 2
	all[0].Docs[0].score, all[1].Docs[1].score = 7, .25
	got, err := rank.Fuse(rank.Fusion{}, docView, all...)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "c a b", idsOf(got.Docs))
	for i, want := range []float64{.0486599, .0486515, .0161290} { // 1/63 + 2/61, 1/61 + 2/62, 1/62
		if score := float64(got.Stages[2].Scores[i]); math.Abs(score-want) > 1e-7 {
			t.Errorf("score %d is %.7f, want %.7f", i, score, want)
		}
	}
	text, _ := json.Marshal(got.Stages[:2])
	same(t, "stages", `[{"name":"words","ranks":[2,0,1],"scores":[null,7,null]},{"name":"list 2","ranks":[0,1,-1],"scores":[null,0.25,null]}]`, string(text))
	same(t, "last stage", rank.FusionStage, got.Stages[2].Name)
	same(t, "its ranks", []int{0, 1, 2}, got.Stages[2].Ranks)
}

func TestMerging(t *testing.T) {
	t.Parallel()
	d := func(id, text string) doc { return doc{id: id, text: text, score: math.NaN()} }
	for _, c := range []struct {
		name string
		a, b []doc
		want string
	}{
		{"the same ID", []doc{d("1", "x")}, []doc{d("1", "another text")}, "1=x"},
		{"different IDs with the same text stay two", []doc{d("1", "x")}, []doc{d("2", "x")}, "1=x 2=x"},
		{"the same text without IDs", []doc{d("", "x"), d("", "y")}, []doc{d("", "y")}, "=y =x"},
		{"the same text, an ID in the first list alone", []doc{d("1", "x"), d("2", "y")}, []doc{d("", "y")}, "=y 1=x"},
		{"the same text, an ID in the second list alone", []doc{d("", "x"), d("", "y")}, []doc{d("2", "y")}, "2=y =x"},
		{"two IDs of one text: the first takes what has none", []doc{d("", "x")}, []doc{d("1", "x"), d("2", "x")}, "=x 2=x"},
		{"what is empty is no match", []doc{d("", ""), d("", "")}, []doc{d("", "")}, "= = ="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := rank.Fuse(rank.Fusion{}, docView, rank.List[doc]{Docs: c.a}, rank.List[doc]{Docs: c.b})
			if err != nil {
				t.Fatal(err)
			}
			parts := make([]string, len(got.Docs))
			for i, d := range got.Docs {
				parts[i] = d.id + "=" + d.text
			}
			same(t, "documents", c.want, strings.Join(parts, " "))
		})
	}
	got, err := rank.Fuse(rank.Fusion{}, nil, lists("a", "a")...)
	if err != nil || len(got.Docs) != 2 {
		t.Errorf("without a View nothing is known to be one: %v, %v", got.Docs, err)
	}
	meta := &core.View[map[string]any]{Meta: func(m map[string]any) map[string]any { return m }}
	chunk := []map[string]any{{"chunk": 7}}
	byKey, err := rank.Fuse(rank.Fusion{IDKey: "chunk"}, meta, rank.List[map[string]any]{Docs: chunk}, rank.List[map[string]any]{Docs: chunk})
	if err != nil || len(byKey.Docs) != 1 {
		t.Errorf("an ID in the metadata: %v, %v", byKey.Docs, err)
	}
}

// Of several copies the one that is ranked best lends its metadata, whatever the
// order of the lists and their weights.
func TestTheBestRankedCopyStays(t *testing.T) {
	t.Parallel()
	list := func(from, ids string) rank.List[doc] {
		l := rank.List[doc]{Name: from, Docs: byID(ids)}
		for i := range l.Docs {
			l.Docs[i].text = from
		}
		return l
	}
	for _, c := range []struct {
		name  string
		lists []rank.List[doc]
		want  string
	}{
		{"better in the second list", []rank.List[doc]{list("A", "x y"), list("B", "y z")}, "y=B x=A z=B"},
		{"better in the first list", []rank.List[doc]{list("B", "y z"), list("A", "x y")}, "y=B x=A z=B"},
		{"best in the last of three", []rank.List[doc]{list("A", "1 2 x"), list("B", "3 x"), list("C", "x")}, "x=C 1=A 3=B 2=A"},
		{"at the same rank the first list's", []rank.List[doc]{list("A", "x y"), list("B", "x y")}, "x=A y=A"},
		{"within a list the best", []rank.List[doc]{list("A", "1 x"), list("B", "x x")}, "x=B 1=A"},
		{"a weight is no rank", []rank.List[doc]{{Weight: 9, Docs: list("A", "1 x").Docs}, list("B", "x")}, "x=B 1=A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := rank.Fuse(rank.Fusion{}, docView, c.lists...)
			if err != nil {
				t.Fatal(err)
			}
			parts := make([]string, len(got.Docs))
			for i, d := range got.Docs {
				parts[i] = d.id + "=" + d.text
			}
			same(t, "copies", c.want, strings.Join(parts, " "))
		})
	}
}

// exactly is a fusion in exact arithmetic, each list given by the ranks of its
// documents' IDs.
func exactly(k float64, all []rank.List[doc]) (order []string, sums map[string]*big.Rat) {
	decimal := func(f float64) *big.Rat {
		r, ok := new(big.Rat).SetString(fmt.Sprint(f))
		if !ok {
			panic(f)
		}
		return r
	}
	sums, best := map[string]*big.Rat{}, map[string]int{}
	for _, l := range all {
		for at, d := range l.Docs {
			if sums[d.id] == nil {
				order, sums[d.id], best[d.id] = append(order, d.id), new(big.Rat), at
			}
			best[d.id] = min(best[d.id], at)
			below := new(big.Rat).Add(decimal(cmp.Or(k, 60)), big.NewRat(int64(at+1), 1))
			sums[d.id].Add(sums[d.id], new(big.Rat).Quo(decimal(cmp.Or(l.Weight, 1)), below))
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Or(sums[b].Cmp(sums[a]), cmp.Compare(best[a], best[b]))
	})
	return order, sums
}

// Sums that are equal are equal, and the better one of two that a float cannot tell
// apart comes first. Few lists of few ranks meet in many sums.
func TestFuseIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	weights := []float64{0, 1, 2, 3, .1, .2, .3, .5, .7, 1e-320, 1e308, 1.7e308}
	ties := 0
	for round := range 400 {
		k := []float64{0, 1, 2, 10, .1, 1e17, 1e-300}[random.IntN(7)]
		kinds := weights[:4+random.IntN(len(weights)-3)]
		all := make([]rank.List[doc], 2+random.IntN(5))
		for i := range all {
			all[i].Weight = kinds[random.IntN(len(kinds))]
			for _, id := range random.Perm(40)[:random.IntN(40)] {
				all[i].Docs = append(all[i].Docs, doc{id: fmt.Sprint("d", id), score: math.NaN()})
			}
		}
		want, sums := exactly(k, all)
		got, err := rank.Fuse(rank.Fusion{K: k}, docView, all...)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("order in round %d", round), strings.Join(want, " "), idsOf(got.Docs))
		scores := got.Stages[len(all)].Scores
		for i := 1; i < len(want); i++ {
			if scores[i] > scores[i-1] {
				t.Errorf("round %d: score %v comes after %v", round, scores[i], scores[i-1])
			}
			if sums[want[i]].Cmp(sums[want[i-1]]) == 0 {
				ties++
				same(t, "scores of equal sums", scores[i-1], scores[i])
			}
		}
	}
	if ties < 100 {
		t.Errorf("only %d ties were met", ties)
	}
}

// Sums of other parts that are equal, and one bit off as floats: 1/65 + 1/117 is
// 1/78 + 1/90, and .1 + .2 is .3, but not for a float.
func TestSumsThatTie(t *testing.T) {
	t.Parallel()
	at := func(ranks map[int]string) (docs []doc) {
		for i := range slices.Max(slices.Collect(maps.Keys(ranks))) {
			id := ranks[i+1]
			if id == "" {
				id = fmt.Sprintf("filler %d %p", i, ranks)
			}
			docs = append(docs, doc{id: id, score: math.NaN()})
		}
		return docs
	}
	for _, c := range []struct {
		name  string
		lists []rank.List[doc]
	}{
		{"other ranks", []rank.List[doc]{{Docs: at(map[int]string{5: "a", 18: "b"})}, {Docs: at(map[int]string{30: "b", 57: "a"})}}},
		{"a list that counts as much as two", []rank.List[doc]{{Weight: .3, Docs: at(map[int]string{3: "a"})}, {Weight: .1, Docs: at(map[int]string{3: "b"})}, {Weight: .2, Docs: at(map[int]string{3: "b"})}}},
		{"a list that counts as much as three", []rank.List[doc]{{Weight: .3, Docs: at(map[int]string{4: "a"})}, {Weight: .1, Docs: at(map[int]string{4: "b"})}, {Weight: .1, Docs: at(map[int]string{4: "b"})}, {Weight: .1, Docs: at(map[int]string{4: "b"})}}},
		{"three times the weight", []rank.List[doc]{{Weight: .1, Docs: at(map[int]string{4: "a"})}, {Weight: .3, Docs: at(map[int]string{132: "b"})}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := rank.Fuse(rank.Fusion{}, docView, c.lists...)
			if err != nil {
				t.Fatal(err)
			}
			scores := map[string]core.Score{}
			for i, d := range got.Docs {
				scores[d.id] = got.Stages[len(c.lists)].Scores[i]
			}
			same(t, "the score of b", scores["a"], scores["b"])
			same(t, "the score of a", true, scores["a"] > 0)
		})
	}
}

// The naive way: a map of sums, and a sort.
func TestFuseEqualsTheNaiveWay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		all := make([]rank.List[doc], 1+random.IntN(4))
		scores, best := map[string]float64{}, map[string]int{}
		parts := map[string][]float64{}
		var order []string
		for i := range all {
			all[i].Weight = float64(1 + random.IntN(3))
			for at, id := range random.Perm(30)[:random.IntN(20)] {
				name := fmt.Sprint(id)
				all[i].Docs = append(all[i].Docs, doc{id: name})
				if _, seen := best[name]; !seen {
					order, best[name] = append(order, name), at
				}
				best[name] = min(best[name], at)
				parts[name] = append(parts[name], all[i].Weight/float64(60+at+1))
			}
		}
		for name, p := range parts {
			slices.Sort(p)
			for _, v := range p {
				scores[name] += v
			}
		}
		slices.SortStableFunc(order, func(a, b string) int {
			return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(best[a], best[b]))
		})
		got, err := rank.Fuse(rank.Fusion{}, docView, all...)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "order", strings.Join(order, " "), idsOf(got.Docs))
		again, _ := rank.Fuse(rank.Fusion{}, docView, all...)
		same(t, "a second time", fmt.Sprint(got), fmt.Sprint(again))
	}
}

func TestFuseWritesToNothing(t *testing.T) {
	t.Parallel()
	all := lists("a b c", "c b a")
	before := fmt.Sprint(all)
	got, err := rank.Fuse(rank.Fusion{}, docView, all...)
	if err != nil {
		t.Fatal(err)
	}
	clear(got.Docs)
	same(t, "lists", before, fmt.Sprint(all))
}

func TestFuseErrors(t *testing.T) {
	t.Parallel()
	for _, k := range []float64{-1, math.NaN(), math.Inf(1)} {
		all := lists("a", "b")
		all[1].Weight = k
		_, err := rank.Fuse(rank.Fusion{K: k, TopK: -1}, docView, all...)
		mustBe[*core.ConfigError](t, err)
		mustMention(t, err, "K is", "TopK is -1", "Weight of list 2")
	}
}

// What the fusion says goes into the arrangement as it is, beside a list that did not come.
func TestStagesOfAFusion(t *testing.T) {
	t.Parallel()
	fused, err := rank.Fuse(rank.Fusion{}, docView, lists("a b c", "d b")...)
	if err != nil {
		t.Fatal(err)
	}
	stages := append([]core.Stage{{Name: "late", Failure: "timeout"}}, fused.Stages...)
	a, err := core.Arrange(t.Context(), nil, fused.Docs, docView, core.Call{Stages: stages})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stages", fmt.Sprint(stages[1:]), fmt.Sprint(a.Stages[1:])) // a missing score is NaN
	same(t, "ranks by what failed", []int{-1, -1, -1, -1}, a.Stages[0].Ranks)
	same(t, "notes", []string{"ranking by late is missing (timeout)"}, a.Notes)
}
