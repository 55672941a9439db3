package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// simulated is a comparison whose answers are drawn.
type simulated struct {
	described Described
	notes     []journal.Note
	questions []Question
	ids       []string
}

// simulate lays out a comparison of so many questions, some of which are copies of one
// another.
func simulateLists(t *testing.T, questions, copies int, worthwhile float64, arms ...string) simulated {
	t.Helper()
	var cases []dataset.Case
	for i := range questions {
		c := dataset.Case{Question: fmt.Sprintf("question %d?", i), Answers: []string{"yes"}, Documents: make([]dataset.Document, 5)}
		for d := range c.Documents {
			c.Documents[d].Text = fmt.Sprintf("document %d of %d", d, i)
		}
		if copies > 1 {
			c.Cluster = fmt.Sprint(i % (questions / copies))
		}
		c.Golds = []int{0}
		cases = append(cases, c)
	}
	lists, err := dataset.Rules{Lists: true}.New(cases...)
	if err != nil {
		t.Fatal(err)
	}
	p := mustPlan(t, lists, armsOf(t, arms...), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	s := simulated{described: described(p, func(d *Described) { d.UntilDecided, d.Worthwhile = true, worthwhile })}
	for i := range p.Questions() {
		id, q, err := p.Question(i)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := json.Marshal(q)
		s.notes = append(s.notes, journal.Note{Name: id, Value: value})
		s.questions, s.ids = append(s.questions, q), append(s.ids, id)
	}
	return s
}

// ending is how a call ends.
type ending byte

const (
	wrong ending = iota
	right
	fails
)

// word draws the answers of each cluster once, an ending for each arm, and returns the
// word of the comparison.
func (s simulated) word(t *testing.T, draw func() map[string]ending) evidence.Word {
	t.Helper()
	drawn := map[string]map[string]ending{}
	var records []journal.Record
	for i, q := range s.questions {
		name := q.Cluster
		if name == "" {
			name = s.ids[i]
		}
		if drawn[name] == nil {
			drawn[name] = draw()
		}
		for arm, cell := range q.Cells {
			r := journal.Record{Key: cell.Key, Question: s.ids[i], Cluster: q.Cluster, Arm: arm, Answers: []string{"yes"}}
			switch drawn[name][arm] {
			case right:
				r.Answer = &model.Answer{Text: "yes"}
			case wrong:
				r.Answer = &model.Answer{Text: "no"}
			case fails:
				r.Failure = &journal.Failure{Message: "fails"}
			}
			records = append(records, r)
		}
	}
	r, err := Summarize(s.described, s.notes, records, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Word
}

// share is how many of the runs end with the word.
func share(runs int, word evidence.Word, run func(seed uint64) evidence.Word) float64 {
	n := 0
	for seed := range runs {
		if run(uint64(seed)) == word {
			n++
		}
	}
	return float64(n) / float64(runs)
}

func drawn(random *rand.Rand, p float64) ending {
	if random.Float64() < p {
		return right
	}
	return wrong
}

const (
	runs = 100
	// most is 5 %, and two standard deviations of so many runs.
	most = .05 + .044
)

// Copies of questions are no evidence: in clusters of 2, 5 and 10, which answer alike, two
// arms that are equally good are told apart in at most 5 % of runs.
func TestCopiesAreNoEvidence(t *testing.T) {
	t.Parallel()
	for _, copies := range []int{1, 2, 5, 10} {
		s := simulateLists(t, 30*copies, copies, .03, "ranked", "reversed")
		if s.questions[0].Cluster == "" != (copies == 1) {
			t.Fatal("the clusters do not reach the journal")
		}
		got := share(runs, evidence.Reorder, func(seed uint64) evidence.Word {
			random := rand.New(rand.NewPCG(seed, 1))
			return s.word(t, func() map[string]ending {
				return map[string]ending{"ranked": drawn(random, .5), "reversed": drawn(random, .5)}
			})
		})
		t.Logf("clusters of %d: wrong reorder in %.1f %% of %d runs", copies, 100*got, runs)
		if got > most {
			t.Errorf("clusters of %d: wrong reorder in %.1f %% of runs", copies, 100*got)
		}
	}
}

// Failures decide nothing, whatever makes a call fail: a fifth of the right or of the wrong
// answers of either arm.
func TestFailuresDecideNothing(t *testing.T) {
	t.Parallel()
	const worthwhile = .1
	for _, c := range []struct {
		arm  string
		lost ending
	}{{"ranked", right}, {"ranked", wrong}, {"reversed", right}, {"reversed", wrong}} {
		t.Run(fmt.Sprint(c.arm, " fails where it is ", map[ending]string{right: "right", wrong: "wrong"}[c.lost]), func(t *testing.T) {
			t.Parallel()
			s := simulateLists(t, 200, 1, worthwhile, "ranked", "reversed")
			run := func(better float64) func(seed uint64) evidence.Word {
				return func(seed uint64) evidence.Word {
					random := rand.New(rand.NewPCG(seed, 2))
					return s.word(t, func() map[string]ending {
						// Nine of ten answers are those of the question, not of the arm.
						both, alike := drawn(random, .5), random.Float64() < .7
						e := map[string]ending{"ranked": both, "reversed": both}
						if !alike {
							e["ranked"] = drawn(random, .5)
							e["reversed"] = drawn(random, .5+better/.3)
						}
						if e[c.arm] == c.lost && random.Float64() < .2 {
							e[c.arm] = fails
						}
						return e
					})
				}
			}
			if got := share(runs, evidence.Reorder, run(0)); got > most {
				t.Errorf("wrong reorder in %.1f %% of runs", 100*got)
			}
			if got := share(runs, evidence.Keep, run(worthwhile)); got > most {
				t.Errorf("wrong keep in %.1f %% of runs", 100*got)
			}
		})
	}
}

// Who tries one arm after the other, each after a look at the last, is wrong as seldom as
// who compares all of them at once.
func TestArmsThatAreTriedInTurnShareTheErrorRate(t *testing.T) {
	t.Parallel()
	s := simulateLists(t, 60, 1, .03, "ranked", "reversed", "head-tail", "tail-head", "edges-first", "shuffled")
	var arms []ArmInfo
	for _, a := range s.described.Arms {
		if a.Identical == "" {
			arms = append(arms, a)
		}
	}
	tried := func(earlier bool) float64 {
		return share(runs, evidence.Reorder, func(seed uint64) evidence.Word {
			random := rand.New(rand.NewPCG(seed, 3))
			answers := make([]map[string]ending, len(s.questions))
			for i := range answers {
				answers[i] = map[string]ending{}
				for _, a := range arms {
					answers[i][a.Name] = drawn(random, .5)
				}
			}
			for last := 1; last < len(arms); last++ {
				now := s
				now.described.Arms = []ArmInfo{arms[0], arms[last]}
				now.described.Earlier = nil
				for _, a := range arms[1:last] {
					if a.Kind = Earlier; earlier {
						now.described.Earlier = append(now.described.Earlier, a)
					}
				}
				i := -1
				if now.word(t, func() map[string]ending { i++; return answers[i] }) == evidence.Reorder {
					return evidence.Reorder
				}
			}
			return evidence.Inconclusive
		})
	}
	if len(arms) < 6 {
		t.Fatalf("only %d arms differ", len(arms))
	}
	together, apart := tried(true), tried(false)
	t.Logf("%d arms: wrong reorder in %.1f %% of runs, and in %.1f %% where each is looked at alone", len(arms)-1, 100*together, 100*apart)
	if together > most {
		t.Errorf("wrong reorder in %.1f %% of runs", 100*together)
	}
	if apart <= together {
		t.Errorf("alone %.1f %%, together %.1f %%: the simulation shows nothing", 100*apart, 100*together)
	}
}

// Run remembers what was asked before: challengers of an earlier run take part in the
// verdict, and are not asked again.
func TestRunRemembersEarlierArms(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 120, 6, .5)
	only := func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 }
	m := reader(t, []float64{.9, .5, .5, .5, .5, .8})
	j := mustJournal(t)
	first := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), only)
	mustRun(t, first, described(first, nil), m, j, 4)
	alone := mustSummarize(t, j)
	second := mustPlan(t, lists, armsOf(t, "ranked", "head-tail"), only)
	if progress := mustRun(t, second, described(second, nil), m, j, 4); progress.Known < 120 {
		t.Errorf("the baseline is asked again: %v", progress)
	}
	r := mustSummarize(t, j)
	d, err := DescriptionOf(j.Path())
	if err != nil || len(d.Earlier) != 1 || d.Earlier[0].Name != "reversed" || d.Earlier[0].Kind != Earlier {
		t.Fatalf("%+v, %v", d.Earlier, err)
	}
	earlier := r.arm("reversed")
	if earlier == nil || earlier.Kind != Earlier || earlier.Full.N != 120 || earlier.Full != alone.Arms[1].Full && earlier.Full.Correct != alone.Arms[1].Full.Correct {
		t.Fatalf("%+v", earlier)
	}
	late := r.arm("head-tail")
	its := evidence.Mean{}
	for range late.Against.Wins {
		_ = its.Add(1, 1)
	}
	for range late.Against.Losses {
		_ = its.Add(-1, -1)
	}
	if !slices.Equal(d.Late, []string{"head-tail"}) || late.Against.Sequential.LogE > its.LogPlus()-math.Log(4)+1e-9 {
		t.Errorf("late are %v, whose evidence counts %v of %v", d.Late, late.Against.Sequential.LogE, its.LogPlus())
	}
	if earlier.Against.Sequential == nil || earlier.Against.Sequential.LogE > alone.Arms[1].Against.Sequential.LogE {
		t.Errorf("the evidence of an earlier arm grows by another one: %+v", earlier.Against.Sequential)
	}
	// Asked again, it is a challenger, and nothing is earlier.
	all := mustPlan(t, lists, armsOf(t, "ranked", "head-tail", "reversed"), only)
	if progress := mustRun(t, all, described(all, nil), denied(t), j, 4); progress.Answered != 0 || progress.Left() != 0 {
		t.Errorf("%v", progress)
	}
	if d, err := DescriptionOf(j.Path()); err != nil || len(d.Earlier) != 0 {
		t.Errorf("%+v, %v", d.Earlier, err)
	}
}

