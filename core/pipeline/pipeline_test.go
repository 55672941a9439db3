package pipeline_test

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
)

// A Pipeline that nobody made finds nothing, and places by the default Config.
func TestNilAndZeroPipeline(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*pipeline.Pipeline[doc]{"nil": nil, "zero": {}, "of a zero Config": mustNew(t, config{})} {
		_, err := p.Run(t.Context(), core.Call{Query: "?"})
		same(t, name, "Sources", mustBe[*core.ConfigError](t, err).Field)
		placed, err := p.Place(t.Context(), byID("a b c d e"), core.Call{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, "a c e d b", idsOf(placed))
		placed, err = p.Place(t.Context(), byID("a b c"), core.Call{TopK: 2, Arranger: core.Off})
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, "a b c", idsOf(placed))
		if got := p.Arranger().Config().Placement.String(); got != "head-tail" {
			t.Errorf("%s: placement %s", name, got)
		}
	}
}

// How many documents a source is asked for.
func TestOverFetch(t *testing.T) {
	t.Parallel()
	top := func(k int) *core.Arranger { return mustArrange(t, core.Config{TopK: k}) }
	for _, c := range []struct {
		name      string
		overFetch int
		order     int
		selected  *core.Arranger
		call      core.Call
		want      int
	}{
		{"of Order", 3, 4, nil, core.Call{}, 12},
		{"of the call", 3, 4, nil, core.Call{TopK: 2}, 6},
		{"of the call, beyond that of Order", 3, 4, nil, core.Call{TopK: 5}, 15},
		{"of the call's Arranger", 3, 4, nil, core.Call{Arranger: top(7)}, 21},
		{"of the call beside its Arranger", 3, 4, nil, core.Call{TopK: 2, Arranger: top(7)}, 6},
		{"of what Select chose", 3, 4, top(5), core.Call{}, 15},
		{"of the call beside what Select chose", 3, 4, top(5), core.Call{TopK: 2}, 6},
		{"of Order where what Select chose has none", 3, 4, top(0), core.Call{}, 12},
		{"off by Select", 3, 4, core.Off, core.Call{TopK: 2}, 0},
		{"off by the call", 3, 4, top(5), core.Call{Arranger: core.Off}, 0},
		{"no top-k", 3, 0, nil, core.Call{}, 0},
		{"no over-fetching", 0, 4, nil, core.Call{TopK: 2}, 0},
		{"once", 1, 4, nil, core.Call{}, 0},
		{"more than an int holds", 3, 0, nil, core.Call{TopK: math.MaxInt}, math.MaxInt / 3 * 3},
		{"more than an int holds, many times", math.MaxInt, 4, nil, core.Call{}, math.MaxInt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, sources := range []int{1, 2} {
				var mu sync.Mutex
				var asked, want []int
				s := source{Find: func(_ context.Context, _ string, k int) ([]doc, error) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, k)
					return byID("a b"), nil
				}}
				order := core.Config{TopK: c.order}
				if c.selected != nil {
					order.Select = func(context.Context) *core.Arranger { return c.selected }
				}
				p := mustNew(t, config{Sources: slices.Repeat([]source{s}, sources), OverFetch: c.overFetch, Order: order})
				if _, err := p.Run(t.Context(), c.call); err != nil {
					t.Fatal(err)
				}
				for range sources {
					want = append(want, c.want)
				}
				same(t, "k", want, asked)
			}
		})
	}
}

