package run

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/fake"
)

// BenchmarkThroughput reports the share of the ideal that a run reaches against a
// server that takes 50 ms for each of 32 requests at once. It has to be 0.95.
func BenchmarkThroughput(b *testing.B) {
	const latency, concurrency = 50 * time.Millisecond, 32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(latency)
		writeAnswer(w, "an answer")
	}))
	defer server.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: concurrency}
	model := httpModel{url: server.URL, client: &http.Client{Transport: transport}, limit: 1 << 20}
	p := fake.Questions(64, 22) // 64 × 25 calls, 50 rounds of 32
	var share float64
	for b.Loop() {
		j := fake.Journal(b, fake.Path(b))
		got, err := Run(b.Context(), p, model, j, Limits{Concurrency: concurrency})
		if err != nil || got.Answered != p.Len() {
			b.Fatalf("%+v, %v", got, err)
		}
		share += (time.Duration(p.Len()/concurrency) * latency).Seconds() / got.Elapsed.Seconds()
	}
	b.ReportMetric(share/float64(b.N), "of-ideal")
}
