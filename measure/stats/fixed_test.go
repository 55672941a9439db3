package stats_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/stats"
)

func TestMcNemarAndHolmEqualTheReference(t *testing.T) {
	t.Parallel()
	var reference struct {
		McNemar []struct {
			B, C int
			P    float64
		} `json:"mcnemar_exact"`
		Holm []struct{ P, Adjusted []float64 }
	}
	load(t, "testdata/statistics.json", &reference)
	if len(reference.McNemar) != 10 || len(reference.Holm) != 5 {
		t.Fatalf("got %d and %d cases, want 10 and 5", len(reference.McNemar), len(reference.Holm))
	}
	for _, c := range reference.McNemar {
		if got := stats.McNemar(c.B, c.C); !near(got, c.P) {
			t.Errorf("McNemar(%d, %d): got %.12g, want %.12g", c.B, c.C, got, c.P)
		}
	}
	for _, c := range reference.Holm {
		given := slices.Clone(c.P)
		got := stats.Holm(c.P)
		if !slices.EqualFunc(got, c.Adjusted, near) || !slices.Equal(c.P, given) {
			t.Errorf("Holm(%v): got %v, want %v, and what was given is now %v", given, got, c.Adjusted, c.P)
		}
	}
}

func TestMcNemarEqualsItsSum(t *testing.T) {
	t.Parallel()
	for b := range 60 {
		for c := range 60 {
			tail := new(big.Int)
			for k := 0; k <= min(b, c); k++ {
				tail.Add(tail, new(big.Int).Binomial(int64(b+c), int64(k)))
			}
			want, _ := new(big.Rat).SetFrac(tail.Lsh(tail, 1), new(big.Int).Lsh(big.NewInt(1), uint(b+c))).Float64()
			want = min(1, want)
			if got := stats.McNemar(b, c); math.Abs(got-want) > 1e-9*want {
				t.Errorf("McNemar(%d, %d): got %.12g, want %.12g", b, c, got, want)
			}
		}
	}
}

func TestMcNemarOfExtremes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		b, c int
		want float64
	}{
		{0, 0, 1},
		{5, 5, 1},
		{1000000, 1000000, 1},
		{-1, 7, 1},
		{7, -1, 1},
		{1000000, 0, 0},
		{0, 1000000, 0},
		{1000000, 500000, 0}, // below 1e-308
	} {
		if got := stats.McNemar(tt.b, tt.c); got != tt.want {
			t.Errorf("McNemar(%d, %d): got %g, want %g", tt.b, tt.c, got, tt.want)
		}
	}
}

func TestHolmOfWhatIsNoP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.04}, []float64{0.04}},
		{[]float64{0, 1, 0}, []float64{0, 1, 0}},
		{[]float64{0.01, math.NaN(), -3, 2, math.Inf(1)}, []float64{0.05, 1, 1, 1, 1}},
	} {
		if got := stats.Holm(tt.p); !slices.EqualFunc(got, tt.want, near) {
			t.Errorf("Holm(%v): got %v, want %v", tt.p, got, tt.want)
		}
	}
}

// numpy drew the same questions; testdata/bootstrap.py is how.
func TestBootstrapEqualsTheReference(t *testing.T) {
	t.Parallel()
	var reference struct {
		Bootstrap []struct {
			stats.Counts
			Resamples             int
			Seed                  uint64
			Confidence, Low, High float64
		}
	}
	load(t, "testdata/bootstrap.json", &reference)
	if len(reference.Bootstrap) != 8 {
		t.Fatalf("got %d cases, want 8", len(reference.Bootstrap))
	}
	for _, c := range reference.Bootstrap {
		got, err := stats.Bootstrap(c.Counts, c.Resamples, c.Seed, c.Confidence)
		if err != nil || !near(got.Low, c.Low) || !near(got.High, c.High) {
			t.Errorf("(-want +got)\n-%+v\n+%+v (%v)", c, got, err)
		}
	}
}

func TestBootstrapRefuses(t *testing.T) {
	t.Parallel()
	one := stats.Counts{Wins: 1}
	for _, tt := range []struct {
		field      string
		k          stats.Counts
		resamples  int
		confidence float64
	}{
		{"k", stats.Counts{}, 10, 0.95},
		{"k", stats.Counts{Wins: 3, Losses: -1}, 10, 0.95},
		{"resamples", one, 0, 0.95},
		{"resamples", one, -1, 0.95},
		{"confidence", one, 10, 0},
		{"confidence", one, 10, 1},
		{"confidence", one, 10, 95},
		{"confidence", one, 10, math.NaN()},
	} {
		_, err := stats.Bootstrap(tt.k, tt.resamples, 1, tt.confidence)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != tt.field {
			t.Errorf("%+v: got %v, want a *core.ConfigError of %s", tt, err, tt.field)
		}
	}
}

// The number of questions is chosen first, from the gain that is worth seeing.
func Example_fixedNumber() {
	n, err := stats.SampleSize(0.15, 0.05, 0.05, 0.8)
	if err != nil {
		panic(err)
	}
	fmt.Println(n, "questions are needed")
	// They are asked under ranked, head-tail and reversed, and counted.
	headTail, reversed := stats.Counts{Wins: 52, Losses: 22, Same: 395}, stats.Counts{Wins: 36, Losses: 35, Same: 398}
	p := stats.Holm([]float64{
		stats.McNemar(headTail.Wins, headTail.Losses), stats.McNemar(reversed.Wins, reversed.Losses),
	})
	for i, k := range []stats.Counts{headTail, reversed} {
		gain, err := stats.Bootstrap(k, 10000, 1, 0.95)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%+.1f points, %+.1f to %+.1f, p = %.4f\n", 100*k.Difference(), 100*gain.Low, 100*gain.High, p[i])
	}
	// Output:
	// 469 questions are needed
	// +6.4 points, +3.0 to +10.0, p = 0.0013
	// +0.2 points, -3.2 to +3.8, p = 1.0000
}

func ExampleMcNemar() {
	fmt.Printf("18 wins and 2 losses: p = %.4f\n", stats.McNemar(18, 2))
	// Output: 18 wins and 2 losses: p = 0.0004
}

func ExampleHolm() {
	fmt.Printf("%.3f\n", stats.Holm([]float64{0.01, 0.04, 0.03, 0.005}))
	// Output: [0.030 0.060 0.060 0.020]
}

func ExampleBootstrap() {
	gain, err := stats.Bootstrap(stats.Counts{Wins: 18, Losses: 2, Same: 102}, 10000, 1, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%+.1f to %+.1f points\n", 100*gain.Low, 100*gain.High)
	// Output: +6.6 to +20.5 points
}

func TestCounts(t *testing.T) {
	t.Parallel()
	k := stats.Counts{Wins: 18, Losses: 2, Same: 80}
	if k.N() != 100 || k.Difference() != 0.16 || k.Discordance() != 0.2 {
		t.Errorf("got %d, %g and %g, want 100, .16 and .2", k.N(), k.Difference(), k.Discordance())
	}
	none := stats.Counts{}
	if none.N() != 0 || none.Difference() != 0 || none.Discordance() != 0 {
		t.Errorf("without a question: got %d, %g and %g, want 0", none.N(), none.Difference(), none.Discordance())
	}
}

func BenchmarkBootstrap(b *testing.B) {
	for b.Loop() {
		if _, err := stats.Bootstrap(stats.Counts{Wins: 30, Losses: 15, Same: 255}, 1000, 1, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}
