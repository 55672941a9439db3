package core_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
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

var sizes = []int{10, 100, 1_000, 100_000}

func hits(n int, sorted bool) []hit {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	docs := make([]hit, n)
	for i := range docs {
		docs[i] = hit{text: fmt.Sprint("text ", i), score: random.Float32()}
	}
	if sorted {
		slices.SortFunc(docs, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	}
	return docs
}

// BenchmarkTransform reports what the default transform costs beside
// slices.Clone of the same slice.
func BenchmarkTransform(b *testing.B) {
	ctx := context.Background()
	a, err := core.New(core.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range sizes {
		docs := hits(n, false)
		transform := func() { _, _ = core.Transform(ctx, a, docs, hitView) }
		b.Run(fmt.Sprintf("placement=head-tail/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				transform()
			}
			b.ReportMetric(ratio.Median(transform, func() { sink = slices.Clone(docs) }), "x-clone")
		})
	}
}

var sink []hit

// BenchmarkByScore reports what ranking by score and placing cost beside
// slices.Clone and slices.SortStableFunc with the same accessor.
func BenchmarkByScore(b *testing.B) {
	ctx := context.Background()
	a, err := core.New(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	if err != nil {
		b.Fatal(err)
	}
	for _, input := range []string{"random", "sorted"} {
		for _, n := range sizes {
			docs := hits(n, input == "sorted")
			transform := func() { _, _ = core.Transform(ctx, a, docs, hitView) }
			b.Run(fmt.Sprintf("input=%s/n=%d", input, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					transform()
				}
				b.ReportMetric(ratio.Median(transform, func() {
					sink = slices.Clone(docs)
					slices.SortStableFunc(sink, func(x, y hit) int {
						sx, _ := hitView.Score(x)
						sy, _ := hitView.Score(y)
						switch {
						case sx > sy:
							return -1
						case sx < sy:
							return 1
						}
						return 0
					})
				}), "x-clone-and-sort")
			})
		}
	}
}
