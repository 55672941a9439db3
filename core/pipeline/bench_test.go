package pipeline_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/internal/ratio"
)

// hit is as large as a langchaingo document.
type hit struct {
	text  string
	meta  map[string]any
	score float32
}

var hitView = &core.View[hit]{
	Text:  func(h hit) string { return h.text },
	Score: func(h hit) (float64, bool) { return float64(h.score), true },
	Meta:  func(h hit) map[string]any { return h.meta },
}

var hitCost = ratio.Transform[hit]{
	Doc:   func(text string, score float64) hit { return hit{text: text, score: float32(score)} },
	Score: hitView.Score,
}

// prepared returns a Run whose one source has found the documents already.
func prepared(t testing.TB, order core.Config) func([]hit) {
	var found []hit
	source := pipeline.Source[hit]{Find: func(context.Context, string, int) ([]hit, error) { return found, nil }}
	p, err := pipeline.New(pipeline.Config[hit]{Sources: []pipeline.Source[hit]{source}, Order: order, View: hitView})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	return func(docs []hit) {
		found = docs
		placed, err := p.Run(ctx, core.Call{Query: "which?"})
		if err != nil || len(placed) != len(docs) {
			t.Fatalf("%d documents of %d, %v", len(placed), len(docs), err)
		}
		runtime.KeepAlive(placed)
	}
}

func BenchmarkRun(b *testing.B) { hitCost.Default(b, prepared(b, core.Config{})) }

func BenchmarkRunByScore(b *testing.B) {
	hitCost.ByScore(b, prepared(b, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}))
}

// A call by the default configuration allocates its result and nothing else.
func TestRunAllocatesItsResultAlone(t *testing.T) {
	run := prepared(t, core.Config{})
	for _, n := range []int{1, 10, 100} {
		docs := slices.Repeat([]hit{{text: "a"}}, n)
		if allocations := testing.AllocsPerRun(100, func() { run(docs) }); allocations > 1 {
			t.Errorf("n=%d: %v allocations, want 1", n, allocations)
		}
	}
}
