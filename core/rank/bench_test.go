package rank_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/internal/ratio"
)

// BenchmarkFuse reports what fusing three lists costs beside a plain loop that sums in
// a map and sorts, as "x-map-and-sort". Half of each list is in the others, too.
func BenchmarkFuse(b *testing.B) {
	for _, n := range []int{10, 100, 1_000} {
		random := rand.New(rand.NewPCG(1, uint64(n)))
		lists := make([]rank.List[doc], 3)
		for i := range lists {
			for _, id := range random.Perm(2 * n)[:n] {
				lists[i].Docs = append(lists[i].Docs, doc{id: fmt.Sprintf("chunk-%06d", id), text: strings.Repeat("text ", 400)})
			}
		}
		b.Run(fmt.Sprintf("lists=3/n=%d", n), func(b *testing.B) {
			fuse := func() {
				fused, err := rank.Fuse(rank.Fusion{}, docView, lists...)
				if err != nil {
					b.Fatal(err)
				}
				runtime.KeepAlive(fused)
			}
			b.ReportAllocs()
			for b.Loop() {
				fuse()
			}
			b.ReportMetric(ratio.Median(fuse, func() { runtime.KeepAlive(mapAndSort(lists)) }), "x-map-and-sort")
		})
	}
}

// mapAndSort is what one writes in ten lines: no stages, no weights, ties by ID.
func mapAndSort(lists []rank.List[doc]) []doc {
	scores, docs := map[string]float64{}, map[string]doc{}
	for _, l := range lists {
		for at, d := range l.Docs {
			scores[d.id] += 1 / float64(60+at+1)
			docs[d.id] = d
		}
	}
	fused := make([]doc, 0, len(docs))
	for _, d := range docs {
		fused = append(fused, d)
	}
	slices.SortFunc(fused, func(a, b doc) int {
		return cmp.Or(cmp.Compare(scores[b.id], scores[a.id]), cmp.Compare(a.id, b.id))
	})
	return fused
}

// BenchmarkHTTP reports what scoring 100 documents of 2 KB costs beside the time of
// their server, 50 ms from the last byte of the request on, as "x-server".
func BenchmarkHTTP(b *testing.B) {
	const work, n = 50 * time.Millisecond, 100
	answer := make([]string, n)
	for i := range answer {
		answer[i] = fmt.Sprintf(`{"index":%d,"relevance_score":%v}`, i, 1/float64(i+1))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(work)
		fmt.Fprintf(w, `{"results":[%s]}`, strings.Join(answer, ","))
	}))
	b.Cleanup(s.Close)
	h := newHTTP(b, rank.HTTPConfig{URL: s.URL, Batch: n})
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strings.Repeat(fmt.Sprintf("word%d ", i), 400)[:2048]
	}
	score := func() {
		if _, err := h.Score(b.Context(), "which?", texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		score()
	}
	b.ReportMetric(ratio.Median(score, func() { time.Sleep(work) }), "x-server")
}
