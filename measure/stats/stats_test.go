package stats_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

func TestWilsonEqualsTheReference(t *testing.T) {
	t.Parallel()
	for _, c := range loadReference(t).Wilson {
		got, err := stats.Wilson(c.Successes, c.N, c.Confidence)
		if err != nil || !near(got.Low, c.Low) || !near(got.High, c.High) {
			t.Errorf("%d of %d at %g: got %v (%v), want %.12g to %.12g", c.Successes, c.N, c.Confidence, got, err, c.Low, c.High)
		}
	}
}

func TestWilsonStaysWithinItsRange(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 400; n++ {
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99} {
			none, err1 := stats.Wilson(0, n, confidence)
			all, err2 := stats.Wilson(n, n, confidence)
			if err1 != nil || err2 != nil || none.Low < 0 || all.High > 1 {
				t.Fatalf("n = %d at %g: got %v and %v, want them within 0 to 1", n, confidence, none, all)
			}
		}
	}
}

func TestCochranQEqualsTheReference(t *testing.T) {
	t.Parallel()
	for i, c := range loadReference(t).CochranQ {
		m := len(c.Rows[0])
		got := stats.CochranQ(outcomesOf(t, m, slotsUpTo(m), c.Rows...))
		if !near(got.Q, c.Q) || !near(got.P, c.P) || got.DF != c.DF {
			t.Errorf("case %d: got %+v, want Q %.12g, df %d, p %.12g", i, got, c.Q, c.DF, c.P)
		}
	}
}

func TestCochranQWithoutAnyDifference(t *testing.T) {
	t.Parallel()
	for _, o := range []stats.Outcomes{
		outcomesOf(t, 3, []int{0, 1, 2}, "111", "000"), outcomesOf(t, 3, []int{1}, "1", "0"),
	} {
		if got, want := stats.CochranQ(o), (stats.Cochran{DF: len(o.Slots()) - 1, P: 1}); got != want {
			t.Errorf("%d slots: got %+v, want %+v", len(o.Slots()), got, want)
		}
	}
	if got, want := stats.CochranQ(stats.Outcomes{}), (stats.Cochran{P: 1}); got != want {
		t.Errorf("no outcomes: got %+v, want %+v", got, want)
	}
}

func TestSampleSizeEqualsTheReference(t *testing.T) {
	t.Parallel()
	for _, c := range loadReference(t).SampleSize {
		got, err := stats.SampleSize(c.Discordance, c.Difference, c.Alpha, c.Power)
		if err != nil || got != c.N {
			t.Errorf("%+v: got %d (%v)", c, got, err)
		}
	}
}

// The smallest difference that n questions show is the one whose sample size is n.
func TestMinimumDetectableInvertsSampleSize(t *testing.T) {
	t.Parallel()
	for _, discordance := range []float64{0.01, 0.15, 0.4, 1} {
		for _, alpha := range []float64{0.01, 0.05, 0.32} {
			for _, power := range []float64{0.5, 0.5 + 1e-9, 0.8, 0.99} {
				for _, share := range []float64{0.02, 0.3, 0.9, 1} {
					difference := discordance * share
					n, err := stats.SampleSize(discordance, difference, alpha, power)
					if err != nil {
						t.Fatal(err)
					}
					got, err := stats.MinimumDetectable(n, discordance, alpha, power)
					if err != nil || !(got <= difference+1e-9) || got > discordance {
						t.Errorf("n %d, discordance %g, alpha %g, power %g: got %g (%v), want at most %g", n, discordance, alpha, power, got, err, difference)
					}
					if n < 2 {
						continue
					}
					if got, err := stats.MinimumDetectable(n-1, discordance, alpha, power); err == nil && !(got >= difference-1e-9) {
						t.Errorf("n %d, discordance %g, alpha %g, power %g: got %g, want at least %g", n-1, discordance, alpha, power, got, difference)
					}
				}
			}
		}
	}
}

