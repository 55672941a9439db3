package core_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// ranked returns a Config that places as ranked, so that a list shows the ranks.
func ranked(c core.Config) core.Config {
	c.Placement = core.Choice{Placement: core.RankOrder}
	return c
}

func TestRankBy(t *testing.T) {
	t.Parallel()
	const docs = "A score=3, B score=1, C score=2, D"
	for _, c := range []struct {
		name   string
		config core.Config
		scores []float64
		want   string
	}{
		{"the best score first", core.Config{}, []float64{.1, .9, .5, .7}, "B D C A"},
		{"negative scores beat missing ones", core.Config{}, []float64{missing, -3, -1, missing}, "C B A D"},
		{"equal scores keep the given order", core.Config{}, []float64{1, 2, 1, 2}, "B D A C"},
		{"zeros of either sign are equal", core.Config{}, []float64{math.Copysign(0, -1), 0, 1, 0}, "C A B D"},
		{"infinities rank at the ends", core.Config{}, []float64{math.Inf(-1), 0, missing, math.Inf(1)}, "D B A C"},
		{"equal scores keep the order by the documents' own", core.Config{Rank: core.ByScore, Direction: core.LowerIsBetter}, []float64{1, 1, 1, 2}, "D B C A"},
		{"no score at all keeps the order", core.Config{}, []float64{missing, missing, missing, missing}, "A B C D"},
		{"admission goes by the new ranks", core.Config{TopK: 2}, []float64{.1, .9, .5, .7}, "B D"},
		{"a threshold on the ranking", core.Config{Threshold: ptr(.5), ThresholdBy: core.RankingScore}, []float64{.1, .9, .5, missing}, "B C"},
		{"a threshold on the documents' own", core.Config{Threshold: ptr(2.0), ThresholdBy: core.OwnScore, Direction: core.HigherIsBetter}, []float64{.1, .9, .5, .7}, "C A"},
		{"a distance of the documents' own", core.Config{Threshold: ptr(2.0), ThresholdBy: core.OwnScore, Direction: core.LowerIsBetter}, []float64{.1, .9, .5, .7}, "B C"},
		{"the direction is that of the documents' own", core.Config{Threshold: ptr(.5), ThresholdBy: core.RankingScore, Direction: core.LowerIsBetter}, []float64{.1, .9, .5, .7}, "B D C"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(c.scores)
			same(t, "order", c.want, mustTransform(t, mustNew(t, ranked(c.config)), parse(t, docs), by(scoredBy("rerank", c.scores...))))
			same(t, "the caller's scores", asJSON(t, scoresOf(before)), asJSON(t, scoresOf(c.scores)))
		})
	}
}

func scoresOf(values []float64) []core.Score {
	scores := make([]core.Score, len(values))
	for i, v := range values {
		scores[i] = core.Score(v)
	}
	return scores
}

// More than 12 elements, where an unstable sort shows.
func TestRankByIsStable(t *testing.T) {
	t.Parallel()
	docs := named(strings.Repeat("x ", 500))
	scores := make([]float64, len(docs))
	for i := range scores {
		scores[i] = float64(i % 3)
	}
	a := mustArrange(t, mustNew(t, ranked(core.Config{})), docs, by(scoredBy("rerank", scores...)))
	for slot, p := range a.Slots[1:] {
		last := a.Slots[slot]
		if scores[p.Index] == scores[last.Index] && p.Index < last.Index {
			t.Fatalf("input %d stands before input %d, which has the same score", last.Index, p.Index)
		}
	}
}

func TestStagesOfRankBy(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=3, B score=1, C score=2, D")
	config := core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, TopK: 3}
	a := mustArrange(t, mustNew(t, config), docs, by(scoredBy("rerank", .1, .9, .5, missing)))
	want := `{"n":4,"placement":"head-tail",` +
		`"slots":[{"index":1,"rank":0,"label":1,"score":1},{"index":0,"rank":2,"label":3,"score":3},{"index":2,"rank":1,"label":2,"score":2}],` +
		`"dropped":[{"index":3,"rank":3,"score":null,"reason":"top-k"}],` +
		`"stages":[{"name":"retrieval","ranks":[0,2,1,3],"scores":[3,1,2,null]},{"name":"rerank","ranks":[2,0,1,3],"scores":[0.1,0.9,0.5,null]}],` +
		`"notes":["ranking by rerank left 1 of 4 documents out: they rank last"]}`
	same(t, "arrangement", want, string(asJSON(t, a)))
	var back core.Arrangement
	if err := json.Unmarshal([]byte(want), &back); err != nil {
		t.Fatal(err)
	}
	same(t, "read back", want, string(asJSON(t, back)))
	if err := back.Check(4); err != nil {
		t.Error(err)
	}
	same(t, "table", strings.TrimLeft(`
head-tail: 4 in, 3 placed, 1 left out
slot  rank  label  input  score  size  retrieval  rerank
1     r1    [1]    2      1      -     r3 1       r1 0.9
2     r3    [3]    1      3      -     r1 3       r3 0.1
3     r2    [2]    3      2      -     r2 2       r2 0.5
out   r4           4      -      -     r4         r4      beyond top-k
note: ranking by rerank left 1 of 4 documents out: they rank last
`, "\n"), a.String())
	s, ok := a.Stage("rerank")
	same(t, "a stage by name", []int{2, 0, 1, 3}, s.Ranks)
	_, other := a.Stage("fusion")
	same(t, "known and unknown stage", []bool{true, false}, []bool{ok, other})
	same(t, "logged", true, strings.Contains(a.LogValue().String(), "stages=[retrieval rerank]"))
}

