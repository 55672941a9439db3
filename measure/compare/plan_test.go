package compare

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
)

func TestPlanAsksAllArmsOfAQuestionTogether(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 3, 4, 0.5)
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles = 2 })
	if p.Len() != 3*5 || p.Questions() != 3 {
		t.Fatalf("%d calls, %d questions", p.Len(), p.Questions())
	}
	var arms []string
	for i := range p.Len() {
		call, err := p.Call(i)
		if err != nil {
			t.Fatal(err)
		}
		arms = append(arms, call.Arm)
		if first, _ := p.Call(i / 5 * 5); first.Question != call.Question {
			t.Errorf("call %d asks question %s beside %s", i, call.Question, first.Question)
		}
	}
	want := []string{"ranked", "reversed", "shuffle 1", "shuffle 2", "repeat 1"}
	for i, arm := range arms {
		if arm != want[i%5] {
			t.Errorf("call %d: -want %s +got %s", i, want[i%5], arm)
		}
	}
	ranked, _ := p.Call(0)
	reversed, _ := p.Call(1)
	repeat, _ := p.Call(4)
	if documents(ranked.Prompt.Text) != "1 2 3 4" || documents(reversed.Prompt.Text) != "4 3 2 1" {
		t.Errorf("ranked %q, reversed %q", documents(ranked.Prompt.Text), documents(reversed.Prompt.Text))
	}
	if ranked.Slot != 3-reversed.Slot || ranked.Documents != 4 {
		t.Errorf("the answer in slot %d as ranked, %d reversed", ranked.Slot, reversed.Slot)
	}
	if repeat.Prompt.Text != ranked.Prompt.Text || repeat.Key == ranked.Key {
		t.Error("the repeat is no call of its own with the baseline's prompt")
	}
	again := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles = 2 })
	for i := range p.Len() {
		a, _ := p.Call(i)
		b, _ := again.Call(i)
		if a.Key != b.Key {
			t.Errorf("call %d has another key in an equal plan", i)
		}
	}
}

// documents names the documents of a prompt, in their order.
func documents(text string) string {
	var ids []string
	for _, line := range strings.Split(text, "\n") {
		if _, after, ok := strings.Cut(line, ") document "); ok || strings.Contains(line, "] document ") {
			if !ok {
				_, after, _ = strings.Cut(line, "] document ")
			}
			id, _, _ := strings.Cut(after, ":")
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, " ")
}

func TestShufflesDifferFromQuestionToQuestion(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 20, 8, 0.5), armsOf(t, "ranked", "reversed"), nil)
	seen := map[string]bool{}
	for q := range 20 {
		for arm := 2; arm < 5; arm++ {
			call, err := p.Call(q*6 + arm)
			if err != nil {
				t.Fatal(err)
			}
			ids := strings.Fields(documents(call.Prompt.Text))
			seen[strings.Join(ids, " ")] = true
			if slices.Sort(ids); strings.Join(ids, " ") != "1 2 3 4 5 6 7 8" {
				t.Errorf("a shuffle holds %v", ids)
			}
		}
	}
	if len(seen) < 58 {
		t.Errorf("60 shuffles of 8 documents gave %d orders", len(seen))
	}
}

func TestIdenticalArms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		documents int
		arms      []string
		want      string
	}{
		{5, []string{"ranked", "head-tail", "long-context"}, "head-tail"}, // equal for odd numbers
		{6, []string{"ranked", "tail-head", "long-context"}, "tail-head"},
		{6, []string{"ranked", "head-tail", "long-context"}, ""},
		{4, []string{"ranked", "reversed", "edges-first=2"}, "ranked"},
		{5, []string{"ranked", "reversed", "document-order"}, ""}, // the documents decide
	} {
		p := mustPlan(t, mustLists(t, 3, c.documents, 0.5), armsOf(t, c.arms...), nil)
		if got := p.Describe().Arms[2].Identical; got != c.want {
			t.Errorf("%d documents, %v: -want %q +got %q", c.documents, c.arms, c.want, got)
		}
	}
	// Whatever may leave documents out changes their number.
	arms := armsOf(t, "ranked", "head-tail", "long-context")
	for i := range arms {
		arms[i].Order.TopK = 4
	}
	if got := mustPlan(t, mustLists(t, 3, 5, 0.5), arms, nil).Describe().Arms[2].Identical; got != "" {
		t.Errorf("with a top-k of 4: %q", got)
	}
	arms = armsOf(t, "ranked", "head-tail", "long-context")
	arms[2].Prompt.Layout = prompt.QuestionLast
	if got := mustPlan(t, mustLists(t, 3, 5, 0.5), arms, nil).Describe().Arms[2].Identical; got != "" {
		t.Errorf("in another layout: %q", got)
	}
	// Bookend differs from question-last by rules, task and reminder alone.
	arms = armsOf(t, "ranked", "head-tail", "head-tail")
	arms[1].Prompt.Layout, arms[2].Prompt.Layout = prompt.QuestionLast, prompt.Bookend
	arms[2].Name = "bookend"
	for reminder, want := range map[string]string{"": "head-tail", "Be brief.": ""} {
		arms[1].Prompt.Reminder, arms[2].Prompt.Reminder = reminder, reminder
		if got := mustPlan(t, mustLists(t, 3, 5, 0.5), arms, nil).Describe().Arms[2].Identical; got != want {
			t.Errorf("bookend with the reminder %q: -want %q +got %q", reminder, want, got)
		}
	}
}

