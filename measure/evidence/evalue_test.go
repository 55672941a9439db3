package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/stats"
)

func load(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-9 }

// nearly is near for large numbers: 1e-9, or twelve digits.
func nearly(got, want float64) bool {
	return math.Abs(got-want) <= max(1e-9, 1e-12*math.Abs(want))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func TestEValuesEqualTheReference(t *testing.T) {
	t.Parallel()
	var reference struct {
		EPlus []struct {
			B, C     int
			LogEPlus float64 `json:"log_e_plus"`
		} `json:"e_plus"`
		Betting []struct {
			B, C, N0 int
			Down3    float64 `json:"log_e_down_03"`
			Down5    float64 `json:"log_e_down_05"`
			Up0      float64 `json:"log_e_up_0"`
		}
	}
	load(t, "testdata/sequential.json", &reference)
	if len(reference.EPlus) != 10 || len(reference.Betting) != 6 {
		t.Fatalf("got %d and %d cases, want 10 and 6", len(reference.EPlus), len(reference.Betting))
	}
	for _, c := range reference.EPlus {
		if got := evidence.LogEPlus(c.B, c.C); !near(got, c.LogEPlus) {
			t.Errorf("LogEPlus(%d, %d): got %.12g, want %.12g", c.B, c.C, got, c.LogEPlus)
		}
	}
	for _, c := range reference.Betting {
		k := stats.Counts{Wins: c.B, Losses: c.C, Same: c.N0}
		for _, line := range []struct {
			what      string
			got, want float64
		}{
			{"LogDown at .03", evidence.LogDown(0.03, k), c.Down3},
			{"LogDown at .05", evidence.LogDown(0.05, k), c.Down5},
			{"LogUp at 0", evidence.LogUp(0, k), c.Up0},
		} {
			if !near(line.got, line.want) {
				t.Errorf("%s of %+v: got %.12g, want %.12g", line.what, k, line.got, line.want)
			}
		}
	}
}

// In whole numbers e+ is 3/2 · Σ C(n, k) / (n!/((b+1)!(c+1)!)), for n = b+c+3 and k
// from c+2 to n.
func TestLogEPlusEqualsItsSum(t *testing.T) {
	t.Parallel()
	factorial := func(n int) *big.Int { return new(big.Int).MulRange(1, int64(n)) }
	for b := range 40 {
		for c := range 40 {
			n := b + c + 3
			sum := new(big.Int)
			for k := c + 2; k <= n; k++ {
				sum.Add(sum, new(big.Int).Binomial(int64(n), int64(k)))
			}
			sum.Mul(sum, factorial(b+1)).Mul(sum, factorial(c+1)).Mul(sum, big.NewInt(3))
			want, _ := new(big.Rat).SetFrac(sum, new(big.Int).Mul(factorial(n), big.NewInt(2))).Float64()
			if got := evidence.LogEPlus(b, c); !near(got, math.Log(want)) {
				t.Fatalf("LogEPlus(%d, %d): got %.12g, want %.12g", b, c, got, math.Log(want))
			}
		}
	}
}

// What makes an e-value: before the next question it is worth just what it will be
// worth on average after it, if the hypothesis holds with its limit.
func TestEValuesAreFairGames(t *testing.T) {
	t.Parallel()
	mean := func(logs []float64, shares ...float64) float64 {
		most, sum := max(logs[0], logs[1], logs[len(logs)-1]), 0.0
		for i, l := range logs {
			sum += shares[i] * math.Exp(l-most)
		}
		return most + math.Log(sum)
	}
	counts := []int{0, 1, 2, 10, 37, 400, 401, 30000, 1000000}
	for _, b := range counts {
		for _, c := range counts {
			now := evidence.LogEPlus(b, c)
			after := mean([]float64{evidence.LogEPlus(b+1, c), evidence.LogEPlus(b, c+1)}, 0.5, 0.5)
			if !finite(now) || !nearly(after, now) {
				t.Errorf("LogEPlus(%d, %d): got %.15g, and %.15g after one more", b, c, now, after)
			}
			for _, same := range []int{0, 15, 1000000} {
				for _, m := range []float64{-0.9999, -0.3, 0, 0.03, 0.5, 0.9999} {
					k := stats.Counts{Wins: b, Losses: c, Same: same}
					discordance := (1 + math.Abs(m)) / 2
					shares := []float64{(discordance + m) / 2, (discordance - m) / 2, 1 - discordance}
					win, loss, draw := k, k, k
					win.Wins++
					loss.Losses++
					draw.Same++
					for name, logE := range map[string]func(float64, stats.Counts) float64{"LogDown": evidence.LogDown, "LogUp": evidence.LogUp} {
						now := logE(m, k)
						after := mean([]float64{logE(m, win), logE(m, loss), logE(m, draw)}, shares...)
						if !finite(now) || !nearly(after, now) {
							t.Errorf("%s(%g, %+v): got %.15g, and %.15g after one more", name, m, k, now, after)
						}
					}
				}
			}
		}
	}
}

func TestEValuesOfNothing(t *testing.T) {
	t.Parallel()
	for what, got := range map[string]float64{
		"LogEPlus": evidence.LogEPlus(0, 0), "LogDown": evidence.LogDown(0.03, stats.Counts{}), "LogUp": evidence.LogUp(0.03, stats.Counts{}),
	} {
		if !near(got, 0) {
			t.Errorf("%s without a question: got %g, want 0", what, got)
		}
	}
	none := math.Inf(-1)
	one := stats.Counts{Same: 1}
	for what, got := range map[string]float64{
		"wins below 0":    evidence.LogEPlus(-1, 3),
		"losses below 0":  evidence.LogEPlus(3, -1),
		"down, wins":      evidence.LogDown(0.03, stats.Counts{Wins: -1}),
		"down, losses":    evidence.LogDown(0.03, stats.Counts{Losses: -1}),
		"up, same":        evidence.LogUp(0.03, stats.Counts{Same: -1}),
		"a gain of 1":     evidence.LogDown(1, one),
		"a gain of -1":    evidence.LogDown(-1, one),
		"a gain of 3":     evidence.LogUp(3, one),
		"a gain of NaN":   evidence.LogDown(math.NaN(), one),
		"up by NaN":       evidence.LogUp(math.NaN(), one),
		"a gain of -Inf":  evidence.LogUp(math.Inf(-1), one),
		"up by a gain -1": evidence.LogUp(-1, one),
	} {
		if got != none {
			t.Errorf("%s: got %g, want negative infinity", what, got)
		}
	}
}

// Inside is not excluded, outside is.
func TestConfidenceSequenceIsWhatIsNotExcluded(t *testing.T) {
	t.Parallel()
	for _, k := range []stats.Counts{
		{Wins: 18, Losses: 2, Same: 102},
		{Wins: 2, Losses: 18, Same: 102},
		{Wins: 75, Losses: 75, Same: 850},
		{Same: 400},
		{Wins: 30},
		{Losses: 30, Same: 1},
		{Wins: 500000, Losses: 400000, Same: 100000},
	} {
		for _, alpha := range []float64{0.001, 0.05, 0.5} {
			got, err := evidence.ConfidenceSequence(k, alpha)
			if err != nil {
				t.Fatal(err)
			}
			if d := k.Difference(); !(got.Low <= d && d <= got.High) {
				t.Errorf("%+v at %g: got %v, want it to hold the estimate %g", k, alpha, got, d)
			}
			excluded := func(m float64) bool {
				limit := math.Log(2 / alpha)
				return evidence.LogUp(m, k) >= limit || evidence.LogDown(m, k) >= limit
			}
			const step = 1e-9
			if got.Low > -1 && (!excluded(got.Low) || excluded(got.Low+step)) {
				t.Errorf("%+v at %g: got %v, want all below and nothing above the lower limit excluded", k, alpha, got)
			}
			if got.High < 1 && (!excluded(got.High) || excluded(got.High-step)) {
				t.Errorf("%+v at %g: got %v, want all above and nothing below the upper limit excluded", k, alpha, got)
			}
			if got.Low == -1 && excluded(-1+step) || got.High == 1 && excluded(1-step) {
				t.Errorf("%+v at %g: got %v, want a limit inside", k, alpha, got)
			}
			mirrored, err := evidence.ConfidenceSequence(stats.Counts{Wins: k.Losses, Losses: k.Wins, Same: k.Same}, alpha)
			if want := (stats.Interval{Low: -got.High, High: -got.Low}); err != nil || mirrored != want {
				t.Errorf("%+v at %g, mirrored: got %v (%v), want %v", k, alpha, mirrored, err, want)
			}
		}
	}
}

func TestConfidenceSequenceOfNothing(t *testing.T) {
	t.Parallel()
	got, err := evidence.ConfidenceSequence(stats.Counts{}, 0.05)
	if want := (stats.Interval{Low: -1, High: 1}); err != nil || got != want {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	for _, tt := range []struct {
		field string
		k     stats.Counts
		alpha float64
	}{
		{"alpha", stats.Counts{}, 0},
		{"alpha", stats.Counts{}, 1},
		{"alpha", stats.Counts{}, math.NaN()},
		{"k", stats.Counts{Wins: -1}, 0.05},
		{"k", stats.Counts{Losses: -1}, 0.05},
		{"k", stats.Counts{Same: -1}, 0.05},
	} {
		_, err := evidence.ConfidenceSequence(tt.k, tt.alpha)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != tt.field {
			t.Errorf("%+v at %g: got %v, want a *core.ConfigError of %s", tt.k, tt.alpha, err, tt.field)
		}
	}
}

func ExampleLogEPlus() {
	e := math.Exp(evidence.LogEPlus(12, 1))
	fmt.Printf("12 wins and 1 loss: e = %.0f, and 20 is enough at .05\n", e)
	// Output: 12 wins and 1 loss: e = 58, and 20 is enough at .05
}

func ExampleConfidenceSequence() {
	k := stats.Counts{Wins: 18, Losses: 2, Same: 102}
	gain, err := evidence.ConfidenceSequence(k, 0.05)
	if err != nil {
		panic(err)
	}
	fmt.Printf("gain %+.1f points, %+.1f to %+.1f\n", 100*k.Difference(), 100*gain.Low, 100*gain.High)
	// Output: gain +13.1 points, +1.9 to +25.3
}
