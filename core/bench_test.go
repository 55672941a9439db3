package core_test

import (
	"context"
	"testing"

	"github.com/bookend-rag/bookend/core"
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

// benchmarked returns a Transform by config.
func benchmarked(b *testing.B, config core.Config) func([]hit) {
	a, err := core.New(config)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	return func(docs []hit) { _, _ = core.Transform(ctx, a, docs, hitView, core.Call{}) }
}

func BenchmarkTransform(b *testing.B) { hitCost.Default(b, benchmarked(b, core.Config{})) }

func BenchmarkByScore(b *testing.B) {
	hitCost.ByScore(b, benchmarked(b, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter}))
}
