package fitness_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/fitness"
)

// question is one of n calls, of which so many have that end.
func question(calls, empty, refused, failed int, right float64) fitness.Question {
	return fitness.Question{Calls: calls, Empty: empty, Refused: refused, Failed: failed, Judged: calls, Right: right}
}

// baselines is a question with its scores without documents and with one.
func baselines(closedBook, oracle float64) fitness.Question {
	q := question(2, 0, 0, 0, 0)
	q.Judged, q.Baselines, q.ClosedBook, q.Oracle = 0, true, closedBook, oracle
	return q
}

// after returns after how many of up to n equal questions the run is unfit, and why; 0
// for never.
func after(n int, look func(*fitness.Check) *fitness.Unfit, q fitness.Question) (int, *fitness.Unfit) {
	var c fitness.Check
	for i := range n {
		c.Add(q)
		if u := look(&c); u != nil {
			return i + 1, u
		}
	}
	return 0, nil
}

func TestUnfit(t *testing.T) {
	t.Parallel()
	sweep, comparison := (*fitness.Check).Sweep, (*fitness.Check).Comparison
	for name, c := range map[string]struct {
		look   func(*fitness.Check) *fitness.Unfit
		q      fitness.Question
		rule   fitness.Rule // empty: fit
		within int          // questions
		says   string
	}{
		"all empty":                    {sweep, question(12, 12, 0, 0, 0), fitness.NoAnswers, 20, "calls gave no answer: "},
		"all empty, a remedy":          {comparison, question(3, 3, 0, 0, 0), fitness.NoAnswers, 20, "Raise --max-tokens"},
		"all refused":                  {comparison, question(3, 0, 3, 0, 0), fitness.NoAnswers, 20, "declines to answer"},
		"all failed":                   {sweep, question(12, 0, 0, 12, 0), fitness.NoAnswers, 20, "what failed is asked again"},
		"half of each without":         {sweep, question(12, 2, 2, 2, 6), fitness.NoAnswers, 100, ": "},
		"a fifth without":              {sweep, question(10, 2, 0, 0, 8), "", 2000, ""},
		"every answer right":           {comparison, question(3, 0, 0, 0, 3), "", 2000, ""},
		"every answer wrong":           {comparison, question(3, 0, 0, 0, 0), fitness.NothingRight, 400, "0.0 % of "},
		"2 % right":                    {comparison, question(100, 0, 0, 0, 2), "", 2000, ""},
		"every slot wrong, no oracle":  {sweep, question(12, 0, 0, 0, 0), "", 2000, ""},
		"no document used":             {sweep, baselines(0, 0), fitness.DocumentsUnused, 200, "does not use what it is given"},
		"documents harm":               {sweep, baselines(.5, .2), fitness.DocumentsUnused, 60, "right in 20.0 %, and without any document in 50.0 %"},
		"5 points from the documents":  {sweep, baselines(.5, .55), "", 2000, ""},
		"known by heart":               {sweep, baselines(.93, .93), "", 2000, ""},
		"by heart, and lost with it":   {sweep, baselines(1, .2), fitness.DocumentsUnused, 40, "right in 20.0 %, and without any document in 100.0 %"},
		"by heart, and a little lost":  {sweep, baselines(.97, .93), "", 2000, ""},
		"nearly known by heart":        {sweep, baselines(.92, .92), fitness.DocumentsUnused, 200, "92.0 %"},
		"a comparison has no baseline": {comparison, baselines(0, 0), "", 2000, ""},
	} {
		n, u := after(2000, c.look, c.q)
		switch {
		case c.rule == "" && u != nil:
			t.Errorf("%s: unfit after %d: %v", name, n, u)
		case c.rule != "" && (u == nil || u.Rule != c.rule || n > c.within || n < 5):
			t.Errorf("%s: after %d questions %+v, want %s within %d", name, n, u, c.rule, c.within)
		case u != nil && !strings.Contains(u.Error(), c.says):
			t.Errorf("%s: %q does not say %q", name, u.Error(), c.says)
		}
	}
}

// What is only a little unusual is no fault of the instrument.
func TestFewQuestionsDecideNothing(t *testing.T) {
	t.Parallel()
	var c fitness.Check
	for i := range 20 {
		q := question(1, 0, 0, 0, 1)
		if i%4 == 3 {
			q = question(1, 1, 0, 0, 0)
		}
		c.Add(q)
	}
	if u := c.Answers(); u != nil {
		t.Errorf("5 of 20 empty: %v", u)
	}
}

// looked runs many times n questions that draw gives, and returns the share of runs that
// were unfit at any of their looks.
func looked(runs, n int, look func(*fitness.Check) *fitness.Unfit, draw func(*rand.Rand) fitness.Question) float64 {
	unfit := 0
	for seed := range runs {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		var c fitness.Check
		for range n {
			c.Add(draw(random))
			if look(&c) != nil {
				unfit++
				break
			}
		}
	}
	return float64(unfit) / float64(runs)
}

