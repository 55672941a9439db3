package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/stats"
)

func newTrial(t *testing.T, rule evidence.Rule, challengers int) *evidence.Trial {
	t.Helper()
	trial, err := evidence.NewTrial(rule, challengers)
	if err != nil {
		t.Fatal(err)
	}
	return trial
}

// ask adds one question n times: what each challenger gains by it.
func ask(t *testing.T, trial *evidence.Trial, n int, differences ...float64) evidence.Word {
	t.Helper()
	word := trial.Look()
	for range n {
		for i, d := range differences {
			if err := trial.Add(i, d, d); err != nil {
				t.Fatal(err)
			}
		}
		word = trial.Look()
	}
	return word
}

// count is what one challenger won, lost, and had as the baseline.
type count struct{ wins, losses, same int }

// askCounts adds the values of each challenger, one challenger after the other.
func askCounts(t *testing.T, trial *evidence.Trial, counts []count) {
	t.Helper()
	for i, k := range counts {
		for _, values := range []struct {
			v     float64
			times int
		}{{1, k.wins}, {-1, k.losses}, {0, k.same}} {
			for range values.times {
				if err := trial.Add(i, values.v, values.v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	trial.Look()
}

// starOf is e* of challenger j by its definition: the least mean of all sets of
// challengers that j is in.
func starOf(means []*evidence.Mean, j int) float64 {
	least := math.Inf(1)
	for set := range 1 << len(means) {
		if set>>j&1 == 0 {
			continue
		}
		sum, size := 0.0, 0.0
		for i, m := range means {
			if set>>i&1 == 1 {
				sum += math.Exp(m.LogPlus())
				size++
			}
		}
		least = min(least, sum/size)
	}
	return math.Log(least)
}

// After each question the trial says just what the means of its challengers say: for right
// and wrong answers, for graded scores, with values that are not known, and with
// challengers that are not asked any more.
func TestTrialFollowsItsRule(t *testing.T) {
	t.Parallel()
	words := map[evidence.Word]int{}
	for _, kind := range []string{"right and wrong", "graded", "with ranges", "not all asked"} {
		for _, challengers := range []int{1, 3} {
			for seed := range uint64(4) {
				rule := evidence.Rule{Alpha: 0.2, Worthwhile: 0.1}
				limit := math.Log(1 / rule.Alpha)
				trial := newTrial(t, rule, challengers)
				draw := rand.New(rand.NewPCG(seed, uint64(challengers)))
				means, best := make([]*evidence.Mean, challengers), make([]float64, challengers)
				for i := range means {
					means[i] = new(evidence.Mean)
				}
				for n := 1; n <= 150; n++ {
					for i, m := range means {
						if kind == "not all asked" && n > 20*(i+1) && i < 2 && challengers > 1 {
							continue
						}
						v := 0.0
						if draw.IntN(10) < 4 {
							v = -1
							if draw.IntN(10) < 2+int(seed)*2 {
								v = 1
							}
						}
						if kind == "graded" {
							v *= float64(1+draw.IntN(4)) / 4
						}
						low, high := v, v
						if kind == "with ranges" && draw.IntN(6) == 0 {
							low, high = min(v, 0), max(v, 0)+1-max(v, 0)
						}
						add(t, m, repeat{low, high, 1})
						if err := trial.Add(i, low, high); err != nil {
							t.Fatal(err)
						}
					}
					word, got := trial.Look(), trial.Verdict()
					winner, kept := -1, 0
					for i, m := range means {
						star, down := starOf(means, i), m.LogBelow(rule.Worthwhile)
						best[i] = max(best[i], star)
						want := evidence.Standing{
							Units: m.Len(), Difference: m.Value(), Discordance: m.Square(), LogDown: down,
							Excluded: down >= limit,
						}
						e := got.Challengers[i]
						if want.Sequence = e.Sequence; n%25 == 0 {
							want.Sequence = interval(t, m, rule.Alpha)
						}
						if !near(e.LogE, star) || !near(e.P, math.Exp(-best[i])) || !near(e.LogDown, down) {
							t.Fatalf("%s, question %d, challenger %d of %d: got %+v, want e* %.12g, p %.12g, down %.12g",
								kind, n, i, challengers, e, star, math.Exp(-best[i]), down)
						}
						if e.LogE, e.P, e.LogDown = 0, 0, down; e != want {
							t.Fatalf("%s, question %d, challenger %d of %d (-want +got)\n-%+v\n+%+v", kind, n, i, challengers, want, e)
						}
						if trial.Excluded(i) != want.Excluded {
							t.Fatalf("%s, question %d: Excluded says %t", kind, n, !want.Excluded)
						}
						if want.Excluded {
							kept++
						} else if star >= limit && (winner < 0 || m.Value() > means[winner].Value()) {
							winner = i
						}
					}
					want := evidence.Inconclusive
					if winner >= 0 {
						want = evidence.Reorder
					} else if kept == challengers {
						want = evidence.Keep
					}
					if word != want || got.Word != want || got.Winner != winner || (got.More != nil) != (want == evidence.Inconclusive) {
						t.Fatalf("%s, question %d of %d challengers: Look says %s, want %s by %d; verdict %+v", kind, n, challengers, word, want, winner, got)
					}
					words[want]++
				}
			}
		}
	}
	for _, w := range []evidence.Word{evidence.Reorder, evidence.Keep, evidence.Inconclusive} {
		if words[w] < 200 {
			t.Errorf("%d looks said %s, want 200 or more, else the test shows little", words[w], w)
		}
	}
}

func TestTrialNamesTheLargestGain(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 4)
	ask(t, trial, 40, 1, 1, 1, 0)
	ask(t, trial, 10, 0, 1, 1, 0)
	word := ask(t, trial, 60, 0, 0, 0, -1)
	if v := trial.Verdict(); word != evidence.Reorder || v.Winner != 1 {
		t.Errorf("got %s by %d, want reorder by 1: challengers 1 and 2 win 50 of 110, 0 wins 40, 3 loses", word, v.Winner)
	}
}

// Half a point each time is worth as much as a mean of one half.
func TestTrialOfGradedScores(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 2)
	word := ask(t, trial, 40, 0.5, 0.001)
	v := trial.Verdict()
	if word != evidence.Reorder || v.Winner != 0 || !near(v.Challengers[0].Difference, 0.5) || !near(v.Challengers[0].Discordance, 0.25) {
		t.Errorf("got %s and %+v, want reorder by 0, whose mean gain is .5", word, v)
	}
	if d := v.Challengers[1].Difference; !near(d, 0.001) {
		t.Errorf("got a gain of %g, want .001", d)
	}
}

// A gain above 0 and below the worthwhile one is proved small: that is Keep.
func TestTrialKeepsWhereTheGainIsProvedSmall(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.5}, 1)
	ask(t, trial, 100, 0)
	word := ask(t, trial, 20, 1)
	v := trial.Verdict()
	if e := v.Challengers[0]; word != evidence.Keep || v.Winner != -1 || !e.Excluded || e.LogE < math.Log(20) || e.Sequence.Low <= 0 {
		t.Errorf("got %s and %+v, want keep, with a gain above 0", word, v)
	}
}

