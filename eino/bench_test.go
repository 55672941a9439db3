package eino_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/internal/ratio"
	"github.com/cloudwego/eino/schema"
)

var (
	sizes = []int{10, 100, 1_000, 100_000}
	sink  []*schema.Document
)

func hits(n int, sorted bool) []*schema.Document {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	docs := make([]*schema.Document, n)
	for i := range docs {
		docs[i] = (&schema.Document{Content: fmt.Sprint("text ", i)}).WithScore(random.Float64())
	}
	if sorted {
		slices.SortFunc(docs, func(a, b *schema.Document) int { return cmp.Compare(b.Score(), a.Score()) })
	}
	return docs
}

// BenchmarkTransform reports what the default transform costs beside
// slices.Clone of the same slice.
func BenchmarkTransform(b *testing.B) {
	ctx := context.Background()
	transformer, err := bookend.NewTransformer(context.Background(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range sizes {
		docs := hits(n, false)
		transform := func() { _, _ = transformer.Transform(ctx, docs) }
		b.Run(fmt.Sprintf("placement=head-tail/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				transform()
			}
			b.ReportMetric(ratio.Median(transform, func() { sink = slices.Clone(docs) }), "x-clone")
		})
	}
}

// BenchmarkByScore reports what ranking by score and placing cost beside
// slices.Clone and slices.SortStableFunc with the same accessor.
func BenchmarkByScore(b *testing.B) {
	ctx := context.Background()
	transformer, err := bookend.NewTransformer(ctx, &bookend.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})
	if err != nil {
		b.Fatal(err)
	}
	view := bookend.View()
	for _, input := range []string{"random", "sorted"} {
		for _, n := range sizes {
			docs := hits(n, input == "sorted")
			transform := func() { _, _ = transformer.Transform(ctx, docs) }
			b.Run(fmt.Sprintf("input=%s/n=%d", input, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					transform()
				}
				b.ReportMetric(ratio.Median(transform, func() {
					sink = slices.Clone(docs)
					slices.SortStableFunc(sink, func(x, y *schema.Document) int {
						sx, _ := view.Score(x)
						sy, _ := view.Score(y)
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

// The default transform allocates the result and nothing else.
func TestTransformAllocatesOnce(t *testing.T) {
	transformer, err := bookend.NewTransformer(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 10, 1_000} {
		docs := hits(n, false)
		if got := testing.AllocsPerRun(100, func() {
			sink, _ = transformer.Transform(context.Background(), docs)
		}); got != 1 {
			t.Errorf("n=%d: %v allocations, want 1", n, got)
		}
	}
}
