package eino_test

import (
	"context"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/internal/ratio"
	"github.com/cloudwego/eino/schema"
)

var cost = ratio.Transform[*schema.Document]{
	Doc: func(text string, score float64) *schema.Document {
		return (&schema.Document{Content: text}).WithScore(score)
	},
	Score: bookend.View().Score,
}

// benchmarked returns a Transformer by config.
func benchmarked(tb testing.TB, config *bookend.Config) func([]*schema.Document) {
	transformer, err := bookend.NewTransformer(context.Background(), config)
	if err != nil {
		tb.Fatal(err)
	}
	ctx := context.Background()
	return func(docs []*schema.Document) { _, _ = transformer.Transform(ctx, docs) }
}

func BenchmarkTransform(b *testing.B) { cost.Default(b, benchmarked(b, nil)) }

func BenchmarkByScore(b *testing.B) {
	cost.ByScore(b, benchmarked(b, &bookend.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}))
}

// The default transform allocates the result and nothing else.
func TestTransformAllocatesOnce(t *testing.T) {
	transform := benchmarked(t, nil)
	for _, n := range []int{1, 10, 1_000} {
		docs := make([]*schema.Document, n)
		for i := range docs {
			docs[i] = &schema.Document{}
		}
		if got := testing.AllocsPerRun(100, func() { transform(docs) }); got != 1 {
			t.Errorf("n=%d: %v allocations, want 1", n, got)
		}
	}
}