// A good challenger does not wait for the poor ones, and Keep waits for all.
func TestTrialWithUnequalChallengers(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.05}, 2)
	ask(t, trial, 300, 0, -1)
	if v := trial.Verdict(); v.Word != evidence.Keep {
		t.Errorf("one never differs and one loses all: got %+v, want keep", v)
	}
	if word := ask(t, trial, 150, 1, -1); word != evidence.Reorder {
		t.Errorf("one wins: got %s, want reorder", word)
	}
}

// What is missing speaks for neither word: failures that would decide leave it open.
func TestTrialWithValuesThatAreNotKnown(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	word := ask(t, trial, 12, 1)
	if word != evidence.Reorder {
		t.Fatalf("12 wins: got %s, want reorder", word)
	}
	for range 12 {
		if err := trial.Add(0, -1, 1); err != nil {
			t.Fatal(err)
		}
	}
	v := trial.Verdict()
	if e := v.Challengers[0]; trial.Look() != evidence.Inconclusive || e.Units != 24 || e.Difference != 1 {
		t.Errorf("12 more that failed: got %+v, want inconclusive", v)
	}
}

func TestTrialRemembersItsBestLook(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	if p := trial.Verdict().Challengers[0].P; p != 1 {
		t.Errorf("no question: p = %g, want 1", p)
	}
	ask(t, trial, 12, 1)
	ask(t, trial, 12, -1)
	e := trial.Verdict().Challengers[0]
	most, now := wonAndLost(t, 12, 0, 0).LogPlus(), wonAndLost(t, 12, 12, 0).LogPlus()
	if !near(e.P, math.Exp(-most)) || e.LogE != now {
		t.Errorf("got p %g and log e %g, want %g of the best look and %g of this one", e.P, e.LogE, math.Exp(-most), now)
	}
	lost := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	ask(t, lost, 30, -1)
	if p := lost.Verdict().Challengers[0].P; p != 1 {
		t.Errorf("30 losses: p = %g, want 1", p)
	}
}

