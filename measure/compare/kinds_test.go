package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/model"
)

// kindLists are lists of ten documents, or three where they are short, whose answer stands
// at rank 1, of kinds in turn.
func kindLists(t *testing.T, questions int, kinds ...string) *dataset.Dataset {
	t.Helper()
	var cases []dataset.Case
	for i := range questions {
		c := dataset.Case{
			Question: fmt.Sprintf("question %d?", i), Answers: []string{"yes"}, Kind: kinds[i%len(kinds)],
			Documents: make([]dataset.Document, 10), Golds: []int{0},
		}
		if c.Kind == "short" {
			c.Documents = c.Documents[:3]
		}
		for d := range c.Documents {
			c.Documents[d].Text = fmt.Sprintf("document %d of %d", d, i)
		}
		cases = append(cases, c)
	}
	by := ""
	if len(kinds) > 1 {
		by = "language"
	}
	lists, err := dataset.Rules{Lists: true, By: by}.New(cases...)
	if err != nil {
		t.Fatal(err)
	}
	return lists
}

// kindReader is right so often, by kind and arm, and half of the time elsewhere. Prompts
// have 40 tokens and ten a document.
func kindReader(lists *dataset.Dataset, share map[string]map[string]float64) model.Model {
	return model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		c, err := lists.Case(call.Index)
		if err != nil {
			return model.Answer{}, err
		}
		p, known := share[c.Kind][call.Arm]
		if !known {
			p = 0.5
		}
		question := rand.New(rand.NewPCG(1, uint64(call.Index)))
		common := question.Float64()
		own := rand.New(rand.NewPCG(core.SeedFor(2, call.Arm), uint64(call.Index)))
		if own.Float64() < 0.1 {
			common = own.Float64()
		}
		text := "no"
		if common < p {
			text = "yes"
		}
		return model.Answer{Text: text, FinishReason: "stop", Usage: model.Usage{Prompt: 40 + 10*call.Documents, Completion: 2}}, nil
	})
}

