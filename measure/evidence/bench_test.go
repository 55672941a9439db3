package evidence_test

import (
	"fmt"
	"testing"

	"github.com/bookend-rag/bookend/measure/evidence"
)

// One question in seven has a winner, as with real models; or each gives part of a point.
func BenchmarkAddAndLook(b *testing.B) {
	for _, challengers := range []int{1, 5} {
		for _, size := range []float64{1, 0.01} {
			b.Run(fmt.Sprintf("challengers=%d/step=%g", challengers, size), func(b *testing.B) {
				var trial *evidence.Trial
				b.ReportAllocs()
				for n := 0; b.Loop(); n++ {
					if n%2000 == 0 {
						var err error
						if trial, err = evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, challengers); err != nil {
							b.Fatal(err)
						}
					}
					for i := range challengers {
						v := 0.0
						switch (n + i) % 14 {
						case 0:
							v = 1
						case 7:
							v = -1
						}
						if size < 1 {
							v = float64((n+i)%101)*size - 0.5
						}
						if err := trial.Add(i, v, v); err != nil {
							b.Fatal(err)
						}
					}
					trial.Look()
				}
			})
		}
	}
}

func BenchmarkVerdict(b *testing.B) {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 5)
	if err != nil {
		b.Fatal(err)
	}
	for n := range 300 {
		for i := range 5 {
			v := float64((n+i)%3 - 1)
			if err := trial.Add(i, v, v); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		trial.Verdict()
	}
}