func TestTrialSaysWhatWouldSettleIt(t *testing.T) {
	t.Parallel()
	const third = 1.0 / 3
	for _, tt := range []struct {
		name   string
		rule   evidence.Rule
		counts []count
		want   *evidence.More
	}{
		{"no question", evidence.Rule{Worthwhile: 0.03}, []count{{}}, nil},
		{
			"gains 6 points of 100",
			evidence.Rule{Worthwhile: 0.03},
			[]count{{wins: 10, losses: 4, same: 86}},
			&evidence.More{Word: evidence.Reorder, Questions: 164}, // 2·.14·ln(20)/.06² = 233.001
		},
		{
			"gains nothing",
			evidence.Rule{Worthwhile: 0.03},
			[]count{{wins: 7, losses: 7, same: 86}},
			&evidence.More{Word: evidence.Keep, Questions: 911}, // 2·.14·ln(20)/.03² = 932.004
		},
		{
			"nearer to 0 than to the worthwhile gain",
			evidence.Rule{Worthwhile: 0.1},
			[]count{{wins: 4, losses: 1, same: 75}},
			&evidence.More{Word: evidence.Keep, Questions: 61}, // 2·.0625·ln(20)/.0625² = 95.9
		},
		{
			"the second of three wins",
			evidence.Rule{Worthwhile: 0.03},
			[]count{{wins: 5, losses: 5, same: 90}, {wins: 10, losses: 2, same: 88}, {wins: 1, losses: 9, same: 90}},
			&evidence.More{Word: evidence.Reorder, Challenger: 1, Questions: 70}, // 2·.12·ln(60)/.08² = 153.5
		},
		{
			"keep waits for the last of three",
			evidence.Rule{Worthwhile: 0.1},
			[]count{{wins: 5, losses: 6, same: 89}, {wins: 2, losses: 5, same: 93}, {wins: 10, losses: 10, same: 80}},
			&evidence.More{Word: evidence.Keep, Challenger: 2, Questions: 54}, // 2·.2·ln(20)/.1² = 119.8
		},
		{
			"never any difference",
			evidence.Rule{Worthwhile: 0.03},
			[]count{{same: 40}},
			&evidence.More{Word: evidence.Keep, Questions: 148}, // 2·(1/40)·ln(20)/.03² = 166.4
		},
		{
			"as many as should do",
			evidence.Rule{Worthwhile: 0.1},
			[]count{{same: 30}},
			&evidence.More{Word: evidence.Keep, Questions: 14}, // 2·(1/30)·ln(20)/.1² = 20.0
		},
		{
			"who is excluded is not waited for",
			evidence.Rule{Worthwhile: 0.1},
			[]count{{losses: 40, same: 60}, {wins: 10, losses: 10, same: 80}},
			&evidence.More{Word: evidence.Keep, Challenger: 1, Questions: 54}, // as above
		},
		{
			"who is excluded will not win",
			evidence.Rule{Worthwhile: 0.2},
			[]count{{wins: 4, same: 96}, {wins: 32, losses: 22, same: 46}},
			&evidence.More{Word: evidence.Keep, Challenger: 1, Questions: 289}, // 2·.54·ln(20)/.1² = 323.5
		},
		{
			"another alpha",
			evidence.Rule{Worthwhile: 0.03, Alpha: third},
			[]count{{wins: 4, losses: 3, same: 13}},
			&evidence.More{Word: evidence.Reorder, Questions: 385}, // 2·.35·ln(3)/.05² = 307.6
		},
		{
			"a tiny gain matters",
			evidence.Rule{Worthwhile: 1e-9},
			[]count{{wins: 1, losses: 1, same: 1}},
			&evidence.More{Word: evidence.Keep, Questions: math.MaxInt32},
		},
	} {
		// The comments give all questions by the rough formula; what is wanted is what
		// the evidence lacks, which is behind it by the price of not knowing the gain.
		trial := newTrial(t, tt.rule, len(tt.counts))
		askCounts(t, trial, tt.counts)
		got := trial.Verdict()
		if got.Word != evidence.Inconclusive || !reflect.DeepEqual(got.More, tt.want) {
			t.Errorf("%s: got %s and %+v, want inconclusive and %+v", tt.name, got.Word, got.More, tt.want)
		}
	}
}

func TestTrialRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule        evidence.Rule
		challengers int
		fields      []string
	}{
		{evidence.Rule{}, 1, []string{"Worthwhile"}},
		{evidence.Rule{Worthwhile: 3}, 1, []string{"Worthwhile"}},
		{evidence.Rule{Worthwhile: -0.03}, 1, []string{"Worthwhile"}},
		{evidence.Rule{Worthwhile: 1}, 1, []string{"Worthwhile"}},
		{evidence.Rule{Worthwhile: math.NaN()}, 1, []string{"Worthwhile"}},
		{evidence.Rule{Worthwhile: 0.03, Alpha: 5}, 1, []string{"Alpha"}},
		{evidence.Rule{Worthwhile: 0.03, Alpha: -0.05}, 1, []string{"Alpha"}},
		{evidence.Rule{Worthwhile: 0.03, Alpha: math.NaN()}, 1, []string{"Alpha"}},
		{evidence.Rule{Worthwhile: 0.03}, 0, []string{"challengers"}},
		{evidence.Rule{Alpha: 1}, -1, []string{"Alpha", "Worthwhile", "challengers"}},
	} {
		trial, err := evidence.NewTrial(tt.rule, tt.challengers)
		if got := fieldsOf(err); trial != nil || !reflect.DeepEqual(got, tt.fields) {
			t.Errorf("%+v, %d challengers: got %v (%v), want %v", tt.rule, tt.challengers, got, err, tt.fields)
		}
	}
}

// fieldsOf returns the fields of all joined config errors, in their order.
func fieldsOf(err error) []string {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var fields []string
		for _, e := range joined.Unwrap() {
			fields = append(fields, fieldsOf(e)...)
		}
		return fields
	}
	if e := (*core.ConfigError)(nil); errors.As(err, &e) {
		return []string{e.Field}
	}
	return []string{fmt.Sprintf("%T", err)}
}

