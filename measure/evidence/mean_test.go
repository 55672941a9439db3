package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
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

// repeat is a value, or a range, that comes so often.
type repeat struct {
	low, high float64
	times     int
}

func known(v float64, times int) repeat { return repeat{v, v, times} }

func add(t testing.TB, m *evidence.Mean, repeats ...repeat) *evidence.Mean {
	t.Helper()
	for _, r := range repeats {
		for range r.times {
			if err := m.Add(r.low, r.high); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

func meanOf(t testing.TB, repeats ...repeat) *evidence.Mean {
	t.Helper()
	return add(t, new(evidence.Mean), repeats...)
}

func wonAndLost(t testing.TB, won, lost, same int) *evidence.Mean {
	t.Helper()
	return meanOf(t, known(1, won), known(-1, lost), known(0, same))
}

// bettedPlainly is the formula of LogAbove as it stands, over the lower ends; below
// turns the values round.
func bettedPlainly(repeats []repeat, limit float64, below bool) float64 {
	weights := 0.0
	for j := range 40 {
		weights += math.Pow(1-(float64(j)+.5)/40, 2)
	}
	var logs []float64
	most := math.Inf(-1)
	for j := range 40 {
		share := (float64(j) + .5) / 40
		log := math.Log(math.Pow(1-share, 2) / weights)
		for _, r := range repeats {
			v, m := r.low, limit
			if below {
				v, m = -r.high, -limit
			}
			log += float64(r.times) * math.Log(1+share*(v-m)/(1+m))
		}
		logs, most = append(logs, log), max(most, log)
	}
	sum := 0.0
	for _, log := range logs {
		sum += math.Exp(log - most)
	}
	return most + math.Log(sum)
}

func TestMeanEqualsTheReference(t *testing.T) {
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
		if got := wonAndLost(t, c.B, c.C, 7).LogPlus(); !near(got, c.LogEPlus) {
			t.Errorf("e+ of %d and %d: got %.12g, want %.12g", c.B, c.C, got, c.LogEPlus)
		}
	}
	for _, c := range reference.Betting {
		m := wonAndLost(t, c.B, c.C, c.N0)
		for _, line := range []struct {
			what      string
			got, want float64
		}{
			{"below .03", m.LogBelow(0.03), c.Down3},
			{"below .05", m.LogBelow(0.05), c.Down5},
			{"above 0", m.LogAbove(0), c.Up0},
		} {
			if !near(line.got, line.want) {
				t.Errorf("%s of %+v: got %.12g, want %.12g", line.what, c, line.got, line.want)
			}
		}
	}
}

// In whole numbers e+ is 3/2 · Σ C(n, k) / (n!/((b+1)!(c+1)!)), for n = b+c+3 and k
// from c+2 to n.
func TestLogPlusEqualsItsSum(t *testing.T) {
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
			if got := wonAndLost(t, b, c, 0).LogPlus(); !near(got, math.Log(want)) {
				t.Fatalf("e+ of %d and %d: got %.12g, want %.12g", b, c, got, math.Log(want))
			}
		}
	}
}

// The integral of LogPlus by small steps, for scores that give parts of a point.
func TestLogPlusEqualsItsIntegral(t *testing.T) {
	t.Parallel()
	for _, repeats := range [][]repeat{
		{known(0.5, 1)},
		{known(-0.25, 3), known(1, 4)},
		{known(1, 20), known(-1, 10), known(0.5, 30), known(-1.0/3, 30), known(0, 9)},
		{known(0.1, 300)},
		{known(-0.1, 300)},
		{known(1, 5), {low: -0.5, high: 1, times: 2}},
	} {
		const steps = 20000
		sum := 0.0
		for i := range steps {
			l := (float64(i) + 0.5) / steps
			log := math.Log(1.5 * (1 - l*l) / steps)
			for _, r := range repeats {
				log += float64(r.times) * math.Log1p(l*r.low)
			}
			sum += math.Exp(log)
		}
		// Once asked at the end, and once after each value.
		late, early := meanOf(t, repeats...), new(evidence.Mean)
		for _, r := range repeats {
			for range r.times {
				add(t, early, repeat{r.low, r.high, 1}).LogPlus()
			}
		}
		for _, m := range []*evidence.Mean{late, early} {
			if got, want := m.LogPlus(), math.Log(sum); math.Abs(got-want) > 1e-6 {
				t.Errorf("%v: got %.9g, want %.9g", repeats, got, want)
			}
		}
	}
}

