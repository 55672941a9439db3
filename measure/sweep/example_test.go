package sweep_test

import (
	"context"
	"fmt"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// examplePlan asks 10 generated questions of 5 pairs each.
func examplePlan() *sweep.Plan {
	dataset, _ := dataset.KeyValues(1, 10, 5)
	plan, _ := sweep.NewPlan(dataset, sweep.Settings{Model: "reader"})
	return plan
}

func ExampleNewPlan() {
	dataset, err := dataset.KeyValues(1, 100, 75)
	if err != nil {
		panic(err)
	}
	slots, err := sweep.DenseSlots(75, 9)
	if err != nil {
		panic(err)
	}
	plan, err := sweep.NewPlan(dataset, sweep.Settings{Model: "small", Slots: slots})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan)
	// Output:
	// small, key-value, 75 documents, layout key-value
	// 100 questions, each asked in 12 ways: without documents (closed-book), with the answer's document alone (oracle), with the answer in slot 1, 4, 12, 24, 38, 52, 64, 72, 75, once more in the middle slot (repeat).
}

func ExamplePlan_Estimate() {
	estimate, err := examplePlan().Estimate(context.Background(), model.Prices{Prompt: 0.5, Completion: 1.5})
	if err != nil {
		panic(err)
	}
	fmt.Println(estimate)
	// Output: 80 calls, 9640 tokens of prompts, at most 8000 of answers, cost 0.02
}

func ExamplePlan_Call() {
	call, err := examplePlan().Call(0)
	if err != nil {
		panic(err)
	}
	fmt.Println(call.Arm, call.Slot, len(call.Key))
	fmt.Println(call.Prompt.Text)
	// Output:
	// closed-book -1 64
	// Key: "ecde0739-2004-42d1-a84b-98f9a1f4de9c"
	// Corresponding value:
}

func ExampleParseSlots() {
	for _, text := range []string{"all", "5", "1,5,10"} {
		slots, err := sweep.ParseSlots(text, 10)
		fmt.Println(slots, err)
	}
	// Output:
	// [0 1 2 3 4 5 6 7 8 9] <nil>
	// [0 1 4 8 9] <nil>
	// [0 4 9] <nil>
}
