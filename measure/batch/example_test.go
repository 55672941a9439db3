package batch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/measure/batch"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// examplePlan asks 10 generated questions of 5 pairs each.
func examplePlan() *sweep.Plan {
	dataset, _ := dataset.KeyValues(1, 10, 5)
	plan, _ := sweep.NewPlan(dataset, sweep.Settings{Model: "reader"})
	return plan
}

func ExampleWrite() {
	var file strings.Builder
	plan := examplePlan()
	size, err := batch.Write(&file, plan, "reader", plan.Settings().Params, nil)
	fmt.Println(size.Requests, err)
	line, _, _ := strings.Cut(file.String(), "\n")
	call, _ := plan.Call(0)
	fmt.Println(strings.Replace(line, call.Key, "KEY", 1))
	// Output:
	// 80 <nil>
	// {"custom_id":"KEY","method":"POST","url":"/v1/chat/completions","body":{"max_tokens":100,"messages":[{"role":"user","content":"Key: \"ecde0739-2004-42d1-a84b-98f9a1f4de9c\"\nCorresponding value:"}],"model":"reader","temperature":0}}
}

func ExampleRead() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	journal, err := journal.Open(filepath.Join(folder, "journal.jsonl"))
	if err != nil {
		panic(err)
	}
	defer journal.Close()
	plan := examplePlan()
	call, _ := plan.Call(3)
	results := `{"custom_id":"` + call.Key + `","response":{"status_code":200,"body":{"choices":[{"message":{"content":"x"}}]}},"error":null}`
	result, err := batch.Read(strings.NewReader(results), plan, journal)
	fmt.Println(result, err)
	// Output: 1 line: 1 answered; no answer yet: 79 calls <nil>
}