// Scores that give parts of a point count as such: what is better by a mean of F1, and
// never right, is still better.
func TestGradedScores(t *testing.T) {
	t.Parallel()
	s := simulateLists(t, 200, 1, .05, "ranked", "reversed")
	s.described.Scorer = "token-f1"
	var records []journal.Record
	for i, q := range s.questions {
		for arm, cell := range q.Cells {
			text := "blue one two three four" // F1 .286
			if arm == "reversed" {
				text = "blue one two" // F1 .4
			}
			records = append(records, journal.Record{Key: cell.Key, Question: s.ids[i], Arm: arm, Answers: []string{"blue whale"}, Answer: &model.Answer{Text: text}})
		}
	}
	r, err := Summarize(s.described, s.notes, records, nil)
	if err != nil {
		t.Fatal(err)
	}
	reversed := r.Arms[1]
	if !r.Graded || r.Word != evidence.Reorder || r.Winner != "reversed" || reversed.Full.Correct != 0 || reversed.Full.Accuracy < .39 || reversed.Full.Accuracy > .41 || reversed.Full.Wilson != nil {
		t.Errorf("%s; %+v", r.Finding, reversed.Full)
	}
	if d := reversed.Against.Difference; d < .11 || d > .12 || reversed.Against.Fixed != nil || reversed.Against.Sequence.Low > d || reversed.Against.Sequence.High < d {
		t.Errorf("%+v", reversed.Against)
	}
	s.described.Scorer = "exact"
	if r, err := Summarize(s.described, s.notes, records, nil); err != nil || r.Graded || r.Word != evidence.Inconclusive || !r.Withheld {
		t.Errorf("by exact match nothing is right: %s, %v", r.Finding, err)
	}
}

