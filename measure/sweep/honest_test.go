package sweep

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// simulated is a sweep over three slots whose answers are drawn.
type simulated struct {
	described Described
	notes     []journal.Note
	ids       []string
	clusters  []string
}

// simulate lays out a sweep of so many questions, some of which are copies of one another.
func simulateCases(t *testing.T, questions, copies int) simulated {
	t.Helper()
	var cases []dataset.Case
	for i := range questions {
		c := dataset.Case{Question: fmt.Sprintf("question %d?", i), Answers: []string{"yes"}, Documents: []dataset.Document{{Text: "yes"}, {Text: "one"}, {Text: "two"}}}
		if copies > 1 {
			c.Cluster = fmt.Sprint(i % (questions / copies))
		}
		cases = append(cases, c)
	}
	d, err := dataset.New(cases...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(d, Settings{Model: "m", Without: []string{ArmRepeat}})
	if err != nil {
		t.Fatal(err)
	}
	s := simulated{described: describedBy(p, true)}
	for i := range p.Questions() {
		id, note, err := p.NoteOf(i)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := json.Marshal(note)
		s.notes = append(s.notes, journal.Note{Name: id, Value: value})
		s.ids, s.clusters = append(s.ids, id), append(s.clusters, note.(noted).Cluster)
	}
	return s
}

const lostCall = "fails"

// shape draws the answers of each cluster once, one a slot, and returns the shape. Closed
// book is always wrong, and the oracle right.
func (s simulated) shape(t *testing.T, draw func() [3]string) core.Shape {
	t.Helper()
	drawn := map[string][3]string{}
	var records []journal.Record
	for i, id := range s.ids {
		name := s.clusters[i]
		if name == "" {
			name = id
		}
		if _, known := drawn[name]; !known {
			drawn[name] = draw()
		}
		records = append(records, answer(id, ArmClosedBook, model.NoSlot, 0, "no"), answer(id, ArmOracle, model.NoSlot, 0, "yes"))
		for slot, text := range drawn[name] {
			r := answer(id, ArmSlot, slot, 0, text)
			if text == lostCall {
				r = fails(r)
			}
			r.Cluster = s.clusters[i]
			records = append(records, r)
		}
	}
	r, err := Summarize(s.described, s.notes, records, judge.Judging{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unfit != nil {
		t.Fatal(r.Finding)
	}
	return r.Verdict.Shape
}

func yes(random *rand.Rand, p float64) string {
	if random.Float64() < p {
		return "yes"
	}
	return "no"
}

const (
	runs = 150
	// most is 5 %, and two standard deviations of so many runs.
	most = .05 + .035
)

// misnamed is how many of the runs end with one of the shapes.
func misnamed(runs int, wrong func(core.Shape) bool, run func(*rand.Rand) core.Shape) float64 {
	n := 0
	for seed := range runs {
		if wrong(run(rand.New(rand.NewPCG(uint64(seed), 5)))) {
			n++
		}
	}
	return float64(n) / float64(runs)
}

func named(s core.Shape) bool { return s != core.ShapeFlat && s != core.ShapeUndecided }

// Copies of questions are no evidence: in clusters of 2, 5 and 10, which answer alike, a
// flat reader is given a shape in at most 5 % of runs.
func TestCopiesAreNoEvidence(t *testing.T) {
	t.Parallel()
	for _, copies := range []int{1, 2, 5, 10} {
		s := simulateCases(t, 40*copies, copies)
		if s.clusters[0] == "" != (copies == 1) {
			t.Fatal("the clusters do not reach the journal")
		}
		got := misnamed(runs, named, func(random *rand.Rand) core.Shape {
			return s.shape(t, func() [3]string { return [3]string{yes(random, .5), yes(random, .5), yes(random, .5)} })
		})
		t.Logf("clusters of %d: misnamed in %.1f %% of %d runs", copies, 100*got, runs)
		if got > most {
			t.Errorf("clusters of %d: misnamed in %.1f %% of runs", copies, 100*got)
		}
	}
}

// Failures name nothing, whatever makes a call fail: a fifth of the right or of the wrong
// answers of the first slot, or of the middle.
func TestFailuresNameNothing(t *testing.T) {
	t.Parallel()
	s := simulateCases(t, 200, 1)
	for _, slot := range []int{0, 1} {
		for _, lost := range []string{"yes", "no"} {
			got := misnamed(runs, named, func(random *rand.Rand) core.Shape {
				return s.shape(t, func() [3]string {
					row := [3]string{yes(random, .5), yes(random, .5), yes(random, .5)}
					if row[slot] == lost && random.Float64() < .2 {
						row[slot] = lostCall
					}
					return row
				})
			})
			if got > most {
				t.Errorf("slot %d fails where it is %s: misnamed in %.1f %% of runs", slot, lost, 100*got)
			}
		}
	}
	// Nor do they make a curve flat whose start is 5 points worse.
	long := simulateCases(t, 400, 1)
	got := misnamed(60, func(s core.Shape) bool { return s == core.ShapeFlat }, func(random *rand.Rand) core.Shape {
		return long.shape(t, func() [3]string {
			row := [3]string{"yes", "yes", "yes"}
			if random.Float64() < .05 {
				if row[0] = "no"; random.Float64() < .2 {
					row[0] = lostCall
				}
			}
			return row
		})
	})
	if got > most {
		t.Errorf("flat in %.1f %% of runs", 100*got)
	}
}

// Where failures decide, the result says so.
func TestFailuresThatDecideAreTold(t *testing.T) {
	t.Parallel()
	s := simulateCases(t, 60, 1)
	var records []journal.Record
	for i, id := range s.ids {
		records = append(records, answer(id, ArmClosedBook, model.NoSlot, 0, "no"), answer(id, ArmOracle, model.NoSlot, 0, "yes"))
		for slot, text := range []string{"yes", "no", "no"} {
			r := answer(id, ArmSlot, slot, 0, text)
			if slot > 0 && i%5 != 0 && i%5 != 1 {
				r.Answer.Text = "yes"
			}
			if slot == 0 && i%5 == 2 || slot == 1 && i%5 == 3 {
				r = fails(r)
			}
			records = append(records, r)
		}
	}
	d := s.described
	d.UntilDecided = false
	r := mustSummarizeNoted(t, d, s.notes, records)
	without := 0
	for _, note := range r.Notes {
		if strings.HasPrefix(note, "Failures decide:") {
			without++
		}
	}
	if r.Verdict.Shape != core.ShapeUndecided || without != 1 {
		t.Errorf("%s, notes %q", r.Finding, r.Notes)
	}
}

func mustSummarizeNoted(t *testing.T, d Described, notes []journal.Note, records []journal.Record) Result {
	t.Helper()
	r, err := Summarize(d, notes, records, judge.Judging{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The result is the same however many calls are open at once, and a longer journal does
// not change what was decided.
func TestTheResultDoesNotDependOnConcurrency(t *testing.T) {
	t.Parallel()
	url, _ := fake.Chat(t, func(prompt string) fake.Reply {
		if len(prompt)%7 == 0 {
			return fake.Reply{Text: "no idea"}
		}
		return fake.Reply{Text: fake.LookUp(prompt[max(0, len(prompt)-1500):], "no idea"), Prompt: fake.Tokens(prompt)}
	})
	var want Result
	for i, concurrency := range []int{1, 3, 16} {
		p, j := lookups(t, 200), fake.Journal(t, fake.Path(t))
		d := describedBy(p, true)
		if _, err := Run(t.Context(), p, d, client(t, url), j, run.Limits{Retries: -1, Concurrency: concurrency}); err != nil {
			t.Fatal(err)
		}
		r := mustSummarizeJournal(t, j)
		if i == 0 {
			want = r
		}
		if r.Verdict == nil || !r.Verdict.Settled || !reflect.DeepEqual(r.Verdict, want.Verdict) || !reflect.DeepEqual(r.Curve, want.Curve) || r.Finding != want.Finding {
			t.Errorf("%d at once (-want +got)\n-%s\n+%s", concurrency, want.Finding, r.Finding)
		}
	}
}

// Scores that give parts of a point count as such: a mean of .4 is not a share of 0.
func TestGradedScores(t *testing.T) {
	t.Parallel()
	d := small()
	d.Scorer, d.Documents, d.Slots, d.Questions, d.Arms, d.Repeats = "token-f1", 3, []int{0, 1, 2}, 150, []string{ArmClosedBook, ArmOracle, ArmSlot}, 0
	var records []journal.Record
	for q := range 150 {
		id := "q" + strconv.Itoa(q)
		add := func(arm string, slot int, text string) {
			r := answer(id, arm, slot, 0, text)
			r.Answers = []string{"blue whale"}
			records = append(records, r)
		}
		add(ArmClosedBook, model.NoSlot, "no")
		add(ArmOracle, model.NoSlot, "blue whale")
		for slot := range 3 {
			// F1 is .4 at the start, .286 elsewhere: less than half in every slot.
			text := "blue one two three four"
			if slot == 0 {
				text = "blue one two"
			}
			add(ArmSlot, slot, text)
		}
	}
	r := mustSummarize(t, d, records, judge.Judging{})
	first, interval := r.Accuracy(r.Slots[0])
	if !r.Graded || r.Slots[0].Full.Correct != 0 || first < .39 || first > .41 || interval.Low > first || interval.High < first || interval.Low < .3 {
		t.Errorf("slot 0: %+v, %v in %v", r.Slots[0], first, interval)
	}
	if r.Verdict == nil || r.Verdict.Shape != core.ShapePrimacy || r.Curve == nil || r.Curve.Accuracy[0] != first || r.Curve.Shape != core.ShapePrimacy {
		t.Errorf("%s, curve %+v", r.Finding, r.Curve)
	}
	if want := "40.0 % of the points with the answer in slot 1"; !strings.Contains(r.Finding, want) {
		t.Errorf("%q does not say %q", r.Finding, want)
	}
	// By right and wrong there is nothing to see.
	d.Scorer = "exact"
	if r := mustSummarize(t, d, records, judge.Judging{}); r.Graded || r.Slots[0].MeanRange != nil || named(r.Verdict.Shape) {
		t.Errorf("by exact match: %s", r.Finding)
	}
}

// Flat is said where it is known that the model reads, and what speaks against it is told.
func TestWhatFlatNeeds(t *testing.T) {
	t.Parallel()
	d := small()
	d.Slots, d.Questions, d.Repeats = []int{0, 1, 2}, 250, 0
	run := func(closedBook, oracle, slot string, arms ...string) Result {
		d.Arms = append([]string{ArmSlot}, arms...)
		var records []journal.Record
		for q := range 250 {
			id := "q" + strconv.Itoa(q)
			for _, arm := range arms {
				records = append(records, answer(id, arm, model.NoSlot, 0, map[string]string{ArmClosedBook: closedBook, ArmOracle: oracle}[arm]))
			}
			for at := range 3 {
				records = append(records, answer(id, ArmSlot, at, 0, slot))
			}
		}
		return mustSummarize(t, d, records, judge.Judging{})
	}
	for name, c := range map[string]struct {
		result   Result
		shape    core.Shape
		withheld bool
		note     string
	}{
		"reads all":               {run("no", "yes", "yes", ArmClosedBook, ArmOracle), core.ShapeFlat, false, "too easy to show a difference"},
		"reads nothing but one":   {run("no", "yes", "no", ArmClosedBook, ArmOracle), core.ShapeFlat, false, ""},
		"knows it by heart":       {run("yes", "yes", "yes", ArmClosedBook, ArmOracle), core.ShapeFlat, false, "by heart"},
		"oracle was left out":     {run("no", "", "no", ArmClosedBook), core.ShapeUndecided, true, "closed-book or oracle was left out"},
		"baselines were left out": {run("", "", "yes"), core.ShapeUndecided, true, "closed-book or oracle was left out"},
	} {
		r := c.result
		if r.Unfit != nil || r.Verdict == nil || r.Verdict.Shape != c.shape || r.Withheld != c.withheld || !strings.Contains(strings.Join(r.Notes, " "), c.note) {
			t.Errorf("%s: %s %q", name, r.Finding, r.Notes)
		}
	}
}

// Slots in which nothing is ever right may never have been read: that is told beside the
// shape, and only where other slots are read well.
func TestUnreadSlotsAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		right func(q, slot int) bool
		n     int
		note  string
	}{
		"two slots never":     {func(_, slot int) bool { return slot == 2 }, 60, "in slots 1, 2 nothing was right, and elsewhere up to 100.0 %"},
		"few questions":       {func(_, slot int) bool { return slot == 2 }, 10, ""},
		"one slot once":       {func(q, slot int) bool { return slot > 0 || q == 0 }, 60, ""},
		"all slots seldom":    {func(q, slot int) bool { return slot == 2 && q%5 == 0 }, 60, ""},
		"all slots all times": {func(int, int) bool { return true }, 60, ""},
	} {
		d := small()
		d.Slots, d.Questions, d.Repeats, d.Arms = []int{0, 1, 2}, c.n, 0, []string{ArmSlot}
		var records []journal.Record
		for q := range c.n {
			for slot := range 3 {
				records = append(records, answer("q"+strconv.Itoa(q), ArmSlot, slot, 0, map[bool]string{true: "yes", false: "no"}[c.right(q, slot)]))
			}
		}
		r := mustSummarize(t, d, records, judge.Judging{})
		notes := strings.Join(r.Notes, " ")
		if strings.Contains(notes, "nothing was right") != (c.note != "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// Flat is not promised as long as it would not be said.
func TestNoFlatIsPromisedToAModelThatUsesNoDocuments(t *testing.T) {
	t.Parallel()
	for oracle, want := range map[string]bool{"no": false, "yes": true} {
		var records []journal.Record
		for q := range 40 {
			id := "q" + strconv.Itoa(q)
			records = append(records, answer(id, ArmClosedBook, model.NoSlot, 0, "no"), answer(id, ArmOracle, model.NoSlot, 0, oracle))
			for at := range 3 {
				records = append(records, answer(id, ArmSlot, at, 0, "no"))
			}
		}
		d := small()
		d.Slots, d.Questions, d.Repeats, d.Arms = []int{0, 1, 2}, 40, 0, []string{ArmSlot, ArmClosedBook, ArmOracle}
		r := mustSummarize(t, d, records, judge.Judging{})
		if r.Verdict == nil || r.Verdict.More == nil || r.Verdict.More.Flat > 0 != want {
			t.Errorf("oracle %q: %s %+v", oracle, r.Finding, r.Verdict)
		}
	}
}
