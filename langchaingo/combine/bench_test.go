package combine_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/internal/ratio"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/schema"
)

// idle is a step that does nothing.
type idle struct{ step }

func (idle) Call(_ context.Context, values map[string]any, _ ...chains.ChainCallOption) (map[string]any, error) {
	return values, nil
}

// wrapped returns a call of Wrap(step), and the least that it has to do: a copy of the
// documents and of the values, with the one in the other.
func wrapped(tb testing.TB) func(docs []schema.Document) (call, floor func()) {
	chain, err := combine.Wrap(idle{})
	if err != nil {
		tb.Fatal(err)
	}
	ctx := context.Background()
	return func(docs []schema.Document) (call, floor func()) {
		values := map[string]any{"input_documents": docs, "question": "why?"}
		return func() { _, _ = chain.Call(ctx, values) }, func() {
			copied := maps.Clone(values)
			copied["input_documents"] = slices.Clone(docs)
			runtime.KeepAlive(copied)
		}
	}
}

func BenchmarkWrap(b *testing.B) {
	ratio.Transform[schema.Document]{
		Doc:   func(text string, _ float64) schema.Document { return schema.Document{PageContent: text} },
		Score: bookend.View().Score,
	}.Beside(b, wrapped(b))
}

func TestWrapAllocatesNoMoreThanTheCopies(t *testing.T) {
	for _, n := range []int{1, 10, 100, 1_000, 100_000} {
		call, floor := wrapped(t)(make([]schema.Document, n))
		got, want := testing.AllocsPerRun(20, call), testing.AllocsPerRun(20, floor)
		if got > want {
			t.Errorf("n=%d: %v allocations, the copies %v", n, got, want)
		}
	}
}
