package eino_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/internal/ratio"
	"github.com/cloudwego/eino/callbacks"
	"github.com/cloudwego/eino/components"
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

// retrieving returns a call of a Retriever by config over a source that finds docs, and the
// floor under it: the result, and what reports the source as the flows of eino do.
func retrieving(tb testing.TB, config core.Config, docs []*schema.Document) (call, floor func()) {
	r, err := bookend.NewRetriever(context.Background(), &bookend.RetrieverConfig{Retriever: list(docs), Config: config})
	if err != nil {
		tb.Fatal(err)
	}
	ctx := context.Background()
	return func() { _, _ = r.Retrieve(ctx, question) }, func() {
		ctx := callbacks.ReuseHandlers(ctx, &callbacks.RunInfo{Component: components.ComponentOfRetriever})
		ctx = callbacks.OnStart(ctx, question)
		placed := slices.Clone(docs)
		callbacks.OnEnd(ctx, placed)
		runtime.KeepAlive(placed)
	}
}

func BenchmarkRetriever(b *testing.B) {
	cost.Beside(b, func(docs []*schema.Document) (call, floor func()) { return retrieving(b, core.Config{}, docs) })
}

// A wrapped retriever allocates what the floor does, and nothing else.
func TestRetrieverAllocatesNoMore(t *testing.T) {
	for _, n := range []int{1, 10, 100, 1_000, 100_000} {
		docs := make([]*schema.Document, n)
		for i := range docs {
			docs[i] = &schema.Document{}
		}
		call, floor := retrieving(t, core.Config{}, docs)
		if got, want := testing.AllocsPerRun(20, call), testing.AllocsPerRun(20, floor); got > want {
			t.Errorf("n=%d: %v allocations, want %v", n, got, want)
		}
	}
}

// A call copies nothing of a curve: one of 1,000 slots costs no byte more than one of 10.
func TestALongCurveCostsNoMoreBytes(t *testing.T) {
	bytes := func(slots int) int64 {
		curve := core.Curve{Format: core.CurveFormat, Model: "m", Documents: slots, Shape: core.ShapeInverted}
		for slot := range slots {
			share := float64(slot) / float64(slots)
			curve.Slots, curve.Accuracy, curve.Fitted = append(curve.Slots, slot), append(curve.Accuracy, share), append(curve.Fitted, share)
		}
		call, _ := retrieving(t, core.Config{Placement: core.Choice{Placement: core.Measured{Curve: &curve}}}, documents(6))
		return testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		}).AllocedBytesPerOp()
	}
	if short, long := bytes(10), bytes(1_000); long > short {
		t.Errorf("%d bytes a call with a curve of 10 slots, %d with one of 1,000", short, long)
	}
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
