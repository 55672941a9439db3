package ratio

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// Transform benchmarks a func that places documents of type E, in the core and in
// each adapter alike. Doc makes a document, Score is the accessor of its view.
type Transform[E any] struct {
	Doc   func(text string, score float64) E
	Score func(E) (float64, bool)
}

var sizes = []int{10, 100, 1_000, 100_000}

func (t Transform[E]) docs(n int) []E {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	docs := make([]E, n)
	for i := range docs {
		docs[i] = t.Doc(fmt.Sprint("text ", i), random.Float64())
	}
	return docs
}

func (t Transform[E]) bestFirst(x, y E) int {
	sx, _ := t.Score(x)
	sy, _ := t.Score(y)
	return cmp.Compare(sy, sx)
}

// Default reports what transform costs beside slices.Clone of the same slice, as
// "x-clone".
func (t Transform[E]) Default(b *testing.B, transform func(docs []E)) {
	for _, n := range sizes {
		docs := t.docs(n)
		b.Run(fmt.Sprintf("placement=head-tail/n=%d", n), func(b *testing.B) {
			run(b, func() { transform(docs) }, func() { runtime.KeepAlive(slices.Clone(docs)) }, "x-clone")
		})
	}
}

// Beside reports what a call costs beside the least that it has to do, as "x-floor".
// prepare makes both for n documents.
func (t Transform[E]) Beside(b *testing.B, prepare func(docs []E) (call, floor func())) {
	for _, n := range sizes {
		call, floor := prepare(t.docs(n))
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { run(b, call, floor, "x-floor") })
	}
}

// ByScore reports what ranking by score and placing cost beside slices.Clone and
// slices.SortStableFunc with the same accessor, as "x-clone-and-sort", on random
// and on sorted input.
func (t Transform[E]) ByScore(b *testing.B, transform func(docs []E)) {
	for _, input := range []string{"random", "sorted"} {
		for _, n := range sizes {
			docs := t.docs(n)
			if input == "sorted" {
				slices.SortStableFunc(docs, t.bestFirst)
			}
			b.Run(fmt.Sprintf("input=%s/n=%d", input, n), func(b *testing.B) {
				run(b, func() { transform(docs) }, func() {
					sorted := slices.Clone(docs)
					slices.SortStableFunc(sorted, t.bestFirst)
					runtime.KeepAlive(sorted)
				}, "x-clone-and-sort")
			})
		}
	}
}

func run(b *testing.B, f, base func(), metric string) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(Median(f, base), metric)
}