func hit(random *rand.Rand, share float64) float64 {
	if random.Float64() < share {
		return 1
	}
	return 0
}

// A run whose true share is just the limit is called unfit in at most 5 % of runs,
// although it is looked at after every question.
func TestTheLimitsHoldAtEveryLook(t *testing.T) {
	t.Parallel()
	const runs, questions = 1000, 300
	sweep, comparison, answers := (*fitness.Check).Sweep, (*fitness.Check).Comparison, (*fitness.Check).Answers
	for name, c := range map[string]struct {
		look func(*fitness.Check) *fitness.Unfit
		draw func(*rand.Rand) fitness.Question
		most float64
	}{
		"a fifth of the questions empty": {answers, func(r *rand.Rand) fitness.Question {
			return question(12, 12*int(hit(r, .2)), 0, 0, 0)
		}, .05},
		"a fifth of the answers, of any kind": {answers, func(r *rand.Rand) fitness.Question {
			q := question(3, 0, 0, 0, 0)
			for range 3 {
				switch kind := hit(r, .2) * (1 + math.Floor(3*r.Float64())); kind {
				case 1:
					q.Empty++
				case 2:
					q.Refused++
				case 3:
					q.Failed++
				}
			}
			return q
		}, .05},
		"2 % right": {comparison, func(r *rand.Rand) fitness.Question { return question(2, 0, 0, 0, 2*hit(r, .02)) }, .05},
		"5 points, by independent answers": {sweep, func(r *rand.Rand) fitness.Question {
			return baselines(hit(r, .3), hit(r, .35))
		}, .05},
		"5 points, and never a loss": {sweep, func(r *rand.Rand) fitness.Question {
			known := hit(r, .3)
			return baselines(known, max(known, hit(r, .05/.7)))
		}, .05},
		"a weak model": {sweep, func(r *rand.Rand) fitness.Question { return baselines(hit(r, .05), hit(r, .14)) }, .03},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := looked(runs, questions, c.look, c.draw); got > c.most {
				t.Errorf("unfit in %.1f %% of runs, want at most %.0f %%", 100*got, 100*c.most)
			}
		})
	}
}

// Clusters count as one: ten copies of each question do not make the evidence larger.
func TestClustersCountOnce(t *testing.T) {
	t.Parallel()
	unfit := 0
	for seed := range 500 {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		var c fitness.Check
		for range 200 {
			q := question(1, int(hit(random, .2)), 0, 0, 0)
			c.Add(q, q, q, q, q, q, q, q, q, q)
			if c.Answers() != nil {
				unfit++
				break
			}
		}
	}
	if share := float64(unfit) / 500; share > .05 {
		t.Errorf("unfit in %.1f %% of runs", 100*share)
	}
}

// Flat and keep need evidence that the instrument reads.
func TestReads(t *testing.T) {
	t.Parallel()
	var none fitness.Check
	if none.SweepReads() || none.ComparisonReads() || len(none.Remarks(false)) > 0 || none.Sweep() != nil || none.Comparison() != nil {
		t.Error("without a question something is known")
	}
	for name, c := range map[string]struct {
		q                 fitness.Question
		sweep, comparison bool
		remark            string // empty: none
	}{
		"oracle right":             {baselines(0, 1), true, false, ""},
		"oracle as closed-book":    {baselines(.5, .5), false, false, ""},
		"by heart":                 {baselines(.93, .93), true, false, "knows this task by heart"},
		"nothing right":            {question(2, 0, 0, 0, 0), false, false, "None of 400 answers is right so far"},
		"2 % right":                {question(100, 0, 0, 0, 2), false, false, ""},
		"half right":               {question(2, 0, 0, 0, 1), false, true, ""},
		"98 % right":               {question(100, 0, 0, 0, 98), false, true, ""},
		"all right":                {question(2, 0, 0, 0, 2), false, true, "too easy to show a difference"},
		"a score of half for each": {question(2, 0, 0, 0, 2*.5), false, true, ""},
	} {
		var check fitness.Check
		for range 200 {
			check.Add(c.q)
		}
		remarks := strings.Join(check.Remarks(false), " ")
		if check.SweepReads() != c.sweep || check.ComparisonReads() != c.comparison || !strings.Contains(remarks, c.remark) || (remarks == "") != (c.remark == "") {
			t.Errorf("%s: sweep %v, comparison %v, %q, want %+v", name, check.SweepReads(), check.ComparisonReads(), remarks, c)
		}
	}
}

func TestUnfitIsAnError(t *testing.T) {
	t.Parallel()
	var err error = &fitness.Unfit{Rule: fitness.SamePrompts, Reason: "all alike", Remedy: "Change something."}
	var unfit *fitness.Unfit
	if !errors.As(err, &unfit) || err.Error() != "bookend: unfit: all alike. Change something." {
		t.Errorf("%v", err)
	}
}
