package compare

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// What a journal says may be anything. A result adds up, holds numbers, and is the
// same when it is computed again. To fuzz it for long, give -fuzzminimizetime 1x:
// the inputs are long.
func FuzzSummarize(f *testing.F) {
	lists, err := dataset.SimulatedLists(1, 3, 4, 0.5)
	if err != nil {
		f.Fatal(err)
	}
	p, err := NewPlan(lists, Settings{Model: "m", Arms: armsOf(f, "ranked", "reversed", "head-tail"), Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	_, q, err := p.Question(0)
	if err != nil {
		f.Fatal(err)
	}
	note, _ := json.Marshal(q)
	manifest, _ := json.Marshal(described(p, nil))
	until, _ := json.Marshal(described(p, func(d *Described) {
		d.UntilDecided, d.Unanswered, d.Scorer, d.FirstLine = true, Wrong, "token-f1", true
	}))
	for _, m := range [][]byte{
		manifest, until,
		[]byte(`{"experiment":"compare","worthwhile":0.5,"arms":[{"name":"a","kind":"baseline"},{"name":"a","kind":"challenger"}],"questions":-5}`),
		[]byte(`{"experiment":"compare","worthwhile":0.5,"alpha":2,"arms":[{"name":"a","kind":"baseline"},{"name":"b","kind":"?"}]}`),
		[]byte(`{"experiment":"compare","worthwhile":0.5,"prices":{"prompt":-1e308},"arms":[{"name":"","kind":"baseline"},{"name":"b","kind":"challenger","identical":"c"}]}`),
	} {
		f.Add(m, note, []byte(`{"key":"k","failure":{"message":"no"}}`), "answer 1")
		f.Add(m, []byte(`{"gold":-7,"documents":-1,"cells":{"a":{"key":"k","size":-1,"prefix":9},"b":{"key":"k","slot":-9}}}`), []byte(`{"key":"k","answer":{"text":"x","usage":{"prompt":-1}},"attempts":-9}`), "\nanswer")
	}
	f.Fuzz(func(t *testing.T, manifest, note, record []byte, text string) {
		var d Described
		var r journal.Record
		if json.Unmarshal(manifest, &d) != nil || json.Unmarshal(record, &r) != nil || !json.Valid(note) {
			return
		}
		notes, records := []journal.Note{{Name: "q", Value: note}, {Name: "again", Value: note}}, []journal.Record{r}
		var q Question
		if json.Unmarshal(note, &q) == nil {
			for _, c := range q.Cells {
				records = append(records, journal.Record{Key: c.Key, Answers: []string{"answer", "x"}, Answer: &model.Answer{Text: text, FinishReason: r.Arm}})
			}
		}
		result, err := Summarize(d, notes, records, nil)
		if err != nil {
			return
		}
		if result.Finding == "" || result.Word == "" || result.arm(result.Winner) == nil || len(result.Arms) != len(d.Arms) {
			t.Fatalf("%+v", result)
		}
		n := result.Questions.Counted
		for _, a := range result.Arms {
			if a.Full.Correct > n || a.FirstLine.Correct > n || a.Against != nil && a.Against.N() > n || a.Full.Accuracy < 0 || a.Full.Accuracy > 1 {
				t.Fatalf("%d questions: %+v", n, a)
			}
			if c := a.Caching.Common; math.IsNaN(c) || math.IsInf(c, 0) {
				t.Fatalf("%+v", a.Caching)
			}
		}
		if _, err := json.Marshal(result); err != nil {
			t.Fatal(err)
		}
		again, err := Summarize(d, notes, records, nil)
		if err != nil || !reflect.DeepEqual(again, result) {
			t.Fatalf("(-want +got)\n-%+v\n+%+v, %v", result, again, err)
		}
	})
}

// Evidence of thousands of questions is beyond what a float64 holds.
func TestFindingOfMuchEvidence(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 1500, 2, 1), armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	always := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		if call.Arm == "reversed" {
			return model.Answer{Text: call.Answers[0]}, nil
		}
		return model.Answer{Text: "no idea"}, nil
	})
	notes, records := ask(t, p, always)
	r, err := Summarize(described(p, nil), notes, records, nil)
	if err != nil || !strings.Contains(r.Finding, "; e = 10^4") || strings.Contains(r.Finding, "Inf") {
		t.Errorf("%s, %v", r.Finding, err)
	}
	// Names tell arms apart: two of one name are no comparison.
	d := described(p, nil)
	for _, again := range []ArmInfo{{Name: "reversed", Kind: Shuffle}, {Name: "ranked", Kind: Challenger}} {
		d.Arms = []ArmInfo{d.Arms[0], again, {Name: "reversed", Kind: Challenger}}
		if _, err := Summarize(d, notes, records, nil); !errors.Is(err, ErrNoComparison) {
			t.Errorf("two arms named %s: %v", again.Name, err)
		}
	}
}

// The percent of a sequence is a number that people can read.
func TestFindingRoundsThePercent(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 4, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	notes, records := ask(t, p, reader(t, []float64{1, 0, 0, 0}))
	for alpha, want := range map[float64]string{0: "95 %", 0.1: "90 %", 1.0 / 3: "66.67 %", 0.01: "99 %", 0.001: "99.9 %"} {
		r, err := Summarize(described(p, func(d *Described) { d.Alpha = alpha }), notes, records, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want = " the " + want + " confidence sequence "; !strings.Contains(r.Finding, want) {
			t.Errorf("alpha %g: no %q in %q", alpha, want, r.Finding)
		}
	}
	var e *journal.Error
	if _, err := Summarize(described(p, nil), []journal.Note{{Name: "q", Value: []byte(`5`)}}, nil, nil); !errors.As(err, &e) {
		t.Errorf("a note of something else: %v", err)
	}
}
