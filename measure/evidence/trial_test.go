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

// ask adds one question n times.
func ask(t *testing.T, trial *evidence.Trial, n int, baseline bool, challengers ...bool) evidence.Word {
	t.Helper()
	word := evidence.Inconclusive
	for range n {
		var err error
		if word, err = trial.Add(baseline, challengers); err != nil {
			t.Fatal(err)
		}
	}
	return word
}

// askCounts adds questions with these counts: first those that the baseline has
// wrong, as many as the largest number of wins.
func askCounts(t *testing.T, trial *evidence.Trial, counts []stats.Counts) {
	t.Helper()
	wrong := 0
	for _, k := range counts {
		wrong = max(wrong, k.Wins)
	}
	right := make([]bool, len(counts))
	for n := range counts[0].N() {
		baseline := n >= wrong
		for i, k := range counts {
			right[i] = n < k.Wins || n >= wrong+k.Losses
		}
		ask(t, trial, 1, baseline, right...)
	}
	for i, e := range trial.Verdict().Challengers {
		if e.Counts != counts[i] {
			t.Fatalf("challenger %d: asked %+v, want %+v", i, e.Counts, counts[i])
		}
	}
}

// starOf is e* of challenger j by its definition: the least mean of all sets of
// challengers that j is in.
func starOf(counts []stats.Counts, j int) float64 {
	least := math.Inf(1)
	for set := range 1 << len(counts) {
		if set>>j&1 == 0 {
			continue
		}
		sum, size := 0.0, 0.0
		for i, k := range counts {
			if set>>i&1 == 1 {
				sum += math.Exp(evidence.LogEPlus(k.Wins, k.Losses))
				size++
			}
		}
		least = min(least, sum/size)
	}
	return math.Log(least)
}

// After each question the trial says just what the closed forms say of its counts.
func TestTrialEqualsItsClosedForms(t *testing.T) {
	t.Parallel()
	words := map[evidence.Word]int{}
	for _, challengers := range []int{1, 3} {
		for seed := range uint64(4) {
			rule := evidence.Rule{Alpha: 0.2, Worthwhile: 0.1}
			limit := math.Log(1 / rule.Alpha)
			trial := newTrial(t, rule, challengers)
			draw := rand.New(rand.NewPCG(seed, uint64(challengers)))
			counts, best := make([]stats.Counts, challengers), make([]float64, challengers)
			right := make([]bool, challengers)
			for n := 1; n <= 100; n++ {
				baseline := draw.IntN(2) == 0
				for i := range right {
					right[i] = baseline
					if draw.IntN(10) < 4 {
						right[i] = draw.IntN(10) < 2+int(seed)*5/3
					}
					switch {
					case right[i] && !baseline:
						counts[i].Wins++
					case !right[i] && baseline:
						counts[i].Losses++
					default:
						counts[i].Same++
					}
				}
				word, err := trial.Add(baseline, right)
				if err != nil {
					t.Fatal(err)
				}
				got := trial.Verdict()

				winner, kept := -1, 0
				for i, k := range counts {
					star, down := starOf(counts, i), evidence.LogDown(rule.Worthwhile, k)
					best[i] = max(best[i], star)
					sequence, err := evidence.ConfidenceSequence(k, rule.Alpha)
					if err != nil {
						t.Fatal(err)
					}
					e := got.Challengers[i]
					if e.Counts != k || e.Difference != k.Difference() || e.LogDown != down || e.Sequence != sequence || e.Excluded != (down >= limit) ||
						!near(e.LogE, star) || !near(e.P, math.Exp(-best[i])) {
						t.Fatalf("question %d, challenger %d of %d: got %+v, want %+v, e* %.12g, p %.12g, down %.12g, %v",
							n, i, challengers, e, k, star, math.Exp(-best[i]), down, sequence)
					}
					if down >= limit {
						kept++
					} else if star >= limit && (winner < 0 || k.Difference() > counts[winner].Difference()) {
						winner = i
					}
				}
				want := evidence.Inconclusive
				if winner >= 0 {
					want = evidence.Reorder
				} else if kept == challengers {
					want = evidence.Keep
				}
				if word != want || got.Word != want || got.Winner != winner || got.Questions != n || (got.More != nil) != (want == evidence.Inconclusive) {
					t.Fatalf("question %d of %d challengers: Add says %s, want %s by %d; verdict %+v", n, challengers, word, want, winner, got)
				}
				words[want]++
			}
		}
	}
	for _, w := range []evidence.Word{evidence.Reorder, evidence.Keep, evidence.Inconclusive} {
		if words[w] < 30 {
			t.Errorf("%d looks said %s, want 30 or more, else the test shows little", words[w], w)
		}
	}
}

