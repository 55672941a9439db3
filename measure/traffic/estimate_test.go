package traffic_test

import (
	"fmt"
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
		if s.Low >= s.Used || s.High <= s.Used {
			t.Errorf("slot %d: %v is outside of its interval", slot, s)
		}
	}
	if math.Abs(total-float64(got.Citations)) > 1e-6 {
		t.Errorf("%v are expected in all, and %d were cited", total, got.Citations)
	}
}

// The standard errors are those of the jackknife, which leaves out one unit after the
// other and does everything else again. Units have one to four requests.
func TestStandardErrorsByJackknife(t *testing.T) {
	t.Parallel()
	const n, requests = 5, 600
	var units [][]record.Entry
	feed(t, collector(t, traffic.Options{}), simulation("U", n, 2), requests, noon, func(i int, e *record.Entry) {
		if i%10 == 0 || i%10 == 1 || i%10 == 3 || i%10 == 6 {
			units = append(units, nil)
		}
		e.QuestionHash = fmt.Sprint(len(units))
		units[len(units)-1] = append(units[len(units)-1], *e)
	})
	curve := func(without int) traffic.Curve {
		c := collector(t, traffic.Options{})
		for i, unit := range units {
			for _, e := range unit {
				if i != without {
					c.Add(e)
				}
			}
		}
		return c.Result().Curves[0]
	}
	all := curve(-1)
	var without [][]float64
	for i := range units {
		c := curve(i)
		row := []float64{c.Verdict.StartMiddle.Mean, c.Verdict.EndMiddle.Mean, c.Verdict.StartEnd.Mean}
		for _, s := range c.Slots {
			row = append(row, s.Used)
		}
		without = append(without, row)
	}
	// half is how far the interval of a standard error reaches to each side.
	half := func(se float64) float64 {
		u := 0.01 / (se * se)
		return se * math.Sqrt(2*(1+1/u)*(math.Log(20)+math.Log1p(u)/2))
	}
	found := []float64{all.Verdict.StartMiddle.High - all.Verdict.StartMiddle.Mean, all.Verdict.EndMiddle.High - all.Verdict.EndMiddle.Mean, all.Verdict.StartEnd.High - all.Verdict.StartEnd.Mean}
	for _, s := range all.Slots {
		found = append(found, s.High-s.Used)
	}
	for j, reach := range found {
		mean, squares, k := 0.0, 0.0, float64(len(units))
		for _, v := range without {
			mean += v[j] / k
		}
		for _, v := range without {
			squares += (v[j] - mean) * (v[j] - mean)
		}
		if want := half(math.Sqrt(squares * (k - 1) / k)); math.Abs(reach/want-1) > 0.02 {
			t.Errorf("figure %d of %d units: the interval reaches %.4f to each side, by the jackknife %.4f", j, len(units), reach, want)
		}
	}
}