func TestStatisticsRefuse(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	wilson := func(k, n int, c float64) error { _, err := stats.Wilson(k, n, c); return err }
	size := func(d, diff, a, p float64) error { _, err := stats.SampleSize(d, diff, a, p); return err }
	least := func(n int, d, a, p float64) error { _, err := stats.MinimumDetectable(n, d, a, p); return err }
	flips := func(a, b []bool, c float64) error { _, err := stats.FlipRate(a, b, c); return err }
	spread := func(o stats.Outcomes, n int) error { _, err := stats.BestWorst(o, n, 1); return err }
	one := outcomesOf(t, 2, []int{0, 1}, "10")
	for _, tt := range []struct {
		name, field string
		err         error
	}{
		{"Wilson of nothing", "n", wilson(0, 0, 0.95)},
		{"Wilson below 0", "k", wilson(-1, 3, 0.95)},
		{"Wilson above n", "k", wilson(4, 3, 0.95)},
		{"Wilson at 95", "confidence", wilson(1, 3, 95)},
		{"Wilson at 1", "confidence", wilson(1, 3, 1)},
		{"Wilson at 0", "confidence", wilson(1, 3, 0)},
		{"Wilson at NaN", "confidence", wilson(1, 3, nan)},
		{"size: no discordance", "discordance", size(0, 0, 0.05, 0.8)},
		{"size: per cent", "discordance", size(15, 5, 0.05, 0.8)},
		{"size: NaN", "discordance", size(nan, 0.05, 0.05, 0.8)},
		{"size: no difference", "difference", size(0.15, 0, 0.05, 0.8)},
		{"size: difference above discordance", "difference", size(0.15, 0.16, 0.05, 0.8)},
		{"size: NaN difference", "difference", size(0.15, nan, 0.05, 0.8)},
		{"size: too many", "difference", size(0.15, 1e-9, 0.05, 0.8)},
		{"size: power .4", "power", size(0.15, 0.05, 0.05, 0.4)},
		{"size: power 1", "power", size(0.15, 0.05, 0.05, 1)},
		{"size: alpha 0", "alpha", size(0.15, 0.05, 0, 0.8)},
		{"size: alpha 1", "alpha", size(0.15, 0.05, 1, 0.8)},
		{"least: few questions", "n", least(40, 0.15, 0.05, 0.8)},
		{"least: no question", "n", least(0, 0.15, 0.05, 0.8)},
		{"least: power", "power", least(40, 0.15, 0.05, 8)},
		{"flips: lengths", "again", flips([]bool{true}, nil, 0.95)},
		{"flips: none", "again", flips(nil, nil, 0.95)},
		{"flips: confidence", "confidence", flips([]bool{true}, []bool{true}, 95)},
		{"spread: no permutation", "permutations", spread(one, 0)},
		{"spread: no question", "o", spread(stats.Outcomes{}, 1)},
	} {
		if e := (*core.ConfigError)(nil); !errors.As(tt.err, &e) || e.Field != tt.field {
			t.Errorf("%s: got %v, want a *core.ConfigError of %s", tt.name, tt.err, tt.field)
		}
	}
}

func TestFlipRate(t *testing.T) {
	t.Parallel()
	got, err := stats.FlipRate([]bool{true, true, false, false, true}, []bool{true, false, false, true, true}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	interval, _ := stats.Wilson(2, 5, 0.95)
	if want := (stats.Flips{Flips: 2, Pairs: 5, Rate: 0.4, Interval: interval}); got != want {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
}

// One question that is right once in m slots has a spread of 1 however it is dealt;
// questions that are right everywhere or nowhere have none.
func TestBestWorstOfCertainDeals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o        stats.Outcomes
		observed float64
		byChance float64
	}{
		{outcomesOf(t, 4, slotsUpTo(4), "0100"), 1, 1},
		{outcomesOf(t, 4, slotsUpTo(4), "1111", "0000"), 0, 0},
		{outcomesOf(t, 4, slotsUpTo(4), "1111", "0001"), 0.5, 0.5},
		{outcomesOf(t, 4, []int{2}, "1", "0"), 0, 0},
	} {
		got, err := stats.BestWorst(tt.o, 10, 1)
		want := stats.Spread{Observed: tt.observed, ByChance: tt.byChance, Permutations: 10}
		if err != nil || got != want {
			t.Errorf("(-want +got)\n-%+v\n+%+v (%v)", want, got, err)
		}
	}
}