// A limit that is asked for after each value, at the end alone, or as the ninth gives the
// same, and what the formula says: for values of all kinds and ranges.
func TestLogsAreTheFormula(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		draw := rand.New(rand.NewPCG(seed, 1))
		limits := []float64{0, 0.05, -0.05, 0.9 * (2*draw.Float64() - 1), 1 - 1e-9, -1 + 1e-9}
		always, late, ninth := new(evidence.Mean), new(evidence.Mean), new(evidence.Mean)
		for i := range 8 {
			ninth.LogAbove(float64(i) / 100)
		}
		kinds := 1 + draw.IntN(40)
		repeats := make([]repeat, kinds)
		for i := range repeats {
			v := float64(draw.IntN(2*kinds+1)-kinds) / float64(kinds)
			high := v
			if draw.IntN(5) == 0 {
				high = v + (1-v)*draw.Float64()
			}
			repeats[i] = repeat{v, high, draw.IntN(1 + int(seed)*5)}
		}
		for _, r := range repeats {
			for range r.times {
				for _, m := range []*evidence.Mean{always, late, ninth} {
					add(t, m, repeat{r.low, r.high, 1})
				}
				always.LogAbove(0)
				for _, limit := range limits[:4] {
					always.LogBelow(limit)
				}
			}
		}
		for _, limit := range limits {
			for name, m := range map[string]*evidence.Mean{"always": always, "late": late, "ninth": ninth} {
				above, below := bettedPlainly(repeats, limit, false), bettedPlainly(repeats, limit, true)
				if got := m.LogAbove(limit); !(math.Abs(got-above) <= max(1e-9, 1e-9*math.Abs(above))) {
					t.Fatalf("%s: above %g of %v: got %.15g, want %.15g", name, limit, repeats, got, above)
				}
				if got := m.LogBelow(limit); !(math.Abs(got-below) <= max(1e-9, 1e-9*math.Abs(below))) {
					t.Fatalf("%s: below %g of %v: got %.15g, want %.15g", name, limit, repeats, got, below)
				}
			}
		}
	}
}

// Evidence that fell as far as it can comes back: 5,000 losses, then 20,000 wins.
func TestLogsNeitherOverflowNorForget(t *testing.T) {
	t.Parallel()
	repeats := []repeat{known(-1, 5000), known(1, 20000)}
	kept, late := new(evidence.Mean), meanOf(t, repeats...)
	for _, limit := range []float64{-0.5, 0, 0.05, 0.9} {
		kept.LogAbove(limit)
		kept.LogBelow(limit)
	}
	add(t, kept, repeats...)
	for _, limit := range []float64{-0.5, 0, 0.05, 0.9} {
		for _, m := range []*evidence.Mean{kept, late} {
			if got, want := m.LogAbove(limit), bettedPlainly(repeats, limit, false); !finite(got) || math.Abs(got-want) > 1e-6 {
				t.Errorf("above %g: got %.12g, want %.12g", limit, got, want)
			}
			if got, want := m.LogBelow(limit), bettedPlainly(repeats, limit, true); !finite(got) || math.Abs(got-want) > 1e-6 {
				t.Errorf("below %g: got %.12g, want %.12g", limit, got, want)
			}
		}
	}
}

// What makes an e-value: before the next value it is worth just what it will be worth
// on average after it, if the hypothesis holds with its limit.
func TestLogsAreFairGames(t *testing.T) {
	t.Parallel()
	average := func(logs, chances []float64) float64 {
		most, sum := math.Inf(-1), 0.0
		for _, l := range logs {
			most = max(most, l)
		}
		for i, l := range logs {
			sum += chances[i] * math.Exp(l-most)
		}
		return most + math.Log(sum)
	}
	for seed := range uint64(150) {
		draw := rand.New(rand.NewPCG(seed, 2))
		// Values with chances, whose mean is the limit: right and wrong at first, then
		// parts of a point.
		values := []float64{1, -1, 0}
		if seed%2 == 1 {
			values = []float64{draw.Float64(), -draw.Float64(), 0.25, -0.5, 1, -1}
		}
		chances, sum, limit := make([]float64, len(values)), 0.0, 0.0
		for i := range chances {
			chances[i] = draw.Float64()
			sum += chances[i]
		}
		for i := range chances {
			chances[i] /= sum
			limit += chances[i] * values[i]
		}
		var before []repeat
		for _, v := range values {
			before = append(before, known(v, draw.IntN(1+int(seed))))
		}
		now := meanOf(t, before...)
		var above, below []float64
		for _, v := range values {
			next := add(t, meanOf(t, before...), known(v, 1))
			above, below = append(above, next.LogAbove(limit)), append(below, next.LogBelow(limit))
		}
		if got, want := average(above, chances), now.LogAbove(limit); !nearly(got, want) {
			t.Errorf("above %g, values %v: %.15g now, and %.15g after one more", limit, values, want, got)
		}
		if got, want := average(below, chances), now.LogBelow(limit); !nearly(got, want) {
			t.Errorf("below %g, values %v: %.15g now, and %.15g after one more", limit, values, want, got)
		}
		// For LogPlus the mean is 0: each value comes with its mirror image.
		v := values[0]
		plus := []float64{add(t, meanOf(t, before...), known(v, 1)).LogPlus(), add(t, meanOf(t, before...), known(-v, 1)).LogPlus()}
		if got, want := average(plus, []float64{0.5, 0.5}), now.LogPlus(); math.Abs(got-want) > 1e-6 {
			t.Errorf("plus, ±%g: %.15g now, and %.15g after one more", v, want, got)
		}
	}
}

