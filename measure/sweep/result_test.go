package sweep

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/internal/slot"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/simulate"
	"github.com/bookend-rag/bookend/measure/stats"
)

// small describes a sweep of two questions over slots 0 and 2 of three documents.
func small() Described {
	return Described{Manifest: Manifest{
		Model: "m", Task: dataset.QuestionAnswer, Documents: 3, Slots: []int{0, 2}, Questions: 2, Repeats: 1,
		Arms: []string{ArmClosedBook, ArmOracle, ArmSlot, ArmRepeat}, Layout: "l",
	}}
}

var day = time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)

// answer is a record of an answer to a question that "yes" is right for.
func answer(question, arm string, slot, repeat int, text string) journal.Record {
	return journal.Record{
		Key: question + arm + strconv.Itoa(slot) + "/" + strconv.Itoa(repeat), Question: question, Arm: arm, Slot: slot, Repeat: repeat,
		Answers: []string{"yes"}, Time: day, Answer: &model.Answer{Text: text, FinishReason: "stop"},
	}
}

func fails(r journal.Record) journal.Record {
	r.Answer, r.Failure = nil, &journal.Failure{Message: "no"}
	return r
}

func refused(r journal.Record) journal.Record {
	r.Answer.FinishReason = "content_filter"
	return r
}

func complete() []journal.Record {
	return []journal.Record{
		answer("q1", ArmClosedBook, model.NoSlot, 0, "no"), answer("q1", ArmOracle, model.NoSlot, 0, "yes"),
		answer("q1", ArmSlot, 0, 0, "yes"), answer("q1", ArmSlot, 2, 0, "well\nyes"), answer("q1", ArmRepeat, 2, 1, "no"),
		answer("q2", ArmClosedBook, model.NoSlot, 0, ""), answer("q2", ArmOracle, model.NoSlot, 0, "yes"),
		answer("q2", ArmSlot, 0, 0, "yes"), refused(answer("q2", ArmSlot, 2, 0, "I cannot say")), answer("q2", ArmRepeat, 2, 1, "no"),
	}
}