// What was over-fetched is reranked before top-k leaves the rest out.
func TestOverFetchFindsWhatWasRankedLow(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	all := byID("a b c d e f")
	s := source{Find: func(_ context.Context, _ string, k int) ([]doc, error) { return all[:k], nil }}
	ids, _, err := run(t, config{Sources: []source{s}, OverFetch: 2, Reranker: &rank.Reranker{Scorer: backwards(&asked)}, Order: core.Config{TopK: 2}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "d c", ids)
	same(t, "written to", "a b c d e f", idsOf(all))
}

func TestSelectIsAskedOnceACall(t *testing.T) {
	t.Parallel()
	var scored atomic.Int32
	var asked int
	reversed := mustArrange(t, core.Config{Placement: core.Choice{Placement: core.Reversed}})
	choose := func(context.Context) *core.Arranger { asked++; return reversed }
	observe := func(context.Context, core.Event) {}
	for _, c := range []config{
		{},
		{OverFetch: 3},
		{Reranker: &rank.Reranker{Scorer: backwards(&scored)}},
		{Order: core.Config{Observe: observe, TopK: 3}},
	} {
		for _, sources := range [][]source{{finds("a", "a b c")}, {finds("a", "a b c"), finds("b", "a b c")}} {
			c.Sources, c.Order.Select = sources, choose
			p := mustNew(t, c)
			own := mustArrange(t, core.Config{Select: choose})
			want := "c b a"
			if c.Reranker != nil {
				want = "a b c"
			}
			for _, call := range []core.Call{{}, {Arranger: own}, {Arranger: p.Arranger()}} {
				for name, f := range map[string]func() ([]doc, error){
					"Run":   func() ([]doc, error) { return p.Run(t.Context(), call) },
					"Place": func() ([]doc, error) { return p.Place(t.Context(), byID("a b c"), call) },
				} {
					asked = 0
					placed, err := f()
					if err != nil {
						t.Fatal(err)
					}
					same(t, name+" asked", 1, asked)
					same(t, name+" used what was chosen", want, idsOf(placed))
				}
			}
		}
	}
}

// A call's own Arranger decides it, and the pipeline's Observe hears of it, unless that
// Arranger has one of its own.
func TestAnArrangerOfTheCall(t *testing.T) {
	t.Parallel()
	var outer, inner []string
	hear := func(list *[]string) func(context.Context, core.Event) {
		return func(_ context.Context, e core.Event) { *list = append(*list, e.Arrangement.Placement+" "+e.Query) }
	}
	p := mustNew(t, config{Sources: []source{finds("a", "a b c")}, Order: core.Config{
		Observe: hear(&outer),
		Select:  func(context.Context) *core.Arranger { t.Error("the pipeline's Select was asked"); return nil },
	}})
	reversed := core.Choice{Placement: core.Reversed}
	call := func(a *core.Arranger) string {
		t.Helper()
		outer, inner = nil, nil
		placed, err := p.Run(t.Context(), core.Call{Query: "which?", Arranger: a})
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Place(t.Context(), byID("a b c"), core.Call{Query: "which?", Arranger: a})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "placed", idsOf(placed), idsOf(again))
		return idsOf(placed)
	}
	same(t, "order", "c b a", call(mustArrange(t, core.Config{Placement: reversed})))
	same(t, "the pipeline's Observe", []string{"reversed which?", "reversed which?"}, outer)

	same(t, "off", "a b c", call(core.Off))
	same(t, "the pipeline's Observe", []string{"off which?", "off which?"}, outer)

	same(t, "order", "c b a", call(mustArrange(t, core.Config{Placement: reversed, Observe: hear(&inner)})))
	same(t, "its own Observe", []string{"reversed which?", "reversed which?"}, inner)
	same(t, "the pipeline's Observe", 0, len(outer))
}