// Failures that decide are named, by arm, and a control that fails drops nothing.
func TestFailuresThatDecideAreTold(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 150, 5, .5), armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles, s.Repeats = 1, 1 })
	for _, rule := range []Unanswered{Drop, Wrong} {
		// Left out, the challenger's failures make it better; counted as wrong, the
		// baseline's make that worse.
		lost := map[Unanswered]string{Drop: "reversed", Wrong: "ranked"}[rule]
		var notes []journal.Note
		var records []journal.Record
		for i := range p.Questions() {
			id, q, err := p.Question(i)
			if err != nil {
				t.Fatal(err)
			}
			value, _ := json.Marshal(q)
			notes = append(notes, journal.Note{Name: id, Value: value})
			seen := map[string]bool{}
			for _, arm := range []string{"ranked", "reversed", "shuffle 1", "repeat 1"} {
				r := journal.Record{Key: q.Cells[arm].Key, Question: id, Arm: arm, Answers: []string{"yes"}, Answer: &model.Answer{Text: "yes"}}
				if seen[r.Key] {
					continue
				}
				seen[r.Key] = true
				switch {
				case arm == "ranked" && (rule == Drop && i%10 == 0 || i%30 == 0):
					r.Answer.Text = "no"
				case arm == lost && (i%10 == 1 || i%10 == 2) || arm == "repeat 1" && i%2 == 0:
					r.Answer, r.Failure = nil, &journal.Failure{Message: "fails"}
				}
				records = append(records, r)
			}
		}
		r, err := Summarize(described(p, func(d *Described) { d.Unanswered = rule }), notes, records, nil)
		if err != nil {
			t.Fatal(err)
		}
		says := "without the 30 questions with a call that failed"
		if rule == Wrong {
			says = "with what failed counted as wrong"
		}
		if r.Word != evidence.Inconclusive || r.FailuresDecide != evidence.Reorder || !strings.HasPrefix(r.Finding, "Inconclusive, failures decide: "+says) || !strings.Contains(r.Finding, lost+" 30 of 150") {
			t.Errorf("%s: %s", rule, r.Finding)
		}
		if dropped := map[Unanswered]int{Drop: 30}[rule]; r.Questions.Dropped != dropped || r.Questions.Counted != 150-dropped {
			t.Errorf("%s: %+v", rule, r.Questions)
		}
		repeat := r.arm("repeat 1")
		if want := repeat.Counts.Answered; rule == Drop && (repeat.Full.N == 0 || repeat.Full.N > want || repeat.Full.Correct != repeat.Full.N) {
			t.Errorf("%s: a failed control counts as wrong: %+v", rule, repeat)
		}
		for _, s := range r.Strata {
			if a := s.Arms[len(s.Arms)-1]; rule == Drop && a.Correct > 0 && a.Accuracy != 1 {
				t.Errorf("%s, %s: a failed control counts as wrong: %+v", rule, s.Name, a)
			}
		}
	}
}

