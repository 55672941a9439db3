package integration_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	einoretriever "github.com/cloudwego/eino/components/retriever"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/google/go-cmp/cmp"
	lcgschema "github.com/tmc/langchaingo/schema"
	"pgregory.net/rapid"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
)

// line is a generated call: what is retrieved, and which of the stages are run.
type line struct {
	lists  [][]*einoschema.Document
	scores map[string]float64 // the reranker's, by ID
	config core.Config        // of admission and placement

	fuse, rerank, admit, place bool
}

// Score is the reranker: it knows a document by its text, which begins with the ID.
func (l line) Score(_ context.Context, _ string, texts []string) ([]float64, error) {
	scores := make([]float64, len(texts))
	for i, text := range texts {
		scores[i] = l.scores[text[:2]]
	}
	return scores, nil
}

// missingOr draws a score with many ties, or none at all.
func missingOr(t *rapid.T, label string) float64 {
	if rapid.IntRange(0, 5).Draw(t, label+" missing") == 0 {
		return math.NaN()
	}
	return float64(rapid.IntRange(-4, 4).Draw(t, label)) / 4
}

func drawLine(t *rapid.T) line {
	l := line{
		scores: map[string]float64{},
		fuse:   rapid.Bool().Draw(t, "fuse"), rerank: rapid.Bool().Draw(t, "rerank"),
		admit: rapid.Bool().Draw(t, "admit"), place: rapid.Bool().Draw(t, "place"),
	}
	const pool = 10
	for range rapid.IntRange(1, 3).Draw(t, "lists") {
		all := make([]int, pool)
		for i := range all {
			all[i] = i
		}
		some := rapid.Permutation(all).Draw(t, "list")[:rapid.IntRange(0, pool).Draw(t, "length")]
		list := make([]*einoschema.Document, len(some))
		for i, n := range some {
			id := fmt.Sprintf("d%d", n)
			list[i] = &einoschema.Document{ID: id, Content: id + " text"[:n%4], MetaData: map[string]any{
				"id": id, "source": fmt.Sprint("s", n%3), "position": n, "always": n == 7,
			}}
			if s := missingOr(t, "own score"); !math.IsNaN(s) {
				list[i].WithScore(s)
			}
		}
		l.lists = append(l.lists, list)
	}
	for n := range pool {
		l.scores[fmt.Sprintf("d%d", n)] = missingOr(t, "rerank score")
	}
	l.config = core.Config{Placement: core.Choice{Placement: core.RankOrder}}
	if !l.fuse && rapid.Bool().Draw(t, "by score") {
		l.config.Rank, l.config.Direction = core.ByScore, core.HigherIsBetter
	}
	if l.admit {
		l.config.TopK = rapid.IntRange(0, 8).Draw(t, "top-k")
		if rapid.Bool().Draw(t, "pins") && l.config.TopK != 0 {
			l.config.Keys.Pin = "always"
		}
		if rapid.Bool().Draw(t, "budget") {
			l.config.Budget, l.config.Unit, l.config.Overflow = rapid.IntRange(6, 30).Draw(t, "room"), core.Runes, core.Skip
		}
		if rapid.Bool().Draw(t, "threshold") {
			limit := float64(rapid.IntRange(-2, 2).Draw(t, "limit")) / 4
			l.config.Threshold, l.config.Direction, l.config.ThresholdBy = &limit, core.HigherIsBetter, core.OwnScore
			if l.rerank && rapid.Bool().Draw(t, "threshold by ranking") {
				l.config.ThresholdBy = core.RankingScore
			}
		}
	}
	if l.place {
		name := rapid.SampledFrom([]string{"reversed", "head-tail", "tail-head", "long-context", "edges-first", "document-order", "shuffled=3"}).Draw(t, "placement")
		p, err := core.ParsePlacement(name)
		if err != nil {
			t.Fatal(err)
		}
		l.config.Placement.Placement = p
		l.config.MinDocuments = rapid.IntRange(0, 3).Draw(t, "min documents")
		l.config.Groups = rapid.Bool().Draw(t, "groups")
	}
	return l
}

// seat is where a document of a call ended up.
type seat struct {
	ID          string
	Rank, Label int
	Why         core.Reason
}

// seats reads an arrangement by the identity of the documents: slots, then the rest.
func seats(a core.Arrangement, id func(rank int) string) []seat {
	var all []seat
	for _, p := range a.Slots {
		all = append(all, seat{ID: id(p.Rank), Rank: p.Rank, Label: p.Label})
	}
	for _, d := range a.Dropped {
		all = append(all, seat{ID: id(d.Rank), Rank: d.Rank, Why: d.Reason})
	}
	return all
}

