package evidence_test

import (
	"fmt"
	"testing"

	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/stats"
)

// One question in seven has a winner, as with real models.
func BenchmarkAdd(b *testing.B) {
	for _, challengers := range []int{1, 5} {
		b.Run(fmt.Sprintf("challengers=%d", challengers), func(b *testing.B) {
			trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, challengers)
			if err != nil {
				b.Fatal(err)
			}
			right := make([]bool, challengers)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				for i := range right {
					right[i] = (n+i)%7 == 0
				}
				if _, err := trial.Add(n%14 == 0, right); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerdict(b *testing.B) {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 5)
	if err != nil {
		b.Fatal(err)
	}
	for n := range 300 {
		if _, err := trial.Add(n%2 == 0, []bool{true, n%3 == 0, n%5 == 0, false, n%2 == 0}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		trial.Verdict()
	}
}

func BenchmarkBootstrap(b *testing.B) {
	for b.Loop() {
		if _, err := stats.Bootstrap(stats.Counts{Wins: 30, Losses: 15, Same: 255}, 1000, 1, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
