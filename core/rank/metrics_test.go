package rank_test

import (
	"math"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/rank"
)

func relevant(ids string) rank.Relevant[string] {
	r := rank.Relevant[string]{}
	for _, id := range strings.Fields(ids) {
		r[id] = 1
	}
	return r
}

// Worked by hand.
func TestMetrics(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	log3, log5 := math.Log2(3), math.Log2(5)
	for _, c := range []struct {
		name                     string
		relevant                 rank.Relevant[string]
		ranked                   string
		k                        int
		recall, first, ndcg, avg float64
	}{
		{"both on top", relevant("a b"), "a b c d e", 5, 1, 1, 1, 1},
		{"first and last", relevant("a b"), "a c d e b", 5, 1, 1, (1 + 1/math.Log2(6)) / (1 + 1/log3), .7},
		{"second and fourth", relevant("a b"), "c a d b e", 5, 1, .5, (1/log3 + 1/log5) / (1 + 1/log3), .5},
		{"one beyond k", relevant("a b"), "c a d b e", 3, .5, .5, (1 / log3) / (1 + 1/log3), .5},
		{"one is not found", relevant("a b"), "a c", 5, .5, 1, 1 / (1 + 1/log3), .5},
		{"none is found", relevant("a b"), "c d", 5, 0, 0, 0, 0},
		{"an empty list", relevant("a"), "", 5, 0, 0, 0, 0},
		{"nothing is relevant", relevant(""), "a b", 5, nan, nan, nan, nan},
		{"a document that comes again", relevant("a b"), "a a b", 3, 1, 1, (1 + .5) / (1 + 1/log3), (1 + 2.0/3) / 2},
		{"more than k are relevant", relevant("a b c d"), "a b", 2, .5, 1, 1, .5},
		{"grades", rank.Relevant[string]{"a": 3, "b": 1, "c": 2, "x": 0, "y": -1}, "x b a y c", 4, 2.0 / 3, .5, (1/log3 + 3.0/2) / (3 + 2/log3 + .5), (1.0/2 + 2.0/3 + 3.0/5) / 3},
		{"k of 0", relevant("a"), "a", 0, 0, 1, nan, 1},
		{"k below 0", relevant("a"), "a", -3, 0, 1, nan, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ranked := strings.Fields(c.ranked)
			for _, m := range []struct {
				name      string
				want, got float64
			}{
				{"recall", c.recall, c.relevant.Recall(ranked, c.k)},
				{"reciprocal rank", c.first, c.relevant.ReciprocalRank(ranked)},
				{"nDCG", c.ndcg, c.relevant.NDCG(ranked, c.k)},
				{"average precision", c.avg, c.relevant.AveragePrecision(ranked)},
			} {
				if !near(m.want, m.got) {
					t.Errorf("%s (-want +got)\n-%v\n+%v", m.name, m.want, m.got)
				}
			}
		})
	}
}

func TestMean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{1, .5, 0}, .5},
		{[]float64{1, math.NaN(), 0}, .5},
		{[]float64{math.NaN()}, math.NaN()},
		{nil, math.NaN()},
	} {
		if got := rank.Mean(c.values); !near(c.want, got) {
			t.Errorf("mean of %v (-want +got)\n-%v\n+%v", c.values, c.want, got)
		}
	}
}

// Reordering changes no metric that is read through RestoreRank. Read off the slots
// they measure the placement: of two relevant documents, the two best of five, average
// precision falls from 1 to 0.7, although nothing was ranked differently.
func TestMetricsAreReadFromRanks(t *testing.T) {
	t.Parallel()
	docs, relevant := byID("1 2 3 4 5"), relevant("1 2")
	for _, name := range []string{"ranked", "reversed", "head-tail", "tail-head", "long-context", "edges-first", "shuffled=7"} {
		p, err := core.ParsePlacement(name)
		if err != nil {
			t.Fatal(err)
		}
		arranger, err := core.New(core.Config{Placement: core.Choice{Placement: p}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := core.Arrange(t.Context(), arranger, docs, docView, core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		placed, err := core.Apply(a, docs)
		if err != nil {
			t.Fatal(err)
		}
		restored, err := core.RestoreRank(a, placed)
		if err != nil {
			t.Fatal(err)
		}
		ranked, slots := strings.Fields(idsOf(restored)), strings.Fields(idsOf(placed))
		for metric, got := range map[string]float64{
			"recall": relevant.Recall(ranked, 2), "reciprocal rank": relevant.ReciprocalRank(ranked),
			"nDCG": relevant.NDCG(ranked, 5), "average precision": relevant.AveragePrecision(ranked),
		} {
			if !near(got, 1) {
				t.Errorf("%s: %s over the restored ranks is %v, want 1", name, metric, got)
			}
		}
		if off := relevant.AveragePrecision(slots); name == "head-tail" && !near(off, .7) {
			t.Errorf("average precision over the slots of %s is %v, want 0.7", name, off)
		}
	}
}