func TestThrough(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A, B, C")
	lists := []core.Stage{
		{Name: "words", Ranks: []int{1, 0, -1}, Scores: []core.Score{2, 3, core.Score(missing)}},
		{Name: "fusion", Ranks: []int{0, 1, 2}, Scores: []core.Score{.3, .2, .1}},
	}
	t.Run("the order is trusted", func(t *testing.T) {
		t.Parallel()
		a := mustArrange(t, mustNew(t, ranked(core.Config{})), docs, by(failedBy("dense", "timeout"), lists[0], lists[1]))
		same(t, "ranks", []int{0, 1, 2}, a.Ranks())
		same(t, "stages", asJSON(t, lists), asJSON(t, a.Stages[1:]))
		same(t, "the stage that failed", "timeout", a.Stages[0].Failure)
		same(t, "notes", []string{"ranking by dense is missing (timeout)"}, a.Notes)
		same(t, "is an arrangement", nil, a.Check(3))
		same(t, "a table without the column of what failed", false, strings.Contains(strings.Split(a.String(), "\n")[1], "dense"))
	})
	t.Run("a threshold looks at the last stage", func(t *testing.T) {
		t.Parallel()
		config := ranked(core.Config{Threshold: ptr(.2), ThresholdBy: core.RankingScore})
		same(t, "order", "A B", mustTransform(t, mustNew(t, config), docs, by(lists...)))
	})
	t.Run("a reranking comes after", func(t *testing.T) {
		t.Parallel()
		a := mustArrange(t, mustNew(t, ranked(core.Config{})), docs, by(append(slices.Clip(lists), scoredBy("rerank", 0, 1, 2))...))
		names := make([]string, len(a.Stages))
		for i, s := range a.Stages {
			names[i] = s.Name
		}
		same(t, "stages", []string{"words", "fusion", "rerank"}, names)
		same(t, "the caller's stages", 2, len(lists))
		same(t, "the worst of the fusion is the best", 2, a.Slots[0].Index)
	})
	t.Run("Off keeps the order and shows the stages", func(t *testing.T) {
		t.Parallel()
		a := mustArrange(t, core.Off, docs, by(append(slices.Clip(lists), scoredBy("rerank", 0, 1, 2))...))
		same(t, "ranks", []int{0, 1, 2}, a.Ranks())
		same(t, "stages", asJSON(t, append(slices.Clip(lists), scoredBy("rerank", 0, 1, 2))), asJSON(t, a.Stages))
	})
}

func TestRankFailed(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=1, B score=3, C score=2")
	failed := by(failedBy("rerank", "http 503"))
	const kept = "ranking by rerank failed (http 503), and the order before it is kept"
	for _, c := range []struct {
		name, want string
		notes      []string
		config     core.Config
	}{
		{"the order before is kept", "A B C", []string{kept}, core.Config{}},
		{"also where it is by score", "B C A", []string{kept}, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}},
		{
			"a threshold on the ranking is not applied", "A B",
			[]string{kept, "the threshold is not applied: what it looks at, the score of rerank, is missing"},
			core.Config{Threshold: ptr(9.0), ThresholdBy: core.RankingScore, TopK: 2},
		},
		{"one on the documents' own is", "B C", []string{kept}, core.Config{Threshold: ptr(2.0), ThresholdBy: core.OwnScore, Direction: core.HigherIsBetter}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := mustNew(t, ranked(c.config))
			same(t, "order", c.want, mustTransform(t, a, docs, failed))
			same(t, "notes", c.notes, mustArrange(t, a, docs, failed).Notes)
		})
	}
}