// stepByStep runs the stages one after the other. Each knows no more than the list that
// the one before it made; the reranker's scores are asked again where a threshold looks
// at them.
func (l line) stepByStep(t *rapid.T) []seat {
	ctx, view := context.Background(), eino.View()
	docs := l.lists[0]
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	arrange := func(c core.Config, call core.Call) core.Arrangement {
		arranger, err := core.New(c)
		must(err)
		a, err := core.Arrange(ctx, arranger, docs, view, call)
		must(err)
		return a
	}
	apply := func(a core.Arrangement) {
		var err error
		docs, err = core.Apply(a, docs)
		must(err)
	}
	reranked := func() core.Call {
		stage, err := rank.Rerank(ctx, &rank.Reranker{Scorer: l}, view, "why?", docs)
		must(err)
		return core.Call{Stages: []core.Stage{stage}}
	}
	asRanked := core.Config{Placement: core.Choice{Placement: core.RankOrder}}
	if l.fuse {
		lists := make([]rank.List[*einoschema.Document], len(l.lists))
		for i, list := range l.lists {
			lists[i].Docs = list
		}
		fused, err := rank.Fuse(rank.Fusion{}, view, lists...)
		must(err)
		docs = fused.Docs
	}
	if l.config.Rank == core.ByScore {
		byScore := asRanked
		byScore.Rank, byScore.Direction = core.ByScore, core.HigherIsBetter
		apply(arrange(byScore, core.Call{}))
	}
	if l.rerank {
		apply(arrange(asRanked, reranked()))
	}
	ranks := map[string]int{}
	for rank, d := range docs {
		ranks[d.ID] = rank
	}
	var out []seat
	if l.admit {
		c := l.config
		c.Rank, c.Placement, c.MinDocuments, c.Groups = core.AsGiven, asRanked.Placement, 0, false
		var call core.Call
		if c.ThresholdBy == core.RankingScore {
			call = reranked()
		}
		a := arrange(c, call)
		for _, d := range a.Dropped {
			out = append(out, seat{ID: docs[d.Index].ID, Rank: ranks[docs[d.Index].ID], Why: d.Reason})
		}
		apply(a)
	}
	labels := map[string]int{}
	for i, d := range docs {
		labels[d.ID] = i + 1
	}
	if l.place {
		apply(arrange(core.Config{Placement: l.config.Placement, MinDocuments: l.config.MinDocuments, Groups: l.config.Groups}, core.Call{}))
	}
	var all []seat
	for _, d := range docs {
		all = append(all, seat{ID: d.ID, Rank: ranks[d.ID], Label: labels[d.ID]})
	}
	return append(all, out...)
}

type lcgList []lcgschema.Document

func (l lcgList) GetRelevantDocuments(context.Context, string) ([]lcgschema.Document, error) {
	return l, nil
}

type einoList []*einoschema.Document

func (l einoList) Retrieve(context.Context, string, ...einoretriever.Option) ([]*einoschema.Document, error) {
	return l, nil
}

// inEino runs all stages in one call of eino's wrapper.
func (l line) inEino(t *rapid.T) ([]seat, []string, error) {
	ctx := context.Background()
	var all []seat
	config := &eino.RetrieverConfig{Retriever: einoList(l.lists[0]), Config: l.config}
	config.Config.Observe = func(_ context.Context, e core.Event) { all = seats(e.Arrangement, e.ID) }
	if l.fuse {
		config.Retriever = nil
		for _, list := range l.lists {
			config.Sources = append(config.Sources, eino.From("", einoList(list)))
		}
	}
	if l.rerank {
		config.Reranker = &rank.Reranker{Scorer: l}
	}
	r, err := eino.NewRetriever(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	docs, err := r.Retrieve(ctx, "why?")
	ids := []string{}
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	return all, ids, err
}

// inLangchaingo does the same; a document cannot be without a score there.
func (l line) inLangchaingo(t *rapid.T) ([]seat, []string, error) {
	var all []seat
	c := l.config
	c.Keys.Score = "own" // so that a missing score is missing, too
	c.Observe = func(_ context.Context, e core.Event) { all = seats(e.Arrangement, e.ID) }
	sources := make([]langchaingo.Source, len(l.lists))
	for i, list := range l.lists {
		docs := make(lcgList, len(list))
		for j, d := range list {
			docs[j] = lcgschema.Document{PageContent: d.Content, Metadata: map[string]any{}}
			for key, value := range d.MetaData {
				docs[j].Metadata[key] = value
			}
			if s, ok := eino.View().Score(d); ok {
				docs[j].Metadata["own"] = s
			}
		}
		sources[i] = langchaingo.From("", docs)
	}
	if !l.fuse {
		sources = sources[:1]
	}
	config := pipeline.Config[lcgschema.Document]{Sources: sources, Order: c}
	if l.rerank {
		config.Reranker = &rank.Reranker{Scorer: l}
	}
	r, err := langchaingo.NewPipeline(config)
	if err != nil {
		return nil, nil, err
	}
	docs, err := r.GetRelevantDocuments(context.Background(), "why?")
	ids := []string{}
	for _, d := range docs {
		ids = append(ids, d.Metadata["id"].(string))
	}
	return all, ids, err
}

// Any subset of fuse, rerank, admit and place, one after the other, gives what one call
// of a retriever wrapper gives: the same documents in the same slots, with the same
// ranks and labels, and the same ones left out for the same reasons.
func TestStagesOneByOneAreOneCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := drawLine(t)
		want := l.stepByStep(t)
		wantIDs := []string{}
		for _, s := range want {
			if s.Why == "" {
				wantIDs = append(wantIDs, s.ID)
			}
		}
		for name, run := range map[string]func(*rapid.T) ([]seat, []string, error){"eino": l.inEino, "langchaingo": l.inLangchaingo} {
			got, ids, err := run(t)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(want, got) {
				t.Errorf("%s (-one by one +in one call)\n%s", name, cmp.Diff(want, got))
			}
			if !slices.Equal(wantIDs, ids) {
				t.Errorf("%s, documents (-one by one +in one call)\n%s", name, cmp.Diff(wantIDs, ids))
			}
		}
	})
}