// A value that is not known speaks for nothing: wherever in its range it really lies,
// the evidence would be as large or larger, to either side.
func TestRangesNeverRaiseEvidence(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 3))
		ranged, real := new(evidence.Mean), new(evidence.Mean)
		for range 1 + draw.IntN(60) {
			v := float64(draw.IntN(9)-4) / 4
			low, high := v, v
			if draw.IntN(3) == 0 {
				low, high = v-(v+1)*draw.Float64(), v+(1-v)*draw.Float64()
			}
			add(t, ranged, repeat{low, high, 1})
			add(t, real, known(v, 1))
		}
		for _, limit := range []float64{-0.3, 0, 0.05} {
			if r, k := ranged.LogAbove(limit), real.LogAbove(limit); r > k+1e-9 {
				t.Errorf("above %g: %g with ranges, %g with the values", limit, r, k)
			}
			if r, k := ranged.LogBelow(limit), real.LogBelow(limit); r > k+1e-9 {
				t.Errorf("below %g: %g with ranges, %g with the values", limit, r, k)
			}
		}
		if r, k := ranged.LogPlus(), real.LogPlus(); r > k+1e-9 {
			t.Errorf("plus: %g with ranges, %g with the values", r, k)
		}
		wide, narrow := interval(t, ranged, 0.05), interval(t, real, 0.05)
		if wide.Low > narrow.Low+1e-9 || wide.High < narrow.High-1e-9 || wide.Low >= wide.High {
			t.Errorf("the interval is %v with ranges, %v with the values", wide, narrow)
		}
		if ranged.Len() != real.Len() {
			t.Errorf("got %d values, want %d", ranged.Len(), real.Len())
		}
	}
	// The whole range says nothing at all of a mean above or below its ends.
	m := meanOf(t, repeat{-1, 1, 50})
	if m.LogAbove(0) > 0 || m.LogBelow(0) > 0 || m.LogPlus() > 0 || m.Value() != 0 || m.Square() != 0 || m.Len() != 50 {
		t.Errorf("50 unknown values: above %g, below %g, plus %g, mean %g, square %g",
			m.LogAbove(0), m.LogBelow(0), m.LogPlus(), m.Value(), m.Square())
	}
	if got, want := interval(t, m, 0.05), (stats.Interval{Low: -1, High: 1}); got != want {
		t.Errorf("50 unknown values: got %v, want %v", got, want)
	}
}