func TestTrialNamesTheLargestGain(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 4)
	ask(t, trial, 40, false, true, true, true, false)
	ask(t, trial, 10, false, false, true, true, false)
	word := ask(t, trial, 60, true, true, true, true, false)
	if v := trial.Verdict(); word != evidence.Reorder || v.Winner != 1 {
		t.Errorf("got %s by %d, want reorder by 1: challengers 1 and 2 win 50 of 110, 0 wins 40, 3 loses", word, v.Winner)
	}
}

// A gain above 0 and below the worthwhile one is proved small: that is Keep.
func TestTrialKeepsWhereTheGainIsProvedSmall(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.5}, 1)
	ask(t, trial, 100, true, true)
	word := ask(t, trial, 20, false, true)
	v := trial.Verdict()
	if e := v.Challengers[0]; word != evidence.Keep || v.Winner != -1 || !e.Excluded || e.LogE < math.Log(20) || e.Sequence.Low <= 0 {
		t.Errorf("got %s and %+v, want keep, with a gain above 0", word, v)
	}
}

// A good challenger does not wait for the poor ones, and Keep waits for all.
func TestTrialWithUnequalChallengers(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.05}, 2)
	ask(t, trial, 300, true, true, false)
	if v := trial.Verdict(); v.Word != evidence.Keep {
		t.Errorf("one never differs and one loses all: got %+v, want keep", v)
	}
	if word := ask(t, trial, 150, false, true, false); word != evidence.Reorder {
		t.Errorf("one wins: got %s, want reorder", word)
	}
}

func TestTrialRemembersItsBestLook(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	if p := trial.Verdict().Challengers[0].P; p != 1 {
		t.Errorf("no question: p = %g, want 1", p)
	}
	ask(t, trial, 12, false, true)
	ask(t, trial, 12, true, false)
	e := trial.Verdict().Challengers[0]
	if want := math.Exp(-evidence.LogEPlus(12, 0)); !near(e.P, want) || e.LogE != evidence.LogEPlus(12, 12) {
		t.Errorf("got p %g and log e %g, want %g of the best look and %g of this one", e.P, e.LogE, want, evidence.LogEPlus(12, 12))
	}
	lost := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
	ask(t, lost, 30, true, false)
	if p := lost.Verdict().Challengers[0].P; p != 1 {
		t.Errorf("30 losses: p = %g, want 1", p)
	}
}

