package langchaingo_test

import (
	"context"
	"runtime"
	"slices"
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

// retrieving returns a call of NewRetriever(inner), by opts, where inner finds docs.
func retrieving(tb testing.TB, opts ...bookend.Option) func(docs []schema.Document) func() {
	return func(docs []schema.Document) func() {
		r, err := bookend.NewRetriever(list(docs), opts...)
		if err != nil {
			tb.Fatal(err)
		}
		ctx := context.Background()
		return func() { _, _ = r.GetRelevantDocuments(ctx, "why?") }
	}
}

func BenchmarkRetriever(b *testing.B) {
	cost.Beside(b, func(docs []schema.Document) (call, floor func()) {
		return retrieving(b)(docs), func() { runtime.KeepAlive(slices.Clone(docs)) }
	})
}

func BenchmarkByScore(b *testing.B) {
	cost.ByScore(b, benchmarked(b, bookend.WithConfig(core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter})))
}

// A wrapped retriever that trusts the order costs what slices.Clone does: it may
// allocate once more at most, and needs to do that nowhere.
func TestRetrieverAllocatesOnce(t *testing.T) {
	for _, n := range []int{1, 10, 100, 1_000, 100_000} {
		retrieve := retrieving(t)(make([]schema.Document, n))
		if got := testing.AllocsPerRun(20, retrieve); got != 1 {
			t.Errorf("n=%d: %v allocations, want 1", n, got)
		}
	}
}

// A call copies nothing of a curve: one of 1,000 slots costs no byte more than one of 10.
func TestALongCurveCostsNoMoreBytes(t *testing.T) {
	docs := make([]schema.Document, 20)
	bytes := func(slots int) int64 {
		curve := core.Curve{Format: core.CurveFormat, Model: "m", Documents: slots, Shape: core.ShapeInverted}
		for slot := range slots {
			share := float64(slot) / float64(slots)
			curve.Slots, curve.Accuracy, curve.Fitted = append(curve.Slots, slot), append(curve.Accuracy, share), append(curve.Fitted, share)
		}
		retrieve := retrieving(t, bookend.WithConfig(core.Config{Placement: core.Choice{Placement: core.Measured{Curve: &curve}}}))(docs)
		return testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				retrieve()
			}
		}).AllocedBytesPerOp()
	}
	if short, long := bytes(10), bytes(1_000); long > short {
		t.Errorf("%d bytes a call with a curve of 10 slots, %d with one of 1,000", short, long)
	}
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