func TestNewPlanNamesEveryFault(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 3, 4, 0.5)
	kv, err := dataset.KeyValues(1, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	bad := armsOf(t, "ranked", "ranked")
	bad[0].Order.TopK = -1
	for _, c := range []struct {
		lists  *dataset.Dataset
		s      Settings
		fields []string
	}{
		{kv, Settings{Model: "m", Arms: armsOf(t, "ranked", "reversed")}, []string{"lists"}},
		{lists, Settings{Questions: -1, Shuffles: 101}, []string{"Model", "Questions", "Shuffles", "Arms"}},
		{lists, Settings{Model: "m", Arms: bad}, []string{"Arms", "TopK"}},
		{lists, Settings{Model: "m", Arms: []Arm{{Name: "a"}, {Name: "shuffle 1"}}}, []string{"Arms"}},
		{lists, Settings{Model: "m", Arms: []Arm{{}, {Name: "b", Prompt: prompt.Config{Format: "poem"}}}}, []string{"Arms", "Format"}},
		{lists, Settings{Model: "m", Params: model.Params{Temperature: -1}, Arms: armsOf(t, "ranked", "reversed")}, []string{"Params.Temperature"}},
		{lists, Settings{Model: "m", Params: model.Params{MaxTokens: model.MaxTokens + 1}, Arms: armsOf(t, "ranked", "reversed")}, []string{"Params.MaxTokens"}},
	} {
		_, err := NewPlan(c.lists, c.s)
		for _, field := range c.fields {
			if !hasField(err, field) {
				t.Errorf("%+v: no fault of %s in %v", c.s, field, err)
			}
		}
	}
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), nil)
	for _, i := range []int{-1, p.Len()} {
		if _, err := p.Call(i); err == nil {
			t.Errorf("call %d: no error", i)
		}
	}
}

func hasField(err error, field string) bool {
	if e := (*core.ConfigError)(nil); errors.As(err, &e) && e.Field == field {
		return true
	}
	joined, ok := err.(interface{ Unwrap() []error })
	return ok && slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return hasField(e, field) })
}

func TestPlanEstimateCountsSharedCallsOnce(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 1000, 5, 0.5), armsOf(t, "ranked", "head-tail", "long-context"), func(s *Settings) {
		s.Shuffles, s.Params.MaxTokens = -1, 10
		s.Count = func(string) int { return 100 }
	})
	e, err := p.Estimate(t.Context(), model.Prices{Prompt: 1})
	if err != nil || e.Calls != 2050 || e.Usage != (model.Usage{Prompt: 205_000, Completion: 20_500}) || math.Abs(e.Cost-0.205) > 1e-9 || !e.Priced {
		t.Errorf("%+v, %v", e, err)
	}
}

// Only some questions are read, and the controls of the first questions are not taken for
// those of all.
func TestPlanEstimateOfManyQuestions(t *testing.T) {
	t.Parallel()
	lists := mustLists(t, 1000, 5, 0.5)
	for controls, want := range map[int]int{50: 2*1000 + 2*50, 600: 2*1000 + 2*600, -1: 4 * 1000} {
		p := mustPlan(t, lists, armsOf(t, "ranked", "reversed"), func(s *Settings) { s.Shuffles, s.Repeats, s.Controls = 1, 1, controls })
		e, err := p.Estimate(t.Context(), model.Prices{})
		// A shuffle may give a prompt that another arm has.
		if err != nil || e.Calls > want || e.Calls < want-want/50 || p.Len() != want || e.Read == e.Questions {
			t.Errorf("%d controls: %v, %v, %d calls; want about %d", controls, e, err, p.Len(), want)
		}
	}
}

func TestSharedQuestionsAndMisfits(t *testing.T) {
	t.Parallel()
	p := mustPlan(t, mustLists(t, 5, 4, 0.5), armsOf(t, "ranked", "reversed"), nil)
	id, _, err := p.Question(2)
	if err != nil {
		t.Fatal(err)
	}
	curve := &core.Curve{Model: "fake", Documents: 4, Layout: "instruction-first/titled", Asked: "0011223344556677 " + id}
	if n, err := p.SharedWith(curve); n != 1 || err != nil {
		t.Errorf("shared: -want 1 +got %d, %v", n, err)
	}
	if got := p.Misfits(curve); got != nil {
		t.Errorf("misfits of a curve that fits: %q", got)
	}
	if n, err := p.SharedWith(&core.Curve{}); n != 0 || err != nil {
		t.Errorf("a curve that names none: %d, %v", n, err)
	}
	if got := p.Misfits(&core.Curve{Model: "other", Documents: 20, Layout: "question-last/xml"}); len(got) != 4 {
		t.Errorf("misfits: %q", got)
	}
}