func TestTrialCountsNothingItRefuses(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 2)
	ask(t, trial, 3, 1, 0)
	before := trial.Verdict()
	for _, tt := range []struct {
		field      string
		challenger int
		low, high  float64
	}{
		{"challenger", 2, 0, 0},
		{"challenger", -1, 0, 0},
		{"value", 0, 1, 0},
		{"value", 1, -2, 0},
		{"value", 1, math.NaN(), math.NaN()},
	} {
		err := trial.Add(tt.challenger, tt.low, tt.high)
		if got := fieldsOf(err); !reflect.DeepEqual(got, []string{tt.field}) {
			t.Errorf("%+v: got %v, want a *core.ConfigError of %s", tt, err, tt.field)
		}
	}
	if after := trial.Verdict(); !reflect.DeepEqual(before, after) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", before, after)
	}
}

func TestTrialOfNothing(t *testing.T) {
	t.Parallel()
	var none evidence.Trial
	if got := fieldsOf(none.Add(0, 1, 1)); !reflect.DeepEqual(got, []string{"challenger"}) {
		t.Errorf("the zero value takes %v", got)
	}
	for what, trial := range map[string]*evidence.Trial{"zero value": &none, "no question": newTrial(t, evidence.Rule{Worthwhile: 0.03}, 2)} {
		if v := trial.Verdict(); trial.Look() != evidence.Inconclusive || v.Word != evidence.Inconclusive || v.Winner != -1 || v.More != nil {
			t.Errorf("%s: got %s and %+v, want inconclusive", what, trial.Look(), v)
		}
	}
}

// The logarithms neither overflow nor underflow, and JSON can hold all of it.
func TestTrialOfManyQuestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		questions int
		value     func(n int) float64
		want      evidence.Word
	}{
		{"wins all", 200000, func(int) float64 { return 1 }, evidence.Reorder},
		{"loses all", 50000, func(int) float64 { return -1 }, evidence.Keep},
		{"wins and loses in turn", 20000, func(n int) float64 { return float64(1 - n%2*2) }, evidence.Keep},
		{"wins half a point each time", 50000, func(int) float64 { return 0.5 }, evidence.Reorder},
	} {
		trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
		for n := range tt.questions {
			if v := tt.value(n); trial.Add(0, v, v) != nil {
				t.Fatalf("%g is refused", v)
			}
		}
		word, v := trial.Look(), trial.Verdict()
		e := v.Challengers[0]
		if word != tt.want || e.Units != tt.questions {
			t.Errorf("%s: got %s after %d questions, want %s", tt.name, word, e.Units, tt.want)
		}
		if !finite(e.LogE) || !finite(e.LogDown) || !(e.P >= 0 && e.P <= 1) ||
			!(e.Sequence.Low <= e.Difference && e.Difference <= e.Sequence.High) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
		data, err := json.Marshal(v)
		var again evidence.Verdict
		if err == nil {
			err = json.Unmarshal(data, &again)
		}
		if err != nil || !reflect.DeepEqual(again, v) {
			t.Errorf("%s: got %+v from %s (%v), want %+v", tt.name, again, data, err, v)
		}
	}
}

func TestVerdictAsJSON(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	ask(t, trial, 2, 1)
	v := trial.Verdict()
	v.Challengers[0].LogE, v.Challengers[0].LogDown, v.Challengers[0].P = 1, 2, 0.5
	v.Challengers[0].Sequence = stats.Interval{Low: -0.5, High: 1}
	got, err := json.Marshal(v)
	want := `{"word":"inconclusive","winner":-1,"challengers":[` +
		`{"units":2,"difference":1,"discordance":1,"log_e":1,"p":0.5,"log_down":2,"sequence":{"low":-0.5,"high":1},"excluded":false}],` +
		`"more":{"word":"reorder","challenger":0,"questions":5}}`
	if err != nil || string(got) != want {
		t.Errorf("(-want +got)\n-%s\n+%s (%v)", want, got, err)
	}
}

func TestLookAllocatesNothing(t *testing.T) {
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 5)
	ask(t, trial, 1, 1, 0, -0.5, 1, 0.25)
	n := 0
	if allocs := testing.AllocsPerRun(200, func() {
		n++
		for i := range 5 {
			v := []float64{1, 0, 0.25, -0.5, -1}[(n+i)%5]
			if err := trial.Add(i, v, v); err != nil {
				t.Fatal(err)
			}
		}
		trial.Look()
	}); allocs != 0 {
		t.Errorf("got %g allocations a question, want none", allocs)
	}
}

