package sweep

import (
	"context"
	"flag"
	"reflect"
	"testing"

	"github.com/bookend-rag/bookend/measure/internal/fake"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// go test ./measure/sweep -run Killed -kills 50
var kills = flag.Int("kills", 6, "how often a sweep is killed")

// Killed at random, with slow answers out of order, a sweep that stops at its shape chooses
// the same slots, comes to the same shape, and makes no call twice but what was open.
func TestKilledSweepUntilDecided(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, thinFrom+100, 10, nil)
	d := Described{Manifest: p.Describe(), UntilDecided: true}
	reader, err := simulate.NewReader([]float64{.85, .7, .6, .55, .5, .5, .5, .5, .5, .5}, simulate.DefaultCorrelation, 5)
	if err != nil {
		t.Fatal(err)
	}
	m := model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		right := false
		switch call.Arm {
		case ArmClosedBook:
		case ArmOracle:
			right = true
		default:
			right = reader.Right(call.Index, call.Slot)
		}
		answer := model.Answer{Text: "none", FinishReason: "stop"}
		if right {
			answer.Text = call.Answers[0]
		}
		return answer, nil
	})
	whole, j := fake.Journal(t, fake.Path(t)), fake.Journal(t, fake.Path(t))
	progress, err := Run(t.Context(), p, d, m, whole, run.Limits{Concurrency: 1, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := mustSummarizeJournal(t, whole)
	if want.Verdict == nil || want.Verdict.Shape != "primacy" || want.Questions.Complete >= p.Describe().Questions {
		t.Fatalf("%+v: %s", want.Questions, want.Finding)
	}
	asked := fake.Killed(t, m, *kills, progress.Answered, func(ctx context.Context, slow model.Model, concurrency int) error {
		_, err := Run(ctx, p, d, slow, j, run.Limits{Concurrency: concurrency, Retries: -1})
		return err
	})
	got := mustSummarizeJournal(t, j)
	for i := range want.Slots { // these count what was begun beyond the end, too
		got.Slots[i].Counts, want.Slots[i].Counts = judge.Counts{}, judge.Counts{}
	}
	if !reflect.DeepEqual(got.Verdict, want.Verdict) || !reflect.DeepEqual(got.Slots, want.Slots) || got.Questions.Complete != want.Questions.Complete {
		t.Errorf("%s\nundisturbed: %s", got.Finding, want.Finding)
	}
	wantNotes, _ := notesOf(t, whole)
	gotNotes, calls := notesOf(t, j)
	both := min(len(wantNotes), len(gotNotes)) // what was begun beyond the end depends on what was open
	if both < want.Questions.Complete || !reflect.DeepEqual(wantNotes[:both], gotNotes[:both]) {
		t.Errorf("%d and %d questions, or other choices", len(gotNotes), len(wantNotes))
	}
	thinned := 0
	for _, n := range gotNotes {
		if len(n.Value) > len("{}") {
			thinned++
		}
	}
	if thinned < both/2 {
		t.Errorf("only %d of %d questions were thinned: the test shows little", thinned, both)
	}
	for key, n := range calls {
		if n > 1 {
			t.Errorf("call %s was made %d times", key, n)
		}
	}
	if asked > len(calls)+*kills*fake.KilledConcurrency {
		t.Errorf("%d calls were made for %d answers and %d kills", asked, len(calls), *kills)
	}
}

func notesOf(t *testing.T, j *journal.Journal) (notes []journal.Note, calls map[string]int) {
	t.Helper()
	calls = map[string]int{}
	reading, err := journal.Read(j.Path(), func(r journal.Record) error { calls[r.Key]++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return reading.Notes, calls
}
