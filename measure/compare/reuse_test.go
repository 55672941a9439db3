package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/reuse"
	"github.com/bookend-rag/bookend/measure/dataset"
)

// shuffledLists are lists of five of eight documents each, in an order of their own.
func shuffledLists(t *testing.T, rules dataset.Rules, seed uint64, n int) *dataset.Dataset {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 0))
	var lines []string
	for i := range n {
		var ctxs []string
		for _, d := range draw.Perm(8)[:5] {
			ctxs = append(ctxs, fmt.Sprintf(`{"id":"d%d","text":"the answer, or document %d"}`, d, d))
		}
		lines = append(lines, fmt.Sprintf(`{"question":"question %d of %d","answers":["the answer"],"ctxs":[%s]}`, i, seed, strings.Join(ctxs, ",")))
	}
	path := filepath.Join(t.TempDir(), "lists.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	rules.Lists = true
	lists, err := rules.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lists.Close() })
	return lists
}

// reuseArms are ranked, and ranked with the best rank held.
func reuseArms(before *dataset.Dataset) []Arm {
	base := Arm{Name: "ranked", Order: core.Config{Placement: core.Choice{Placement: core.RankOrder}}, Prompt: DefaultPrompt()}
	base.Prompt.Labels = prompt.ByID
	held := base
	held.Name, held.Reuse = "held", &Reuse{Hold: 1, Before: before}
	return []Arm{base, held}
}

// sentOneAfterTheOther are the prompts of a program with a memory, by question.
func sentOneAfterTheOther(t *testing.T, arm Arm, lists ...*dataset.Dataset) map[string]string {
	t.Helper()
	memory, err := reuse.New(reuse.Config{Hold: 1, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	arm.Order.Reuse = memory
	renderer, arranger, err := prompt.Compile(arm.Prompt, arm.Order, false, false)
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]string{}
	for _, l := range lists {
		for i := range l.Len() {
			c, err := l.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			p, err := prompt.Build(t.Context(), renderer, arranger, c.Documents, view(armPlan{arranger: arranger, renderer: renderer}), prompt.Input{Question: c.Question})
			if err != nil {
				t.Fatal(err)
			}
			sent[c.ID] = p.Text
		}
	}
	return sent
}

// The arm's prompts are those that a program would have sent, whichever questions are
// asked, and in whichever order they are built.
func TestReuseArmSendsWhatAProgramWouldHaveSent(t *testing.T) {
	t.Parallel()
	lists, before := shuffledLists(t, dataset.Rules{}, 1, 40), shuffledLists(t, dataset.Rules{Requests: true}, 2, 60)
	for name, c := range map[string]struct {
		before    *dataset.Dataset
		questions int
		seed      uint64
	}{
		"all": {nil, 0, 1}, "some": {nil, 7, 1}, "another order": {nil, 0, 9}, "after others": {before, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arms := reuseArms(c.before)
			all := []*dataset.Dataset{lists}
			if c.before != nil {
				all = []*dataset.Dataset{c.before, lists}
			}
			want := sentOneAfterTheOther(t, arms[0], all...)
			p, err := NewPlan(lists, Settings{Model: "m", Arms: arms, Questions: c.questions, Seed: c.seed, Shuffles: 1, Repeats: -1})
			if err != nil {
				t.Fatal(err)
			}
			moved := 0
			for _, i := range rand.New(rand.NewPCG(c.seed, 1)).Perm(p.Questions()) {
				ranked, err := p.Call(3 * i)
				if err != nil {
					t.Fatal(err)
				}
				held, err := p.Call(3*i + 1)
				if err != nil {
					t.Fatal(err)
				}
				if held.Prompt.Text != want[held.Question] {
					t.Errorf("question %s (-want +got)\n-%s\n+%s", held.Question, want[held.Question], held.Prompt.Text)
				}
				if held.Prompt.Text != ranked.Prompt.Text {
					moved++
				} else if held.Key != ranked.Key {
					t.Error("one prompt has two keys")
				}
			}
			if moved == 0 {
				t.Error("the memory moved nothing")
			}
		})
	}
}

func TestReuseArmIsAnotherArm(t *testing.T) {
	t.Parallel()
	lists := shuffledLists(t, dataset.Rules{}, 1, 10)
	describe := func(r *Reuse) Described {
		arms := reuseArms(nil)
		arms[1].Reuse = r
		p, err := NewPlan(lists, Settings{Model: "m", Arms: arms})
		if err != nil {
			t.Fatal(err)
		}
		if p.same[1] != "" && r != nil {
			t.Errorf("%+v is taken for identical to %s", r, p.same[1])
		}
		return Described{Manifest: p.Describe()}
	}
	one := describe(&Reuse{Hold: 1})
	for _, other := range []*Reuse{nil, {Hold: 2}, {Hold: 1, Decay: 0.9}, {Hold: 1, Before: shuffledLists(t, dataset.Rules{Requests: true}, 2, 3)}} {
		if one.SameComparison(describe(other)) {
			t.Errorf("%+v is taken for hold 1", other)
		}
	}
	if !one.SameComparison(describe(&Reuse{Hold: 1})) {
		t.Error("the same arm is taken for another")
	}
	if note := one.Arms[1].withReuse(); !strings.Contains(note, "hold 1") || one.Arms[0].withReuse() != "" {
		t.Errorf("note: %q", note)
	}
}

func TestReuseArmFaults(t *testing.T) {
	t.Parallel()
	lists := shuffledLists(t, dataset.Rules{}, 1, 3)
	for name, change := range map[string]func(*Arm){
		"worth without a curve": func(a *Arm) { a.Reuse = &Reuse{Worth: 1} },
		"labels by rank":        func(a *Arm) { a.Prompt.Labels = prompt.ByRank },
		"groups":                func(a *Arm) { a.Order.Groups = true },
	} {
		arms := reuseArms(nil)
		change(&arms[1])
		_, err := NewPlan(lists, Settings{Model: "m", Arms: arms})
		if e := (*core.ConfigError)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	arms := reuseArms(nil) // a live memory of the caller's is none of the arm's
	memory, err := reuse.New(reuse.Config{Hold: 1})
	if err != nil {
		t.Fatal(err)
	}
	arms[1].Reuse, arms[1].Order.Reuse = nil, memory
	p, err := NewPlan(lists, Settings{Model: "m", Arms: arms, Shuffles: -1, Repeats: -1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Questions() {
		a, errA := p.Call(2 * i)
		b, errB := p.Call(2*i + 1)
		if errA != nil || errB != nil || !slices.Equal(a.Prompt.Messages, b.Prompt.Messages) {
			t.Errorf("%v, %v", errA, errB)
		}
	}
	if n := memory.Stats().Requests; n != 0 {
		t.Errorf("the caller's memory was told %d orders", n)
	}
}