func TestTrialSaysWhatWouldSettleIt(t *testing.T) {
	t.Parallel()
	const third = 1.0 / 3
	for _, tt := range []struct {
		name  string
		rule  evidence.Rule
		count []stats.Counts
		want  *evidence.More
	}{
		{"no question", evidence.Rule{Worthwhile: 0.03}, []stats.Counts{{}}, nil},
		{
			"gains 6 points of 100",
			evidence.Rule{Worthwhile: 0.03},
			[]stats.Counts{{Wins: 10, Losses: 4, Same: 86}},
			&evidence.More{Word: evidence.Reorder, Questions: 164}, // 2·.14·ln(20)/.06² = 233.001
		},
		{
			"gains nothing",
			evidence.Rule{Worthwhile: 0.03},
			[]stats.Counts{{Wins: 7, Losses: 7, Same: 86}},
			&evidence.More{Word: evidence.Keep, Questions: 911}, // 2·.14·ln(20)/.03² = 932.004
		},
		{
			"nearer to 0 than to the worthwhile gain",
			evidence.Rule{Worthwhile: 0.1},
			[]stats.Counts{{Wins: 4, Losses: 1, Same: 75}},
			&evidence.More{Word: evidence.Keep, Questions: 61}, // 2·.0625·ln(20)/.0625² = 95.9
		},
		{
			"the second of three wins",
			evidence.Rule{Worthwhile: 0.03},
			[]stats.Counts{{Wins: 5, Losses: 5, Same: 90}, {Wins: 10, Losses: 2, Same: 88}, {Wins: 1, Losses: 9, Same: 90}},
			&evidence.More{Word: evidence.Reorder, Challenger: 1, Questions: 70}, // 2·.12·ln(60)/.08² = 153.5
		},
		{
			"keep waits for the last of three",
			evidence.Rule{Worthwhile: 0.1},
			[]stats.Counts{{Wins: 5, Losses: 6, Same: 89}, {Wins: 2, Losses: 5, Same: 93}, {Wins: 10, Losses: 10, Same: 80}},
			&evidence.More{Word: evidence.Keep, Challenger: 2, Questions: 54}, // 2·.2·ln(20)/.1² = 119.8
		},
		{
			"never any difference",
			evidence.Rule{Worthwhile: 0.03},
			[]stats.Counts{{Same: 40}},
			&evidence.More{Word: evidence.Keep, Questions: 148}, // 2·(1/40)·ln(20)/.03² = 166.4
		},
		{
			"as many as should do",
			evidence.Rule{Worthwhile: 0.1},
			[]stats.Counts{{Same: 30}},
			&evidence.More{Word: evidence.Keep, Questions: 14}, // 2·(1/30)·ln(20)/.1² = 20.0
		},
		{
			"who is excluded is not waited for",
			evidence.Rule{Worthwhile: 0.1},
			[]stats.Counts{{Losses: 40, Same: 60}, {Wins: 10, Losses: 10, Same: 80}},
			&evidence.More{Word: evidence.Keep, Challenger: 1, Questions: 54}, // as above
		},
		{
			"who is excluded will not win",
			evidence.Rule{Worthwhile: 0.2},
			[]stats.Counts{{Wins: 4, Same: 96}, {Wins: 32, Losses: 22, Same: 46}},
			&evidence.More{Word: evidence.Keep, Challenger: 1, Questions: 289}, // 2·.54·ln(20)/.1² = 323.5
		},
		{
			"another alpha",
			evidence.Rule{Worthwhile: 0.03, Alpha: third},
			[]stats.Counts{{Wins: 4, Losses: 3, Same: 13}},
			&evidence.More{Word: evidence.Reorder, Questions: 385}, // 2·.35·ln(3)/.05² = 307.6
		},
		{
			"a tiny gain matters",
			evidence.Rule{Worthwhile: 1e-9},
			[]stats.Counts{{Wins: 1, Losses: 1, Same: 1}},
			&evidence.More{Word: evidence.Keep, Questions: math.MaxInt32},
		},
	} {
		// The comments give all questions by the rough formula; what is wanted is what
		// the evidence lacks, which is behind it by the price of not knowing the gain.
		trial := newTrial(t, tt.rule, len(tt.count))
		askCounts(t, trial, tt.count)
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

func TestTrialCountsNoQuestionOfAnotherLength(t *testing.T) {
	t.Parallel()
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 2)
	ask(t, trial, 3, false, true, false)
	before := trial.Verdict()
	for _, right := range [][]bool{nil, {true}, {true, true, true}} {
		word, err := trial.Add(false, right)
		if got := fieldsOf(err); word != evidence.Inconclusive || !reflect.DeepEqual(got, []string{"challengers"}) {
			t.Errorf("%d answers: got %s and %v, want a *core.ConfigError of challengers", len(right), word, err)
		}
	}
	if after := trial.Verdict(); !reflect.DeepEqual(before, after) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", before, after)
	}
}

