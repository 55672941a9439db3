package sweep

import "testing"

// BenchmarkPlan reports what building one call costs.
func BenchmarkPlan(b *testing.B) {
	p := mustPlan(b, 50, 75, nil)
	for i := 0; b.Loop(); i++ {
		if _, err := p.Call(i % p.Len()); err != nil {
			b.Fatal(err)
		}
	}
}
