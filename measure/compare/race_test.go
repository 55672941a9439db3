package compare

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
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

// A comparison that races asks fewer calls.
func TestARaceAsksFewerCalls(t *testing.T) {
	t.Parallel()
	p, d, m := racing(t, nil)
	j := mustJournal(t)
	progress := mustRun(t, p, d, m, j, 4)
	r := mustSummarize(t, j)
	if r.Word != evidence.Reorder || r.Winner != "reversed" {
		t.Fatal(r.Finding)
	}
	all := r.Questions.Counted * (1 + 6)
	if spent := progress.Answered; spent > all*3/4 {
		t.Errorf("%d calls, and asking everybody takes %d", spent, all)
	}
}

// callsOf are the calls of a plan by their keys.
func callsOf(p *Plan) map[string]model.Call {
	calls := map[string]model.Call{}
	for i := range p.Len() {
		if call, err := p.Call(i); err == nil && calls[call.Key].Key == "" { // arms may share it
			calls[call.Key] = call
		}
	}
	return calls
}

// resultsOf is the result file of a batch.
func resultsOf(t *testing.T, calls map[string]model.Call, m model.Model, lines string) string {
	t.Helper()
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
		fmt.Fprintf(&results, `{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}}}`+"\n", request.ID, text, answer.Usage.Prompt, answer.Usage.Completion)
	}
	return results.String()
}
