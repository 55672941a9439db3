package langchaingo_test

import (
	"context"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/ratio"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

var cost = ratio.Transform[schema.Document]{
	Doc: func(text string, score float64) schema.Document {
		return schema.Document{PageContent: text, Score: float32(score)}
	},
	Score: bookend.View().Score,
}

// benchmarked returns a Transformer by opts.
func benchmarked(tb testing.TB, opts ...bookend.Option) func([]schema.Document) {
	transformer, err := bookend.NewTransformer(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	ctx := context.Background()
	return func(docs []schema.Document) { _, _ = transformer.TransformDocuments(ctx, docs) }
}

func BenchmarkTransform(b *testing.B) { cost.Default(b, benchmarked(b)) }

func BenchmarkByScore(b *testing.B) {
	cost.ByScore(b, benchmarked(b, bookend.WithConfig(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})))
}

// The default transform allocates the result and nothing else.
func TestTransformAllocatesOnce(t *testing.T) {
	transform := benchmarked(t)
	for _, n := range []int{1, 10, 1_000} {
		docs := make([]schema.Document, n)
		if got := testing.AllocsPerRun(100, func() { transform(docs) }); got != 1 {
			t.Errorf("n=%d: %v allocations, want 1", n, got)
		}
	}
}
