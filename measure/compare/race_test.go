package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
)

// racing is a comparison of five challengers, of which reversed gains.
func racing(t *testing.T, change func(*Described)) (*Plan, Described, model.Model) {
	t.Helper()
	accuracy := []float64{.45, .45, .45, .45, .47, .57}
	arms := armsOf(t, "ranked", "reversed", "head-tail", "tail-head", "edges-first", "long-context")
	arms = append(arms, Arm{Name: "shuffled", Order: core.Config{Placement: core.Choice{Placement: core.Shuffled{Seed: 5}}}, Prompt: DefaultPrompt()})
	p := mustPlan(t, mustLists(t, 1500, 6, 0.5), arms, func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	d := described(p, func(d *Described) { d.UntilDecided = true })
	if change != nil {
		change(&d)
	}
	return p, d, reader(t, accuracy)
}

// notesOf returns what the journal notes of each question: whom it was asked in.
func notesOf(t *testing.T, j *journal.Journal) (order []string, asked map[string]string, calls map[string]int) {
	t.Helper()
	asked, calls = map[string]string{}, map[string]int{}
	reading, err := journal.Read(j.Path(), func(r journal.Record) error { calls[r.Key]++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range reading.Notes {
		if _, known := asked[n.Name]; !known {
			order = append(order, n.Name)
		}
		asked[n.Name] = string(n.Value)
	}
	return order, asked, calls
}

// interrupted runs a comparison of so many calls that is killed at random so often.
func interrupted(t *testing.T, p *Plan, d Described, m model.Model, kills, answered int) *journal.Journal {
	t.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	j := mustJournal(t)
	for kill := 0; ; kill++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := int64(answered)/int64(kills)/2 + draw.Int64N(int64(answered)/int64(kills)+2)
		if kill == kills {
			left = 1 << 40
		}
		var calls atomic.Int64
		counting := model.Func(func(inner context.Context, ask model.Prompt) (model.Answer, error) {
			if calls.Add(1) > left {
				cancel()
				return model.Answer{}, inner.Err()
			}
			return m.Ask(inner, ask)
		})
		_, err := Run(ctx, p, d, counting, j, run.Limits{Concurrency: 1 + draw.IntN(6)})
		ended := ctx.Err() == nil
		cancel()
		if ended {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	return j
}

// sameChoices says that two journals asked the same of the first questions, and that the
// second made no call twice.
func sameChoices(t *testing.T, whole, j *journal.Journal, counted int) {
	t.Helper()
	order, asked, _ := notesOf(t, whole)
	gotOrder, gotAsked, calls := notesOf(t, j)
	for key, n := range calls {
		if n > 1 {
			t.Fatalf("call %s was made %d times", key, n)
		}
	}
	both := min(len(order), len(gotOrder)) // what was begun beyond the end depends on what was open
	if both < counted || !reflect.DeepEqual(order[:both], gotOrder[:both]) {
		t.Errorf("%d questions, and %d without a kill, or in another order", len(gotOrder), len(order))
	}
	for _, id := range order[:both] {
		if asked[id] != gotAsked[id] {
			t.Errorf("question %s was asked in other arms:\n%s\n%s", id, asked[id], gotAsked[id])
		}
	}
}

// A comparison that races asks fewer calls, and killed at random it makes the same choices,
// comes to the same verdict and makes no call twice.
func TestARaceIsTheSameWhenItIsInterrupted(t *testing.T) {
	t.Parallel()
	p, d, m := racing(t, nil)
	whole := mustJournal(t)
	progress := mustRun(t, p, d, m, whole, 4)
	want := mustSummarize(t, whole)
	if want.Word != evidence.Reorder || want.Winner != "reversed" {
		t.Fatal(want.Finding)
	}
	all := want.Questions.Counted * (1 + 6)
	if spent := progress.Answered; spent > all*3/4 {
		t.Errorf("%d calls, and asking everybody takes %d", spent, all)
	}
	j := interrupted(t, p, d, m, 50, progress.Answered)
	sameChoices(t, whole, j, want.Questions.Counted)
	got := mustSummarize(t, j)
	if got.Word != want.Word || got.Winner != want.Winner || got.Questions.Counted != want.Questions.Counted {
		t.Errorf("%s\n%s", got.Finding, want.Finding)
	}
	for i := range want.Arms {
		if !reflect.DeepEqual(got.Arms[i].Against, want.Arms[i].Against) || got.Arms[i].Full != want.Arms[i].Full {
			t.Errorf("%s: %+v, want %+v", want.Arms[i].Name, got.Arms[i], want.Arms[i])
		}
	}
}

// By batches a comparison goes in rounds, each of which knows what the ones before found.
func TestARaceInRounds(t *testing.T) {
	t.Parallel()
	p, d, m := racing(t, func(d *Described) { d.Lag = 60 })
	live := mustJournal(t)
	mustRun(t, p, d, m, live, 3)
	want := mustSummarize(t, live)
	j := mustJournal(t)
	rounds, requests := 0, 0
	for ; rounds < 40; rounds++ {
		source, err := Noted(p, d, j)
		if err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		size, err := batch.Write(&lines, source, "fake", p.Settings().Params, j)
		if err != nil {
			t.Fatal(err)
		}
		if size.Requests == 0 {
			break
		}
		requests += size.Requests
		results := resultsOf(t, p, m, lines.String())
		if source, err = Noted(p, d, j); err != nil {
			t.Fatal(err)
		}
		if result, err := batch.Read(strings.NewReader(results), source, j); err != nil || result.Answered != size.Requests || result.Unknown != 0 {
			t.Fatalf("round %d of %d requests: %v, %v", rounds+1, size.Requests, result, err)
		}
	}
	got := mustSummarize(t, j)
	if got.Word != want.Word || got.Winner != want.Winner || got.Questions.Counted != want.Questions.Counted || rounds < 2 || rounds > 30 {
		t.Errorf("after %d rounds: %s\nat once: %s", rounds, got.Finding, want.Finding)
	}
	if _, _, calls := notesOf(t, j); len(calls) != requests {
		t.Errorf("%d calls were answered, and %d asked", len(calls), requests)
	}
}

// resultsOf is the result file of a batch.
func resultsOf(t *testing.T, p *Plan, m model.Model, lines string) string {
	t.Helper()
	calls := map[string]model.Call{}
	for i := range p.Len() {
		if call, err := p.Call(i); err == nil {
			calls[call.Key] = call
		}
	}
	var results strings.Builder
	for line := range strings.Lines(lines) {
		var request struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		call := calls[request.ID]
		answer, err := m.Ask(model.WithCall(t.Context(), call), call.Prompt)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(answer.Text)
		fmt.Fprintf(&results, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}}}`+"\n", request.ID, text)
	}
	return results.String()
}
