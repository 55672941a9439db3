package traffic_test

import (
	"fmt"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// Simulated traffic stands in for files here, which Collector.ReadFile reads.
func Example() {
	collector, err := traffic.NewCollector(traffic.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	planted := traffic.Simulation{
		Curve: []float64{1.5, 1, 0.6, 0.6, 1, 1.3}, Relevance: traffic.FallingRelevance(6, 0.5, 0.8), Seed: 1,
	}
	err = planted.Entries(5000, time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), func(e record.Entry) error {
		collector.Add(e)
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	curve := collector.Result().Curves[0]
	fmt.Println(curve.Finding)
	order, err := core.Order(core.Measured{Curve: curve.Curve}, 6)
	fmt.Println(order, err)
	// Output:
	// U: documents at both ends are used more than those in the middle. Estimates run from 0.58 times the average in slot 4 to 1.50 times in slot 1 (5000 shuffled requests).
	// [0 3 4 5 2 1] <nil>
}
