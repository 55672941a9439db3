package compare

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/bookend-rag/bookend/core/sweep/paired"
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

func mustLists(t testing.TB, cases, documents int, decay float64) *sweep.Dataset {
	t.Helper()
	lists, err := sweep.SimulatedLists(1, cases, documents, decay)
	if err != nil {
		t.Fatal(err)
	}
	return lists
}

func mustPlan(t testing.TB, lists *sweep.Dataset, arms []Arm, change func(*Settings)) *Plan {
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
	d := Described{Manifest: p.Describe(), Rule: paired.Rule{Worthwhile: 0.03}}
	if change != nil {
		change(&d)
	}
	return d
}

func mustJournal(t testing.TB) *sweep.Journal {
	t.Helper()
	j, err := sweep.OpenJournal(filepath.Join(t.TempDir(), "journal.jsonl"))
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
func reader(t testing.TB, accuracy []float64) sweep.Model {
	t.Helper()
	r, err := sweep.NewReader(accuracy, sweep.DefaultCorrelation, 7)
	if err != nil {
		t.Fatal(err)
	}
	return sweep.ModelFunc(func(ctx context.Context, _ sweep.Prompt) (sweep.Answer, error) {
		call, _ := sweep.CallFrom(ctx)
		right := false
		if call.Slot == sweep.NoSlot {
			right = r.RightIn(call.Index, "absent", 0.1)
		} else {
			right = r.Right(call.Index, call.Slot)
		}
		if right {
			return sweep.Answer{Text: call.Answers[0], FinishReason: "stop", Usage: sweep.Usage{Prompt: 100, Completion: 2}}, nil
		}
		return sweep.Answer{Text: "no idea", FinishReason: "stop", Usage: sweep.Usage{Prompt: 100, Completion: 2}}, nil
	})
}

func published(t testing.TB, name string) sweep.PublishedCurve {
	t.Helper()
	c, err := sweep.LookupPublished(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func measuredBy(c *core.Curve) core.Placement { return core.Measured{Curve: c} }
