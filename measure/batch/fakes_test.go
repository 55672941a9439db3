package batch

import (
	"testing"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// mustPlan is a plan over generated key-value cases, of questions × (slots + 3)
// calls.
func mustPlan(t testing.TB, questions, documents int, change func(*sweep.Settings)) *sweep.Plan {
	t.Helper()
	dataset, err := dataset.KeyValues(1, questions, documents)
	if err != nil {
		t.Fatal(err)
	}
	s := sweep.Settings{Model: "fake"}
	if change != nil {
		change(&s)
	}
	p, err := sweep.NewPlan(dataset, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func calls(t testing.TB, s run.Source) []model.Call {
	t.Helper()
	all := make([]model.Call, s.Len())
	for i := range all {
		var err error
		if all[i], err = s.Call(i); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