// Off asks the sources, and nothing else.
func TestOffAsksNoReranker(t *testing.T) {
	t.Parallel()
	var found, scored atomic.Int32
	one := []source{counted(finds("a", "a b c"), &found)}
	two := []source{one[0], counted(finds("b", "a b c"), &found)}
	off := func(context.Context) *core.Arranger { return core.Off }
	for _, c := range []struct {
		name   string
		choose func(context.Context) *core.Arranger
		call   core.Call
		want   string
		scored int32
	}{
		{"off by the call", nil, core.Call{Arranger: core.Off}, "a b c", 0},
		{"off by Select", off, core.Call{}, "a b c", 0},
		{"off by the Select of the call's Arranger", nil, core.Call{Arranger: mustArrange(t, core.Config{Select: off})}, "a b c", 0},
		{"not off", nil, core.Call{}, "c b a", 2},
	} {
		for _, sources := range [][]source{one, two} {
			found.Store(0)
			scored.Store(0)
			p := mustNew(t, config{
				Sources: sources, Reranker: &rank.Reranker{Scorer: backwards(&scored)},
				Order: core.Config{Placement: asRanked, Select: c.choose},
			})
			placed, err := p.Run(t.Context(), c.call)
			if err != nil {
				t.Fatal(err)
			}
			same(t, c.name, c.want, idsOf(placed))
			same(t, c.name+": sources asked", len(sources), int(found.Load()))
			placed, err = p.Place(t.Context(), byID("a b c"), c.call)
			if err != nil {
				t.Fatal(err)
			}
			same(t, c.name, c.want, idsOf(placed))
			same(t, c.name+": scorer asked", c.scored, scored.Load())
		}
	}
}

