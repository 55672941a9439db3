package traffic

import "testing"

// BenchmarkLook reports what one look at 1,000 requests of ten documents costs.
func BenchmarkLook(b *testing.B) {
	s := Simulation{Curve: Planted("U", 10), Relevance: FallingRelevance(10, 0.5, 0.8), Quiet: 0.1, Spread: 0.3}
	from, r := s.source(0), newRequests(10)
	for range 1000 {
		from.next().addTo(r)
	}
	for b.Loop() {
		c := Curve{Requests: 1000, Citations: r.cited}
		c.conclude(r, r.byUnit())
		if c.Verdict == nil {
			b.Fatal(c.Finding)
		}
	}
}