func mustSummarize(t *testing.T, d Described, records []journal.Record, j judge.Judging) Result {
	t.Helper()
	r, err := Summarize(d, nil, records, j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	r := mustSummarize(t, small(), complete(), judge.Judging{})
	if r.Model != "m" || r.Simulated || r.Date != "2026-01-31" || r.Scorer != "best-subspan" || r.JudgedBy != "full answer" {
		t.Errorf("head: %+v", r)
	}
	if want := (QuestionCounts{Planned: 2, Complete: 2, Incomplete: 0}); r.Questions != want {
		t.Errorf("questions (-want +got)\n-%+v\n+%+v", want, r.Questions)
	}
	if got := []int{r.Slots[0].Full.Correct, r.Slots[0].FirstLine.Correct, r.Slots[1].Full.Correct, r.Slots[1].FirstLine.Correct}; !reflect.DeepEqual(got, []int{2, 2, 1, 0}) {
		t.Errorf("right, full and first line, in slot 0 and 2: %v, want 2 2 1 0", got)
	}
	if want, _ := stats.Wilson(1, 2, 0.95); r.Slots[1].Full.Interval != want || r.Slots[1].Full.Accuracy != 0.5 {
		t.Errorf("slot 2: %+v, want .5 in %+v", r.Slots[1].Full, want)
	}
	if r.ClosedBook.Full.Correct != 0 || r.ClosedBook.N != 2 || r.Oracle.Full.Correct != 2 {
		t.Errorf("baselines: %+v, %+v", r.ClosedBook, r.Oracle)
	}
	if r.Repeat == nil || r.Repeat.Pairs != 2 || r.Repeat.Flips != 1 {
		t.Errorf("repeat: %+v, want 1 flip of 2", r.Repeat)
	}
	if r.Again.Slot != 2 || r.Again.N != 2 || r.Again.Full.Correct != 0 || r.Again.Counts.Answered != 2 {
		t.Errorf("asked again: %+v", r.Again)
	}
	if want := (judge.Counts{Planned: 10, Answered: 10, Refused: 1, Empty: 1}); r.Counts != want {
		t.Errorf("counts (-want +got)\n-%+v\n+%+v", want, r.Counts)
	}
	if r.Verdict == nil || r.Cochran == nil || r.Spread == nil || r.Curve == nil || r.Curve.Questions != 2 || r.Curve.Date != r.Date {
		t.Errorf("statistics are missing: %+v", r)
	}
	if len(r.Examples) != 1 || r.Examples[0].Got != "I cannot say" || r.Examples[0].Arm != "slot 3" {
		t.Errorf("examples: %+v", r.Examples)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestSummarizeFirstLine(t *testing.T) {
	t.Parallel()
	r := mustSummarize(t, small(), complete(), judge.Judging{FirstLine: true})
	if got := r.Judged(r.Slots[1]); got.Correct != 0 || r.Curve.Accuracy[1] != 0 || r.Slots[1].MeanScore != 0 || r.Repeat.Flips != 0 {
		t.Errorf("slot 2 by its first line: %+v, curve %v, repeat %+v", got, r.Curve.Accuracy, r.Repeat)
	}
}

// Nothing is dropped in silence, and an incomplete question counts in no slot.
func TestSummarizeIncomplete(t *testing.T) {
	t.Parallel()
	records := complete()
	records[3] = fails(records[3])                         // q1 in slot 2
	records = records[:9:9]                                // the repeat of q2 was not asked
	cut := answer("q2", ArmOracle, model.NoSlot, 0, "yes") // below, another answer to a key that has one
	cut.Answer.Text, cut.Answer.FinishReason = "no", "length"
	records = append(records, cut)
	r := mustSummarize(t, small(), records, judge.Judging{})
	if want := (QuestionCounts{Planned: 2, Complete: 1, Incomplete: 1}); r.Questions != want {
		t.Errorf("questions (-want +got)\n-%+v\n+%+v", want, r.Questions)
	}
	if r.Slots[0].N != 1 || r.Slots[1].N != 1 || r.Oracle.N != 1 || r.Oracle.Full.Correct != 1 {
		t.Errorf("slots %+v, oracle %+v: want one question behind each", r.Slots, r.Oracle)
	}
	if want := (judge.Counts{Planned: 10, Answered: 8, Failed: 1, Missing: 1, Refused: 1, Empty: 1}); r.Counts != want {
		t.Errorf("counts (-want +got)\n-%+v\n+%+v", want, r.Counts)
	}
	if want := (judge.Counts{Planned: 2, Answered: 1, Failed: 1, Refused: 1}); r.Slots[1].Counts != want {
		t.Errorf("slot 2 (-want +got)\n-%+v\n+%+v", want, r.Slots[1].Counts)
	}
	if want := (judge.Counts{Planned: 2, Answered: 1, Missing: 1}); r.Again.Counts != want {
		t.Errorf("asked again (-want +got)\n-%+v\n+%+v", want, r.Again.Counts)
	}
	again := mustSummarize(t, small(), append(records, complete()[3]), judge.Judging{})
	if again.Counts.Failed != 0 || again.Questions.Complete != 2 {
		t.Errorf("a failure that was made good still counts: %+v", again.Counts)
	}
	late := mustSummarize(t, small(), append(complete(), fails(complete()[3])), judge.Judging{})
	if late.Counts.Failed != 0 || late.Questions.Complete != 2 {
		t.Errorf("a failure after an answer counts: %+v", late.Counts)
	}
}

func TestSummarizeNothing(t *testing.T) {
	t.Parallel()
	d := small()
	d.Model = model.SimulatedPrefix + "u"
	r := mustSummarize(t, d, nil, judge.Judging{})
	if !r.Simulated || r.Verdict != nil || r.Curve != nil || r.CurveNote == "" || r.Counts.Missing != 10 || r.Date != "" {
		t.Errorf("without a record: %+v", r)
	}
	if !strings.HasPrefix(r.Finding, "Nothing can be said yet") {
		t.Errorf("finding: %q", r.Finding)
	}
	stray := answer("q1", ArmSlot, 1, 0, "yes")
	strays := []journal.Record{stray, answer("q1", "other", 0, 0, "yes"), answer("q1", ArmRepeat, 0, 1, "yes")}
	if r := mustSummarize(t, d, strays, judge.Judging{}); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "3 records") {
		t.Errorf("three records of no arm: %q", r.Notes)
	}
	d.Slots = []int{0, 1}
	two := mustSummarize(t, d, []journal.Record{answer("q1", ArmSlot, 0, 0, "yes"), answer("q1", ArmSlot, 1, 0, "yes")}, judge.Judging{})
	if two.Curve != nil || !strings.Contains(two.CurveNote, "both ends") || two.Verdict == nil {
		t.Errorf("without the last slot: curve %v, note %q", two.Curve, two.CurveNote)
	}
}

// Answers come in any order when several are open at once.
func TestSummarizeInAnyOrder(t *testing.T) {
	t.Parallel()
	d := small()
	d.Questions, d.Documents, d.Slots = 40, 5, slot.All(5)
	reader, err := simulate.NewNamedReader("u", 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var records []journal.Record
	for q := range 40 {
		for _, slot := range d.Slots {
			text := "no " + strconv.Itoa(q)
			if reader.Right(q, slot) {
				text = "yes"
			}
			records = append(records, answer("q"+strconv.Itoa(q), ArmSlot, slot, 0, text))
		}
	}
	want := mustSummarize(t, d, records, judge.Judging{})
	if len(want.Examples) != maxExamples {
		t.Fatalf("%d examples, want %d", len(want.Examples), maxExamples)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		if got := mustSummarize(t, d, records, judge.Judging{}); !reflect.DeepEqual(got, want) {
			t.Fatalf("another order (-want +got)\n-%+v\n+%+v", want, got)
		}
	}
}

func TestSummarizeScorers(t *testing.T) {
	t.Parallel()
	d := small()
	d.Task = dataset.KeyValue
	if r := mustSummarize(t, d, complete(), judge.Judging{}); r.Scorer != "exact" {
		t.Errorf("key-value cases are scored by %s, want exact", r.Scorer)
	}
	d.Scorer = "token-f1"
	r := mustSummarize(t, d, complete(), judge.Judging{})
	if r.Scorer != "token-f1" || r.Slots[1].MeanScore >= 0.5 || r.Slots[1].Full.Correct != 1 {
		t.Errorf("token F1: %+v", r.Slots[1])
	}
	d.Scorer = "vibes"
	var unknown *judge.ScorerError
	if _, err := Summarize(d, nil, nil, judge.Judging{}); !errors.As(err, &unknown) {
		t.Errorf("an unknown scorer: %v", err)
	}
	var broken *judge.ScoreError
	two := judge.ScorerFunc("two", func(string, []string) float64 { return 2 })
	if _, err := Summarize(small(), nil, complete(), judge.Judging{Scorer: two}); !errors.As(err, &broken) {
		t.Errorf("a scorer out of range: %v", err)
	}
	var config *core.ConfigError
	if _, err := Summarize(Described{}, nil, nil, judge.Judging{}); !errors.As(err, &config) {
		t.Errorf("an empty description: %v", err)
	}
}

func TestFindingNamesTheShape(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"u":        "Both ends of the prompt are read better than its middle by the simulated reader u: ",
		"inverted": "The middle of the prompt is read better than its ends by ",
		"primacy":  "The start of the prompt is read best by ",
		"recency":  "The end of the prompt is read best by ",
	} {
		reader, err := simulate.NewNamedReader(name, 9, 3)
		if err != nil {
			t.Fatal(err)
		}
		d := small()
		d.Model, d.Documents, d.Slots, d.Questions, d.Arms = model.SimulatedPrefix+name, 9, slot.All(9), 400, []string{ArmSlot}
		var records []journal.Record
		for q := range 400 {
			for slot := range 9 {
				text := "no"
				if reader.Right(q, slot) {
					text = "yes"
				}
				records = append(records, answer("q"+strconv.Itoa(q), ArmSlot, slot, 0, text))
			}
		}
		if r := mustSummarize(t, d, records, judge.Judging{}); !strings.HasPrefix(r.Finding, want) || !strings.HasSuffix(r.Finding, "(all 9 slots, 400 questions each).") {
			t.Errorf("%s: %q, want %q first", name, r.Finding, want)
		}
	}
}

func TestSummarizeJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	journal, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SummarizeJournal(path, nil); !errors.Is(err, ErrNoSweep) {
		t.Errorf("an empty journal: %v", err)
	}
	d := small()
	d.FirstLine = true
	for _, r := range complete() {
		if err := errors.Join(journal.Describe(d), journal.Append(r)); err != nil {
			t.Fatal(err)
		}
	}
	shorter := d
	shorter.Questions, shorter.Server = 1, "elsewhere"
	if err := journal.Describe(shorter); err != nil {
		t.Fatal(err)
	}
	got, err := SummarizeJournal(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	shorter.Questions = 2 // a shorter run asks no question away
	if want := mustSummarize(t, shorter, complete(), judge.Judging{FirstLine: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n-%+v\n+%+v", want, got)
	}
	full, err := SummarizeJournal(path, func(j *judge.Judging) { j.FirstLine = false })
	if err != nil || full.JudgedBy != judge.JudgedByFull {
		t.Errorf("judged otherwise: %q, %v", full.JudgedBy, err)
	}
	other := d
	other.Model = "another"
	if err := errors.Join(journal.Describe(other), journal.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := SummarizeJournal(path, nil); !errors.Is(err, ErrNoSweep) || !strings.Contains(err.Error(), "several sweeps") {
		t.Errorf("two sweeps in one journal: %v", err)
	}
}

func TestSameSweep(t *testing.T) {
	t.Parallel()
	base := small()
	base.Dataset = dataset.Report{Path: "a", Lines: 3, Kept: 3}
	for name, c := range map[string]struct {
		change func(*Described)
		same   bool
	}{
		"nothing":          {func(*Described) {}, true},
		"more questions":   {func(d *Described) { d.Questions, d.Calls = 9, 99 }, true},
		"fewer arms":       {func(d *Described) { d.Arms = nil }, true},
		"another folder":   {func(d *Described) { d.Dataset.Path = "b" }, true},
		"another judge":    {func(d *Described) { d.Scorer, d.FirstLine = "exact", true }, true},
		"another model":    {func(d *Described) { d.Model = "x" }, false},
		"another file":     {func(d *Described) { d.Dataset.Lines = 4 }, false},
		"other parameters": {func(d *Described) { d.Params.MaxTokens = 7 }, false},
		"other slots":      {func(d *Described) { d.Slots = []int{0, 1} }, false},
		"another seed":     {func(d *Described) { d.Seed = 7 }, false},
	} {
		changed := base
		c.change(&changed)
		if got := base.SameSweep(changed); got != c.same {
			t.Errorf("%s: same %v, want %v", name, got, c.same)
		}
	}
}