func TestRankingErrors(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=1, B score=2")
	ranks := by(scoredBy("rerank", 1, 2))
	fused := by(scoredBy("words", 2, 1), scoredBy("fusion", 2, 1))
	undeclared := core.Config{Direction: core.HigherIsBetter, Threshold: ptr(1.0)}
	for _, c := range []struct {
		name   string
		config core.Config
		call   core.Call
		field  string
		parts  []string
	}{
		{"too few scores", core.Config{}, by(scoredBy("rerank", 1)), "Stages[0]", []string{`"rerank"`, "2 documents", "1 and 1"}},
		{"a stage of another length", core.Config{}, by(core.Stage{Name: "fusion"}), "Stages[0]", []string{`"fusion"`, "2 documents", "0 and 0"}},
		{"an undeclared threshold", undeclared, ranks, "ThresholdBy", []string{`"own" or "ranking"`, "which of them Threshold looks at"}},
		{"an undeclared threshold, when ranking failed", undeclared, by(failedBy("rerank", "error")), "ThresholdBy", []string{`"own" or "ranking"`}},
		{"an undeclared threshold on a fusion", undeclared, fused, "ThresholdBy", []string{`"own" or "ranking"`}},
		{"a threshold on no ranking", core.Config{Threshold: ptr(1.0), ThresholdBy: core.RankingScore}, core.Call{}, "ThresholdBy", []string{"no reranker and no fusion"}},
		{"a sort of what is fused", core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}, fused, "Rank", []string{"undo the stages"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := core.Arrange(t.Context(), mustNew(t, c.config), docs, docView, c.call)
			same(t, "field", c.field, mustBe[*core.ConfigError](t, err).Field)
			mustMention(t, err, c.parts...)
		})
	}
}

// A stage that fits no document is refused by Off, too: the arrangement would show it.
func TestOffRefusesAStageOfAnotherLength(t *testing.T) {
	t.Parallel()
	_, err := core.Arrange(t.Context(), core.Off, parse(t, "A, B"), docView, by(core.Stage{Name: "fusion"}))
	same(t, "field", "Stages[0]", mustBe[*core.ConfigError](t, err).Field)
}

// What ranked is not lost when documents are left out later, as by the budget of a
// whole prompt.
func TestWithoutKeepsTheStages(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A score=3, B score=1, C score=2")
	arranger := mustNew(t, core.Config{MinDocuments: 3})
	a := mustArrange(t, arranger, docs, by(scoredBy("rerank", .1, missing, .5)))
	trimmed, err := core.Without(arranger, a, docs, docView, func(p core.Placed) core.Reason {
		if p.Rank == 1 {
			return core.OverBudget
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stages", asJSON(t, a.Stages), asJSON(t, trimmed.Stages))
	same(t, "notes", []string{
		"ranking by rerank left 1 of 3 documents out: they rank last",
		"fewer than MinDocuments (3) documents: left as ranked",
	}, trimmed.Notes)
	for _, p := range trimmed.Slots {
		same(t, "own score", core.Score(docs[p.Index].score), p.Score)
	}
}

// An arrangement may come from outside.
func TestStagesThatAreTooShort(t *testing.T) {
	t.Parallel()
	a := core.Arrangement{N: 1, Slots: []core.Placed{{Label: 1}}, Stages: []core.Stage{{Name: "rerank"}}}
	same(t, "row", true, strings.Contains(a.String(), "1     r1    [1]    1      0      -     -\n"))
	mustMention(t, a.Check(1), `stage "rerank"`, "0 ranks")
	a.Stages[0].Ranks = []int{0}
	same(t, "a rank without a score", true, strings.Contains(a.String(), "-     r1\n"))
}

// The observer sees what the caller gets, and the documents' own scores.
func TestObserveARanking(t *testing.T) {
	t.Parallel()
	docs := parse(t, "A id=a score=1, B id=b score=2")
	var got []string
	a := mustNew(t, core.Config{Observe: func(_ context.Context, e core.Event) {
		score, _ := e.Score(0)
		got = append(got, e.ID(0), core.Score(score).String(), e.Arrangement.Order(), e.Arrangement.Stages[1].Name)
	}})
	mustTransform(t, a, docs, by(scoredBy("rerank", .1, .9)))
	same(t, "event", []string{"b", "2", "r1 r2", "rerank"}, got)
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	same(t, "of a nil View", "", (*core.View[doc])(nil).Identity(doc{id: "a"}, ""))
	same(t, "its own", "a", docView.Identity(doc{id: "a", meta: map[string]any{"id": "b"}}, ""))
	same(t, "of the metadata", "7", docView.Identity(doc{meta: map[string]any{"key": 7}}, "key"))
}