// What was placed before is neither asked about again nor moved.
func TestPlacedDocumentsAreNotReranked(t *testing.T) {
	t.Parallel()
	var scored atomic.Int32
	p := mustNew(t, config{Reranker: &rank.Reranker{Scorer: backwards(&scored)}})
	placed, err := p.Place(t.Context(), byID("a c b"), core.Call{Placed: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "a c b", idsOf(placed))
	same(t, "scorer asked", 0, scored.Load())
}

func TestReranking(t *testing.T) {
	t.Parallel()
	var scored atomic.Int32
	var asked string
	scorer := rank.ScorerFunc(func(ctx context.Context, query string, texts []string) ([]float64, error) {
		asked = query
		return backwards(&scored).Score(ctx, query, texts)
	})
	one := []source{finds("a", "a b c")}
	two := []source{finds("a", "a b c"), finds("b", "a b c")}
	ids, a, err := run(t, config{Sources: one, Reranker: &rank.Reranker{Scorer: scorer}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "asked", "which?", asked)
	same(t, "order", "c b a", ids)
	same(t, "stages", "retrieval, rerank", stages(a))
	_, a, err = run(t, config{Sources: two, Reranker: &rank.Reranker{Scorer: scorer, Name: "cross"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stages", "a, b, fusion, cross", stages(a))

	// A stage that the caller tells of comes first, and stays the caller's.
	before := make([]core.Stage, 1, 5)
	before[0] = core.Stage{Name: "dense", Ranks: []int{0, 1, 2}, Scores: []core.Score{3, 2, 1}}
	p := mustNew(t, config{Sources: one, Reranker: &rank.Reranker{Scorer: scorer}})
	_, err = p.Place(t.Context(), byID("a b c"), core.Call{Stages: before, Observe: func(_ context.Context, e core.Event) { a = e.Arrangement }})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "stages", "dense, rerank", stages(a))
	same(t, "written to the caller's list", "", before[:2][1].Name)

	// One that fails.
	if _, _, err := run(t, config{Sources: two, Reranker: &rank.Reranker{Scorer: scorerDown}}); err != errDown {
		t.Errorf("error %v", err)
	}
	ids, a, err = run(t, config{Sources: two, Reranker: &rank.Reranker{Scorer: scorerDown, OnFailure: rank.KeepOrder}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order kept", "a b c", ids)
	same(t, "stages", "a, b, fusion, rerank (error)", stages(a))
	same(t, "notes", []string{"ranking by rerank failed (error), and the order before it is kept"}, a.Notes)
}

// Where the reranker failed there is no score for its threshold, which is then not
// applied: a document is not left out for want of one.
func TestThresholdByRanking(t *testing.T) {
	t.Parallel()
	var scored atomic.Int32
	atLeast := 1.0
	order := core.Config{Threshold: &atLeast, ThresholdBy: core.RankingScore}
	for _, sources := range [][]source{{finds("a", "a b c")}, {finds("a", "a b c"), finds("b", "a b c")}} {
		ids, _, err := run(t, config{Sources: sources, Order: order, Reranker: &rank.Reranker{Scorer: backwards(&scored)}})
		if err != nil || ids != "c b" {
			t.Errorf("%q, %v", ids, err)
		}
		ids, a, err := run(t, config{Sources: sources, Order: order, Reranker: &rank.Reranker{Scorer: scorerDown, OnFailure: rank.KeepOrder}})
		if err != nil || ids != "a b c" {
			t.Errorf("after a failure: %q, %v", ids, err)
		}
		same(t, "notes", []string{
			"ranking by rerank failed (error), and the order before it is kept",
			"the threshold is not applied: what it looks at, the score of rerank, is missing",
		}, a.Notes)
	}
}

// A negative top-k asks nobody.
func TestNegativeTopK(t *testing.T) {
	t.Parallel()
	var found atomic.Int32
	p := mustNew(t, config{Sources: []source{counted(finds("a", "a"), &found)}})
	_, err := p.Run(t.Context(), core.Call{TopK: -1})
	same(t, "field", "TopK", mustBe[*core.ConfigError](t, err).Field)
	same(t, "asked", 0, found.Load())
	_, err = p.Place(t.Context(), byID("a"), core.Call{TopK: -1})
	same(t, "field", "TopK", mustBe[*core.ConfigError](t, err).Field)
}

// After its context has ended, a call begins at most one further call of what is not its
// own: a source, a scorer, a counter.
func TestAfterTheEndOfTheContext(t *testing.T) {
	t.Parallel()
	for _, ends := range []string{"select", "source", "scorer", "count"} {
		for _, several := range []bool{false, true} {
			for _, keepGoing := range []bool{false, true} {
				ctx, cancel := context.WithCancel(t.Context())
				var after atomic.Int32
				begin := func(who string) {
					if ctx.Err() != nil {
						after.Add(1)
					}
					if who == ends {
						cancel()
					}
				}
				var others atomic.Int32
				sources := []source{{Find: func(context.Context, string, int) ([]doc, error) {
					for several && others.Load() < 9 && ends == "source" {
						runtime.Gosched() // until the others have begun
					}
					begin("source")
					return byID("a b c d e"), nil
				}}}
				for i := 0; several && i < 9; i++ {
					sources = append(sources, source{Find: func(context.Context, string, int) ([]doc, error) {
						begin("another source")
						others.Add(1)
						return byID("a b c d e"), nil
					}})
				}
				scorer := rank.ScorerFunc(func(_ context.Context, _ string, texts []string) ([]float64, error) {
					begin("scorer")
					return make([]float64, len(texts)), nil
				})
				p := mustNew(t, config{
					Sources: sources, Fusion: rank.Fusion{KeepGoing: keepGoing},
					Reranker: &rank.Reranker{Scorer: scorer, OnFailure: rank.KeepOrder},
					Order: core.Config{
						Budget: 100, Count: func(string) int { begin("count"); return 1 },
						Select: func(context.Context) *core.Arranger { begin("select"); return nil },
					},
				})
				placed, err := p.Run(ctx, core.Call{Query: "?"})
				if err != context.Canceled || placed != nil {
					t.Errorf("ended by %s, several %v: %v, %v", ends, several, placed, err)
				}
				time.Sleep(5 * time.Millisecond) // for sources that are begun without being waited for
				if after.Load() > 1 {
					t.Errorf("ended by %s, several %v: %d calls began afterwards", ends, several, after.Load())
				}
				cancel()
			}
		}
	}
}

// Changes to a Config afterwards have no effect.
func TestTheConfigIsCopied(t *testing.T) {
	t.Parallel()
	var scored atomic.Int32
	c := config{Sources: []source{finds("a", "a b c")}, Reranker: &rank.Reranker{Scorer: backwards(&scored)}, View: docView}
	p := mustNew(t, c)
	c.Sources[0] = fails("a", errDown)
	*c.Reranker = rank.Reranker{}
	placed, err := p.Run(t.Context(), core.Call{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "order", "c a b", idsOf(placed))
}