// gained is 1 where the challenger alone is right, -1 where the baseline alone is.
func gained(challenger, baseline bool) float64 {
	switch {
	case challenger == baseline:
		return 0
	case challenger:
		return 1
	}
	return -1
}

// Two placements are compared with the retriever's own order, and no question is
// asked that is not needed.
func ExampleTrial() {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 2) // 3 points matter
	if err != nil {
		panic(err)
	}
	challengers := []string{"head-tail", "reversed"}
	word := evidence.Inconclusive
	for question := 0; word == evidence.Inconclusive && question < 1000; question++ { // the cap
		// Here a run would ask a model three times, and score the answers.
		ranked := question%2 == 0
		headTail := ranked || question%5 == 1
		reversed := ranked != (question%7 == 3)
		for i, right := range []bool{headTail, reversed} {
			gain := gained(right, ranked)
			if err := trial.Add(i, gain, gain); err != nil {
				panic(err)
			}
		}
		word = trial.Look()
	}
	v := trial.Verdict()
	fmt.Printf("%s by %s\n", v.Word, challengers[v.Winner])
	for i, e := range v.Challengers {
		fmt.Printf("%s: %d questions, gain %+.0f points, e = %.1f, p = %.3f\n",
			challengers[i], e.Units, 100*e.Difference, math.Exp(e.LogE), e.P)
	}
	// Output:
	// reorder by head-tail
	// head-tail: 82 questions, gain +11 points, e = 23.4, p = 0.043
	// reversed: 82 questions, gain +0 points, e = 0.5, p = 0.727
}

// The cap came first: what would it take?
func ExampleTrial_Verdict() {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 1)
	if err != nil {
		panic(err)
	}
	for question := range 50 {
		ranked := question%2 == 0
		gain := gained(ranked != (question%10 == 3), ranked)
		if err := trial.Add(0, gain, gain); err != nil {
			panic(err)
		}
	}
	v := trial.Verdict()
	gain := v.Challengers[0].Sequence
	fmt.Printf("%s: the gain is %+.0f to %+.0f points\n", v.Word, 100*gain.Low, 100*gain.High)
	fmt.Printf("about %d more questions for %q\n", v.More.Questions, v.More.Word)
	// Output:
	// inconclusive: the gain is -8 to +29 points
	// about 23 more questions for "reorder"
}

// The evidence of a challenger that comes late counts a quarter, and only for what it could
// wrongly win: to be better, and to be no worse.
func TestLateCountsAQuarter(t *testing.T) {
	t.Parallel()
	rule := evidence.Rule{Worthwhile: 0.1, NoWorse: 0.1}
	for _, before := range []bool{true, false} { // said before anything is counted, and the first look is one at nothing
		early, late := newTrial(t, rule, 1), newTrial(t, rule, 1)
		if before {
			late.Look()
		}
		late.Late(0)
		for range 12 {
			for _, trial := range []*evidence.Trial{early, late} {
				if err := trial.Add(0, 1, 1); err != nil {
					t.Fatal(err)
				}
			}
			a, b := early.Verdict().Challengers[0], late.Verdict().Challengers[0]
			if math.Abs(a.LogE-b.LogE-math.Log(4)) > 1e-12 || math.Abs(*a.LogNoWorse-*b.LogNoWorse-math.Log(4)) > 1e-12 || a.LogDown != b.LogDown {
				t.Fatalf("early %+v, late %+v", a, b)
			}
		}
	}
	// It does not make the others easier to name.
	both := newTrial(t, rule, 2)
	both.Late(1)
	for range 5 {
		if err := both.Add(0, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := both.Verdict().Challengers; math.Exp(got[1].LogE) != 0.25 {
		t.Errorf("%+v", got)
	}
}