func TestMeanOfNothing(t *testing.T) {
	t.Parallel()
	var m evidence.Mean
	for what, got := range map[string]float64{
		"above": m.LogAbove(0.03), "below": m.LogBelow(0.03), "plus": m.LogPlus(), "value": m.Value(), "square": m.Square(), "length": float64(m.Len()),
	} {
		if !near(got, 0) {
			t.Errorf("%s: got %g, want 0", what, got)
		}
	}
	if got, want := interval(t, &m, 0.05), (stats.Interval{Low: -1, High: 1}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMeanRefuses(t *testing.T) {
	t.Parallel()
	m := meanOf(t, known(1, 3), known(-0.5, 2))
	for _, r := range [][2]float64{{1.1, 1.1}, {-1.1, 0}, {0.5, 0.4}, {math.NaN(), 0}, {0, math.NaN()}, {0, math.Inf(1)}, {math.NaN(), math.NaN()}} {
		err := m.Add(r[0], r[1])
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != "value" {
			t.Errorf("%v: got %v, want a *core.ConfigError of value", r, err)
		}
	}
	if m.Len() != 5 || !near(m.Value(), 0.4) || !near(m.Square(), 0.7) {
		t.Errorf("got %d values of mean %g and square %g, want 5 of .4 and .7: what is refused is not counted", m.Len(), m.Value(), m.Square())
	}
	for _, limit := range []float64{1, -1, 3, -3, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if above, below := m.LogAbove(limit), m.LogBelow(limit); !math.IsInf(above, -1) || !math.IsInf(below, -1) {
			t.Errorf("a limit of %g: got %g and %g, want negative infinity", limit, above, below)
		}
	}
	for _, alpha := range []float64{0, 1, -1, math.NaN()} {
		_, err := m.Interval(alpha)
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) || e.Field != "alpha" {
			t.Errorf("alpha %g: got %v, want a *core.ConfigError of alpha", alpha, err)
		}
	}
}

func interval(t testing.TB, m *evidence.Mean, alpha float64) stats.Interval {
	t.Helper()
	i, err := m.Interval(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Inside is not excluded, outside is.
func TestIntervalIsWhatIsNotExcluded(t *testing.T) {
	t.Parallel()
	for _, repeats := range [][]repeat{
		{known(1, 18), known(-1, 2), known(0, 102)},
		{known(1, 75), known(-1, 75), known(0, 850)},
		{known(0, 400)},
		{known(1, 30)},
		{known(-1, 30), known(0, 1)},
		{known(0.5, 30), known(-0.25, 40), known(1, 7)},
		{known(1, 50000), known(-1, 40000), known(0, 10000)},
	} {
		var mirrored []repeat
		for _, r := range repeats {
			mirrored = append(mirrored, known(-r.low, r.times))
		}
		m, mirror := meanOf(t, repeats...), meanOf(t, mirrored...)
		for _, alpha := range []float64{0.001, 0.05, 0.5} {
			got := interval(t, m, alpha)
			if v := m.Value(); !(got.Low <= v && v <= got.High) {
				t.Errorf("%v at %g: got %v, want it to hold the mean %g", repeats, alpha, got, v)
			}
			excluded := func(limit float64) bool {
				log := math.Log(2 / alpha)
				return m.LogAbove(limit) >= log || m.LogBelow(limit) >= log
			}
			const step = 1e-9
			if got.Low > -1 && (!excluded(got.Low-step) || excluded(got.Low+step)) {
				t.Errorf("%v at %g: got %v, want all below and nothing above the lower limit excluded", repeats, alpha, got)
			}
			if got.High < 1 && (!excluded(got.High+step) || excluded(got.High-step)) {
				t.Errorf("%v at %g: got %v, want all above and nothing below the upper limit excluded", repeats, alpha, got)
			}
			if got.Low == -1 && excluded(-1+step) || got.High == 1 && excluded(1-step) {
				t.Errorf("%v at %g: got %v, want a limit inside", repeats, alpha, got)
			}
			if i, want := interval(t, mirror, alpha), (stats.Interval{Low: -got.High, High: -got.Low}); i != want {
				t.Errorf("%v at %g, mirrored: got %v, want %v", repeats, alpha, i, want)
			}
		}
	}
}

// Five answers without any spread are no certainty.
func TestIntervalOfFewValuesIsWide(t *testing.T) {
	t.Parallel()
	if i := interval(t, meanOf(t, known(0, 5)), 0.05); i.Low > -0.4 || i.High < 0.4 {
		t.Errorf("five ties: got %v, want a wide interval", i)
	}
}

func TestMeanAllocatesNothing(t *testing.T) {
	m := meanOf(t, known(1, 1), known(-0.5, 1), known(0, 1))
	n := 0
	if allocs := testing.AllocsPerRun(200, func() {
		n++
		add(t, m, repeat{[]float64{1, 0, -0.5}[n%3], 1, 1}, known(0, 1))
		m.LogAbove(0)
		m.LogBelow(0.05)
		m.LogPlus()
	}); allocs != 0 {
		t.Errorf("got %g allocations a value, want none", allocs)
	}
}

func ExampleMean() {
	var gain evidence.Mean
	for question := range 60 {
		difference := 0.0 // of two scores
		switch question % 5 {
		case 1:
			difference = 1
		case 2:
			difference = 0.5
		case 3:
			difference = -0.25
		}
		if err := gain.Add(difference, difference); err != nil {
			panic(err)
		}
	}
	i, err := gain.Interval(0.05)
	if err != nil {
		panic(err)
	}
	fmt.Printf("mean %+.2f, %+.2f to %+.2f\n", gain.Value(), i.Low, i.High)
	fmt.Printf("above 0: e = %.0f; 20 is enough at .05\n", math.Exp(gain.LogPlus()))
	// Output:
	// mean +0.25, +0.05 to +0.44
	// above 0: e = 863; 20 is enough at .05
}

func ExampleMean_LogPlus() {
	var m evidence.Mean
	for question := range 13 {
		won := 1.0
		if question == 4 {
			won = -1
		}
		if err := m.Add(won, won); err != nil {
			panic(err)
		}
	}
	fmt.Printf("12 wins and 1 loss: e = %.0f, and 20 is enough at .05\n", math.Exp(m.LogPlus()))
	// Output: 12 wins and 1 loss: e = 58, and 20 is enough at .05
}
