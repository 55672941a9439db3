package traffic_test

import (
	"math"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/traffic"
)

// The estimate equals the definition, written out over the entries themselves: what
// was cited in a slot, and the sum over what stood there of how often its rank was
// cited.
func TestEstimateByDefinition(t *testing.T) {
	t.Parallel()
	const n, requests = 7, 400
	var entries []record.Entry
	c := collector(t, traffic.Options{Window: time.Hour}) // requests of one second each: one window
	feed(t, c, simulation("recency", n, 11), requests, noon, func(_ int, e *record.Entry) { entries = append(entries, *e) })
	got := c.Result().Curves[0]

	rate := make([]float64, n) // of each rank
	for _, e := range entries {
		for _, rank := range e.Answer.Ranks {
			rate[rank] += 1.0 / requests
		}
	}
	cited, expected := make([]float64, n), make([]float64, n)
	for _, e := range entries {
		for slot, p := range e.Arrangement.Slots {
			expected[slot] += rate[p.Rank]
		}
		for _, rank := range e.Answer.Ranks {
			slot, _ := e.Arrangement.SlotOf(rank)
			cited[slot]++
		}
	}
	total := 0.0
	for slot, s := range got.Slots {
		total += s.Expected
		if float64(s.Cited) != cited[slot] || math.Abs(s.Expected-expected[slot]) > 1e-9 || math.Abs(s.Used-cited[slot]/expected[slot]) > 1e-9 {
			t.Errorf("slot %d: %v cited of %v by definition, found %+v", slot, cited[slot], expected[slot], s)
		}
		// The bootstrap's interval is about as wide as that of a count.
		if half := (s.High - s.Low) / 2 / s.Used; half < 1.2/math.Sqrt(cited[slot]) || half > 2.4/math.Sqrt(cited[slot]) {
			t.Errorf("slot %d: the interval reaches ±%.3f of the value, with %v citations", slot, half, cited[slot])
		}
	}
	if math.Abs(total-float64(got.Citations)) > 1e-6 {
		t.Errorf("%v are expected in all, and %d were cited", total, got.Citations)
	}
}