// An arm of an earlier run stands for its settings, also once it is not asked any more.
func TestEarlierArmsKeepTheirNames(t *testing.T) {
	t.Parallel()
	s := simulateLists(t, 4, 1, .03, "ranked", "reversed", "head-tail")
	d, again := s.described, s.described
	d.Arms = []ArmInfo{d.Arms[0], d.Arms[2]}
	earlier := s.described.Arms[1]
	earlier.Kind = Earlier
	d.Earlier = []ArmInfo{earlier}
	if !again.SameComparison(d) {
		t.Error("an earlier arm that is asked again makes another comparison")
	}
	other := s.described.Arms[2]
	other.Name = "reversed"
	again.Arms = []ArmInfo{again.Arms[0], other}
	if again.SameComparison(d) {
		t.Error("an arm under the name of an earlier one with other settings is taken for it")
	}
}

// Where no answer is right, keep would not be said, and so it is not promised.
func TestNoKeepIsPromisedToAModelThatIsNeverRight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		want   bool
	}{{"no idea", false}, {"", true}} {
		p := mustPlan(t, mustLists(t, 60, 5, 0.5), armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
		j := mustJournal(t)
		mustRun(t, p, described(p, nil), model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
			call, _ := model.CallFrom(ctx)
			return model.Answer{Text: cmp.Or(c.answer, call.Answers[0])}, nil
		}), j, 2)
		r := mustSummarize(t, j)
		if promised := r.More != nil && r.More.Word == evidence.Keep; r.Word != evidence.Inconclusive || promised != c.want {
			t.Errorf("%q: %s, promised %+v", c.answer, r.Word, r.More)
		}
	}
}