// The logarithms neither overflow nor underflow, and JSON can hold all of it.
func TestTrialOfManyQuestions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		questions int
		baseline  func(n int) bool
		right     func(n int) bool
		want      evidence.Word
	}{
		{"wins all", 200000, func(int) bool { return false }, func(int) bool { return true }, evidence.Reorder},
		{"loses all", 50000, func(int) bool { return true }, func(int) bool { return false }, evidence.Keep},
		{"wins and loses in turn", 20000, func(n int) bool { return n%2 == 0 }, func(n int) bool { return n%2 == 1 }, evidence.Keep},
	} {
		trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 1)
		word := evidence.Inconclusive
		for n := range tt.questions {
			word = ask(t, trial, 1, tt.baseline(n), tt.right(n))
		}
		v := trial.Verdict()
		if word != tt.want || v.Questions != tt.questions {
			t.Errorf("%s: got %s after %d questions, want %s", tt.name, word, v.Questions, tt.want)
		}
		if e := v.Challengers[0]; !finite(e.LogE) || !finite(e.LogDown) || !(e.P >= 0 && e.P <= 1) ||
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
	ask(t, trial, 2, false, true)
	v := trial.Verdict()
	v.Challengers[0].LogE, v.Challengers[0].LogDown, v.Challengers[0].P = 1, 2, 0.5
	v.Challengers[0].Sequence = stats.Interval{Low: -0.5, High: 1}
	got, err := json.Marshal(v)
	want := `{"word":"inconclusive","winner":-1,"questions":2,"challengers":[` +
		`{"wins":2,"losses":0,"same":0,"difference":1,"log_e":1,"p":0.5,"log_down":2,"sequence":{"low":-0.5,"high":1},"excluded":false}],` +
		`"more":{"word":"reorder","challenger":0,"questions":5}}`
	if err != nil || string(got) != want {
		t.Errorf("(-want +got)\n-%s\n+%s (%v)", want, got, err)
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	trial := newTrial(t, evidence.Rule{Worthwhile: 0.03}, 5)
	right := []bool{true, false, true, true, false}
	baseline := false
	if n := testing.AllocsPerRun(200, func() {
		baseline = !baseline
		if _, err := trial.Add(baseline, right); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("got %g allocations a question, want none", n)
	}
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

// Two placements are compared with the retriever's own order, and no question is
// asked that is not needed.
func ExampleTrial() {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 2) // 3 points matter
	if err != nil {
		panic(err)
	}
	challengers := []string{"head-tail", "reversed"}
	for question := range 1000 { // the cap
		// Here a run would ask a model three times, and score the answers.
		ranked := question%2 == 0
		headTail := ranked || question%5 == 1
		reversed := ranked != (question%7 == 3)
		word, err := trial.Add(ranked, []bool{headTail, reversed})
		if err != nil {
			panic(err)
		}
		if word != evidence.Inconclusive {
			break
		}
	}
	v := trial.Verdict()
	fmt.Printf("%s by %s after %d questions\n", v.Word, challengers[v.Winner], v.Questions)
	for i, e := range v.Challengers {
		fmt.Printf("%s: %d won, %d lost, gain %+.0f points, e = %.1f, p = %.3f\n",
			challengers[i], e.Wins, e.Losses, 100*e.Difference, math.Exp(e.LogE), e.P)
	}
	// Output:
	// reorder by head-tail after 82 questions
	// head-tail: 9 won, 0 lost, gain +11 points, e = 23.4, p = 0.043
	// reversed: 6 won, 6 lost, gain +0 points, e = 0.5, p = 0.727
}

// The cap came first: what would it take?
func ExampleTrial_Verdict() {
	trial, err := evidence.NewTrial(evidence.Rule{Worthwhile: 0.03}, 1)
	if err != nil {
		panic(err)
	}
	for question := range 50 {
		ranked := question%2 == 0
		if _, err := trial.Add(ranked, []bool{ranked != (question%10 == 3)}); err != nil {
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
