package reuse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/reuse"
)

// chunks are n documents of about 200 tokens.
func chunks(from, n int) []doc {
	out := make([]doc, n)
	for i := range out {
		id := fmt.Sprint("handbook/", from+i)
		out[i] = doc{id, strings.Repeat(id+" ", 800/(len(id)+1))}
	}
	return out
}

// memories fill a memory of 10,000 documents, each in another way.
var memories = []struct {
	name string
	sent func(i int) []doc
}{
	{"helpdesk", func(i int) []doc { // 200 topics, each of ten documents in an order of chance
		return shuffledChunks(i, chunks(10*(i%200), 10))
	}},
	{"strangers", func(i int) []doc { return chunks(100+10*i, 10) }},
	{"adversarial", func(i int) []doc { return shuffledChunks(i, chunks(0, 10)) }}, // all orders of the ten
	{"crowded", func(i int) []doc { return append(shuffledChunks(i, chunks(0, 10))[:3], chunks(100+7*i, 7)...) }},
}

func shuffledChunks(seed int, docs []doc) []doc {
	r := rand.New(rand.NewPCG(7, uint64(seed)))
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs
}

// fill sends by rank until the memory is full.
func fill(b *testing.B, m *reuse.Memory, sent func(i int) []doc) {
	for i := 0; m.Stats().Remembered < reuse.DefaultMaxDocuments && i < 20_000; i++ {
		docs := sent(i)
		m.Recall(context.Background(), "", 0, nil).Sent(len(docs), func(slot int) (id, text string) { return docs[slot].id, docs[slot].text })
	}
}

// What a memory of 10,000 documents adds to the placing of ten, in microseconds: the
// median over batches in one run, with and without it in turn.
func BenchmarkTenDocuments(b *testing.B) {
	curve := line(0.8, 0.5)
	for _, c := range []struct {
		name   string
		config reuse.Config
	}{{"hold", reuse.Config{Hold: 1}}, {"worth", reuse.Config{Worth: 100, Curve: curve}}} {
		for _, memory := range memories {
			b.Run("by="+c.name+"/memory="+memory.name, func(b *testing.B) {
				m := mustNew(b, c.config)
				fill(b, m, memory.sent)
				with, without := by(b, core.RankOrder, m), by(b, core.RankOrder, nil)
				docs := chunks(0, 10)
				once := func(a *core.Arranger) {
					if _, err := core.Transform(context.Background(), a, docs, view, core.Call{}); err != nil {
						b.Fatal(err)
					}
				}
				var added []float64
				const batch = 20
				timed := func(a *core.Arranger) float64 {
					start := time.Now()
					for range batch {
						once(a)
					}
					return float64(time.Since(start).Nanoseconds()) / batch / 1000
				}
				b.ReportAllocs()
				for b.Loop() {
					added = append(added, timed(with)-timed(without))
				}
				slices.Sort(added)
				b.ReportMetric(added[len(added)/2], "µs-added/call")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// How many requests a second a memory serves to 64 goroutines, of ten documents each.
func BenchmarkManyGoroutines(b *testing.B) {
	m := mustNew(b, reuse.Config{Worth: 1, Curve: line(0.8, 0.5)})
	fill(b, m, memories[0].sent)
	a := by(b, core.RankOrder, m)
	lists := make([][]doc, 400)
	for i := range lists {
		lists[i] = memories[0].sent(i)
	}
	requests := 0
	start := time.Now()
	for b.Loop() {
		var next atomic.Int64
		var all sync.WaitGroup
		for range 64 {
			all.Add(1)
			go func() {
				defer all.Done()
				for i := next.Add(1); i <= 10_000; i = next.Add(1) {
					if _, err := core.Transform(context.Background(), a, lists[i%400], view, core.Call{}); err != nil {
						b.Error(err)
					}
				}
			}()
		}
		all.Wait()
		requests += 10_000
	}
	b.ReportMetric(float64(requests)/time.Since(start).Seconds(), "requests/s")
	b.ReportMetric(0, "ns/op")
}