// Two kinds that hide each other in one verdict have a verdict each; what is decided is
// asked no more, rare kinds are taken together, and killed at random it is all the same.
func TestKinds(t *testing.T) {
	t.Parallel()
	values := strings.Fields(strings.Repeat("de en ", 20) + strings.Repeat("fr ", 20) + "it xx")
	lists := kindLists(t, 1550, values...)
	p := mustPlan(t, lists, armsOf(t, "ranked", "reversed", "head-tail"), func(s *Settings) { s.Shuffles, s.Repeats = 1, -1 })
	d := described(p, func(d *Described) { d.UntilDecided = true })
	m := kindReader(lists, map[string]map[string]float64{"de": {"reversed": .75}, "en": {"reversed": .25, "head-tail": .3}})
	whole := mustJournal(t)
	progress := mustRun(t, p, d, m, whole, 4)
	r := mustSummarize(t, whole)
	if len(r.Kinds) != 4 || r.By != "language" || r.Word != evidence.Reorder || r.Winner != "ranked" {
		t.Fatalf("%s %s by %q: %s", r.Word, r.Winner, r.By, r.Finding)
	}
	for i, want := range []struct {
		name, winner string
		word         evidence.Word
		most         int // questions
	}{{"de", "reversed", evidence.Reorder, 200}, {"en", "ranked", evidence.Keep, 200}, {"fr", "ranked", evidence.Inconclusive, 500}, {"(other)", "ranked", evidence.Inconclusive, 60}} {
		k := r.Kinds[i]
		if k.Name != want.name || k.Winner != want.winner || k.Word != want.word && want.name != "fr" || k.Questions > want.most || k.Questions == 0 {
			t.Errorf("%s: %s %s after %d questions, want %+v", k.Name, k.Word, k.Winner, k.Questions, want)
		}
	}
	if other := r.Kinds[3]; !other.Pooled || !reflect.DeepEqual(other.Values, []string{"it", "xx"}) {
		t.Errorf("pooled: %+v", other.QuestionKind)
	}
	counted := 0
	for _, k := range r.Kinds {
		counted += k.Questions
	}
	if counted != r.Questions.Counted || progress.Answered > 3*counted+200 {
		t.Errorf("%d questions of kinds, %d counted, %d calls", counted, r.Questions.Counted, progress.Answered)
	}
	if r.Arms[1].Against.Sequential != nil {
		t.Error("the figures over all kinds look like a verdict")
	}

	s := r.Settings
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	s = Settled{}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	type key struct{}
	choose, err := s.Select(func(ctx context.Context) string { v, _ := ctx.Value(key{}).(string); return v })
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{"de": "reversed", "en": "ranked", "xx": "ranked", "new": "none", "": "none"} {
		got := "none"
		if a := choose(context.WithValue(t.Context(), key{}, value)); a != nil {
			got = fmt.Sprint(a.Config().Placement)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// More questions keep the kinds of the first run: a new value joins the rare ones.
func TestKindsStay(t *testing.T) {
	t.Parallel()
	kind := func(name string, values ...string) QuestionKind {
		return QuestionKind{Name: name, Values: values, Pooled: name == pooledName}
	}
	late := func(k QuestionKind) QuestionKind { k.Late = true; return k }
	for name, c := range map[string]struct{ earlier, now, want []QuestionKind }{
		"none before": {nil, []QuestionKind{kind("a", "a")}, []QuestionKind{kind("a", "a")}},
		"the same":    {[]QuestionKind{kind("a", "a")}, []QuestionKind{kind("a", "a")}, []QuestionKind{kind("a", "a")}},
		"a rare one that is now frequent": {
			[]QuestionKind{kind("a", "a"), kind(pooledName, "b")},
			[]QuestionKind{kind("b", "b"), kind("a", "a")},
			[]QuestionKind{kind("a", "a"), kind(pooledName, "b")},
		},
		"a new one": {
			[]QuestionKind{kind("a", "a")},
			[]QuestionKind{kind("b", "b"), kind("a", "a"), kind(pooledName, "c")},
			[]QuestionKind{kind("a", "a"), late(kind(pooledName, "b", "c"))},
		},
	} {
		if got := keepKinds(c.earlier, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A call can choose an order; what it cannot choose is refused.
func TestSelectRefuses(t *testing.T) {
	t.Parallel()
	value := func(context.Context) string { return "" }
	other := DefaultPrompt()
	other.Instruction = "Answer."
	for name, c := range map[string]struct {
		kind  SettledKind
		value func(context.Context) string
		says  string
	}{
		"another layout": {SettledKind{Values: []string{"de"}, Prompt: other}, value, "make a chain for each layout"},
		"a bad order":    {SettledKind{Values: []string{"de"}, Order: core.Config{TopK: -1}, Prompt: DefaultPrompt()}, value, "TopK"},
		"a value twice":  {SettledKind{Values: []string{"de", "de"}, Prompt: DefaultPrompt()}, value, "stands twice"},
		"no value":       {SettledKind{Values: []string{"de"}, Prompt: DefaultPrompt()}, nil, "value"},
	} {
		s := Settled{Prompt: DefaultPrompt(), By: "language", Kinds: []SettledKind{c.kind}}
		if _, err := s.Select(c.value); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// topArms are numbers of documents, the most first.
func topArms(counts ...int) []Arm {
	var arms []Arm
	for _, k := range counts {
		arms = append(arms, Arm{
			Name: fmt.Sprintf("top %d", k), Order: core.Config{Placement: core.Choice{Placement: core.RankOrder}, TopK: k}, Prompt: DefaultPrompt(),
		})
	}
	return arms
}

// The cheapest arm that is no worse is named, and what is known is asked no more.
func TestNoWorse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		share  map[string]float64
		word   evidence.Word
		winner string
	}{
		"one document loses": {map[string]float64{"top 1": .3}, evidence.AsGood, "top 3"},
		"none loses":         {nil, evidence.AsGood, "top 1"},
		"all lose":           {map[string]float64{"top 5": .35, "top 3": .35, "top 1": .3}, evidence.Keep, "top 10"},
	} {
		lists := kindLists(t, 3000, "")
		p := mustPlan(t, lists, topArms(10, 5, 3, 1), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
		d := described(p, func(d *Described) {
			d.UntilDecided, d.NoWorse, d.Prices = true, 0.05, model.Prices{Prompt: 1, Completion: 1}
		})
		m := kindReader(lists, map[string]map[string]float64{"": c.share})
		whole := mustJournal(t)
		mustRun(t, p, d, m, whole, 4)
		r := mustSummarize(t, whole)
		if r.Word != c.word || r.Winner != c.winner || r.Questions.Counted >= 3000 {
			t.Errorf("%s: %s", name, r.Finding)
			continue
		}
		winner := r.arm(r.Winner)
		if top := winner.Cost; top == nil || top.Thousand == nil {
			t.Errorf("%s: no cost: %+v", name, winner)
		} else if c.winner == "top 3" && (top.Prompt != 70 || math.Abs(top.Share-72.0/142) > 1e-9 || math.Abs(*top.Thousand-.072) > 1e-9) {
			t.Errorf("%s: cost %+v a thousand %v", name, top, *top.Thousand)
		}
		if c.winner == "top 3" {
			if worse := r.arm("top 1"); !worse.Against.Sequential.Worse || worse.Full.N > r.Questions.Counted*2/3 {
				t.Errorf("%s: top 1 was asked %d of %d questions: %+v", name, worse.Full.N, r.Questions.Counted, worse.Against.Sequential)
			}
		}
	}
}

// A model that answers nothing right loses nothing either: that is not as good.
func TestNoWorseNeedsAModelThatReads(t *testing.T) {
	t.Parallel()
	lists := kindLists(t, 400, "")
	p := mustPlan(t, lists, topArms(10, 1), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	for _, until := range []bool{true, false} {
		d := described(p, func(d *Described) { d.UntilDecided, d.NoWorse = until, 0.1 })
		j := mustJournal(t)
		mustRun(t, p, d, kindReader(lists, map[string]map[string]float64{"": {"top 10": 0, "top 1": 0}}), j, 4)
		if r := mustSummarize(t, j); r.Word == evidence.AsGood || r.Word == evidence.Keep {
			t.Errorf("until decided %v: %s", until, r.Finding)
		}
	}
}

// Failures speak for nothing: where the cheaper arm fails it is not as good.
func TestNoWorseWithFailures(t *testing.T) {
	t.Parallel()
	lists := kindLists(t, 600, "")
	p := mustPlan(t, lists, topArms(10, 3), func(s *Settings) { s.Shuffles, s.Repeats = -1, -1 })
	d := described(p, func(d *Described) { d.NoWorse = 0.05 })
	inner := kindReader(lists, nil)
	m := model.Func(func(ctx context.Context, ask model.Prompt) (model.Answer, error) {
		if call, _ := model.CallFrom(ctx); call.Arm == "top 3" && call.Index%8 == 0 {
			return model.Answer{}, &model.Error{Status: 400}
		}
		return inner.Ask(ctx, ask)
	})
	j := mustJournal(t)
	mustRun(t, p, d, m, j, 4)
	r := mustSummarize(t, j)
	if r.Word == evidence.AsGood || r.FailuresDecide != evidence.AsGood {
		t.Errorf("%s, failures decide %q: %s", r.Word, r.FailuresDecide, r.Finding)
	}
}
