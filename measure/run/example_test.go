package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// reader is a model that finds the value when it stands first or last.
var reader = model.Func(func(ctx context.Context, p model.Prompt) (model.Answer, error) {
	call, _ := model.CallFrom(ctx)
	if call.Slot == 0 || call.Slot == 4 || call.Arm == sweep.ArmOracle {
		return model.Answer{Text: call.Answers[0]}, nil
	}
	return model.Answer{Text: "I do not see it."}, nil
})

// examplePlan asks 10 generated questions of 5 pairs each.
func examplePlan() *sweep.Plan {
	dataset, _ := dataset.KeyValues(1, 10, 5)
	plan, _ := sweep.NewPlan(dataset, sweep.Settings{Model: "reader"})
	return plan
}

func ExampleRun() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "journal.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		panic(err)
	}
	defer j.Close()

	// A cap stops the run; the next one, with a higher cap, continues.
	progress, err := run.Run(context.Background(), examplePlan(), reader, j, run.Limits{MaxCalls: 30})
	fmt.Println(progress)
	fmt.Println(err)
	progress, err = run.Run(context.Background(), examplePlan(), reader, j, run.Limits{MaxCalls: 1000})
	fmt.Println(progress, err)

	right := map[int]int{}
	_, err = journal.Read(path, func(r journal.Record) error {
		if r.Arm == sweep.ArmSlot && judge.Exact.Score(r.Answer.Text, r.Answers) == 1 {
			right[r.Slot]++
		}
		return nil
	})
	fmt.Println(right, err)
	// Output:
	// 30 calls answered, 50 left
	// bookend: the cap of 30 on calls stops the run: 30 are spent or being spent, and the next request may add 1; raise the cap to continue
	// 50 calls answered, 30 answered before <nil>
	// map[0:10 4:10] <nil>
}