// Two questions, each right in one of two slots: the spread is 1 when both are dealt
// to the same slot and 0 otherwise, each half of the time. With three slots and one
// question right in two of them beside one right in one: 2 of 3 deals put all in
// different counts (2, 1, 0: spread 1), the others leave 1, 1, 1.
func TestBestWorstDealsEvenly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    stats.Outcomes
		want float64
	}{
		{outcomesOf(t, 2, slotsUpTo(2), "10", "10"), 0.5},
		{outcomesOf(t, 3, slotsUpTo(3), "110", "100"), 2.0 / 3},
	} {
		got, err := stats.BestWorst(tt.o, 40000, 7) // standard error 0.0025
		if err != nil || math.Abs(got.ByChance-tt.want) > 0.015 {
			t.Errorf("got %+v (%v), want %.3f by chance", got, err, tt.want)
		}
		again, _ := stats.BestWorst(tt.o, 40000, 7)
		other, _ := stats.BestWorst(tt.o, 40000, 8)
		if got != again || reflect.DeepEqual(got, other) {
			t.Errorf("seed 7 gave %v and %v, seed 8 %v, want the first two alike and the last one not", got, again, other)
		}
	}
}

// A flat reader shows a spread, and chance explains it.
func TestBestWorstExplainsAFlatReader(t *testing.T) {
	t.Parallel()
	reader, err := simulate.NewNamedReader("flat", 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, err := reader.Outcomes(300, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := stats.BestWorst(o, 200, 1)
	if err != nil || got.Observed < 0.02 || math.Abs(got.Observed-got.ByChance) > 0.04 {
		t.Errorf("got %+v (%v), want a spread that chance explains", got, err)
	}
}

func ExampleWilson() {
	interval, err := stats.Wilson(54, 100, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f to %.3f\n", interval.Low, interval.High)
	// Output: 0.443 to 0.634
}

func ExampleCochranQ() {
	o, err := stats.NewOutcomes(3, []int{0, 1, 2}, [][]bool{
		{true, false, false}, {true, true, false}, {true, false, false}, {true, false, true}, {true, false, false}, {false, false, false},
	})
	if err != nil {
		panic(err)
	}
	q := stats.CochranQ(o)
	fmt.Printf("Q = %.2f, df = %d, p = %.3f\n", q.Q, q.DF, q.P)
	// Output: Q = 6.40, df = 2, p = 0.041
}

func ExampleBestWorst() {
	reader, err := simulate.NewNamedReader("flat", 10, 1)
	if err != nil {
		panic(err)
	}
	o, err := reader.Outcomes(100, nil)
	if err != nil {
		panic(err)
	}
	s, err := stats.BestWorst(o, 1000, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("best and worst slot differ by %.2f; chance alone makes %.2f\n", s.Observed, s.ByChance)
	// Output: best and worst slot differ by 0.06; chance alone makes 0.08
}

func ExampleFlipRate() {
	f, err := stats.FlipRate([]bool{true, true, false, true}, []bool{true, false, false, true}, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d of %d flipped (%.2f to %.2f)\n", f.Flips, f.Pairs, f.Low, f.High)
	// Output: 1 of 4 flipped (0.05 to 0.70)
}

func ExampleSampleSize() {
	n, err := stats.SampleSize(0.15, 0.05, 0.05, 0.8)
	if err != nil {
		panic(err)
	}
	fmt.Println(n, "questions to see 5 points")
	// Output: 469 questions to see 5 points
}

func ExampleMinimumDetectable() {
	difference, err := stats.MinimumDetectable(100, 0.15, 0.05, 0.8)
	if err != nil {
		panic(err)
	}
	fmt.Printf("100 questions show %.1f points or more\n", 100*difference)
	// Output: 100 questions show 10.7 points or more
}
