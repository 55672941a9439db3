package compare

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/simulate"
)

// arms of named placements over the default prompt; the first is the baseline.
func armsOf(t testing.TB, names ...string) []Arm {
	t.Helper()
	var arms []Arm
	for _, name := range names {
		p, err := core.ParsePlacement(name)
		if err != nil {
			t.Fatal(err)
		}
		arms = append(arms, Arm{Name: name, Order: core.Config{Placement: core.Choice{Placement: p}}, Prompt: DefaultPrompt()})
	}
	return arms
}

func mustLists(t testing.TB, cases, documents int, decay float64) *dataset.Dataset {
	t.Helper()
	lists, err := dataset.SimulatedLists(1, cases, documents, decay)
	if err != nil {
		t.Fatal(err)
	}
	return lists
}

func mustPlan(t testing.TB, lists *dataset.Dataset, arms []Arm, change func(*Settings)) *Plan {
	t.Helper()
	s := Settings{Model: "fake", Arms: arms, Seed: 1}
	if change != nil {
		change(&s)
	}
	p, err := NewPlan(lists, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func described(p *Plan, change func(*Described)) Described {
	d := Described{Manifest: p.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}}
	if change != nil {
		change(&d)
	}
	return d
}

func mustJournal(t testing.TB) *journal.Journal {
	t.Helper()
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// reader answers as a simulated reader with a known curve does.
func reader(t testing.TB, accuracy []float64) model.Model {
	t.Helper()
	r, err := simulate.NewReader(accuracy, simulate.DefaultCorrelation, 7)
	if err != nil {
		t.Fatal(err)
	}
	return model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		right := false
		if call.Slot == model.NoSlot {
			right = r.RightIn(call.Index, "absent", 0.1)
		} else {
			right = r.Right(call.Index, call.Slot)
		}
		if right {
			return model.Answer{Text: call.Answers[0], FinishReason: "stop", Usage: model.Usage{Prompt: 100, Completion: 2}}, nil
		}
		return model.Answer{Text: "no idea", FinishReason: "stop", Usage: model.Usage{Prompt: 100, Completion: 2}}, nil
	})
}

func publishedAs(t testing.TB, name string) published.Curve {
	t.Helper()
	c, err := published.Lookup(name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func measuredBy(c *core.Curve) core.Placement { return core.Measured{Curve: c} }
