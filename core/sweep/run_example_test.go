package sweep_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core/sweep"
)

// reader is a model that finds the value when it stands first or last.
var reader = sweep.ModelFunc(func(ctx context.Context, p sweep.Prompt) (sweep.Answer, error) {
	call, _ := sweep.CallFrom(ctx)
	if call.Slot == 0 || call.Slot == 4 || call.Arm == sweep.ArmOracle {
		return sweep.Answer{Text: call.Answers[0]}, nil
	}
	return sweep.Answer{Text: "I do not see it."}, nil
})

// examplePlan asks 10 generated questions of 5 pairs each.
func examplePlan() *sweep.Plan {
	dataset, _ := sweep.KeyValues(1, 10, 5)
	plan, _ := sweep.NewPlan(dataset, sweep.Settings{Model: "reader"})
	return plan
}

func ExampleNewPlan() {
	dataset, err := sweep.KeyValues(1, 100, 75)
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
	// 100 questions × 12 arms (closed-book, oracle, slot, repeat; slots 0 3 11 23 37 51 63 71 74) = 1200 calls
}

func ExamplePlan_Estimate() {
	estimate, err := examplePlan().Estimate(context.Background(), sweep.Prices{Prompt: 0.5, Completion: 1.5})
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

func ExampleRun() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "journal.jsonl")
	journal, err := sweep.OpenJournal(path)
	if err != nil {
		panic(err)
	}
	defer journal.Close()

	// A cap stops the run; the next one, with a higher cap, continues.
	progress, err := sweep.Run(context.Background(), examplePlan(), reader, journal, sweep.Limits{MaxCalls: 30})
	fmt.Println(progress)
	fmt.Println(err)
	progress, err = sweep.Run(context.Background(), examplePlan(), reader, journal, sweep.Limits{MaxCalls: 1000})
	fmt.Println(progress, err)

	right := map[int]int{}
	_, err = sweep.ReadJournal(path, func(r sweep.Record) error {
		if r.Arm == sweep.ArmSlot && sweep.Exact.Score(r.Answer.Text, r.Answers) == 1 {
			right[r.Slot]++
		}
		return nil
	})
	fmt.Println(right, err)
	// Output:
	// 80 calls: 0 known, 30 answered, 0 failed, 50 left
	// bookend: the cap of 30 on calls stops the run: 30 are spent or open, and the next request may add 1; raise it to continue
	// 80 calls: 30 known, 50 answered, 0 failed, 0 left <nil>
	// map[0:10 4:10] <nil>
}

func ExampleOpenJournal() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "journal.jsonl")
	journal, _ := sweep.OpenJournal(path)
	fmt.Println(journal.Append(sweep.Record{Key: "k1", Answer: &sweep.Answer{Text: "Ada"}}))
	_, err = sweep.OpenJournal(path)
	fmt.Println(strings.Replace(err.Error(), folder, "DIR", 1))
	journal.Close()

	// A process that is killed in the middle of a write leaves half a line.
	file, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	file.WriteString(`{"key":"k2","ans`)
	file.Close()
	journal, err = sweep.OpenJournal(path)
	fmt.Println(err, journal.Answered("k1"), journal.Answered("k2"), journal.Torn())
	journal.Close()
	// Output:
	// <nil>
	// bookend: journal "DIR/journal.jsonl": another process is writing it: wait for its end, or choose another folder
	// <nil> true false 16
}

func ExampleWriteBatch() {
	var file strings.Builder
	plan := examplePlan()
	size, err := sweep.WriteBatch(&file, plan, "reader", plan.Settings().Params, nil)
	fmt.Println(size.Requests, err)
	line, _, _ := strings.Cut(file.String(), "\n")
	call, _ := plan.Call(0)
	fmt.Println(strings.Replace(line, call.Key, "KEY", 1))
	// Output:
	// 80 <nil>
	// {"custom_id":"KEY","method":"POST","url":"/v1/chat/completions","body":{"max_tokens":100,"messages":[{"role":"user","content":"Key: \"ecde0739-2004-42d1-a84b-98f9a1f4de9c\"\nCorresponding value:"}],"model":"reader","temperature":0}}
}

func ExampleReadBatch() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	journal, err := sweep.OpenJournal(filepath.Join(folder, "journal.jsonl"))
	if err != nil {
		panic(err)
	}
	defer journal.Close()
	plan := examplePlan()
	call, _ := plan.Call(3)
	results := `{"custom_id":"` + call.Key + `","response":{"status_code":200,"body":{"choices":[{"message":{"content":"x"}}]}},"error":null}`
	result, err := sweep.ReadBatch(strings.NewReader(results), plan, journal)
	fmt.Println(result, err)
	// Output: 1 lines: 1 answered, 0 failed, 0 known already, 0 of other calls, 0 broken; 79 calls have no answer yet <nil>
}

func ExampleParseSlots() {
	for _, text := range []string{"all", "5", "0,4,9"} {
		slots, err := sweep.ParseSlots(text, 10)
		fmt.Println(slots, err)
	}
	// Output:
	// [0 1 2 3 4 5 6 7 8 9] <nil>
	// [0 1 4 8 9] <nil>
	// [0 4 9] <nil>
}

func ExampleParseRetryAfter() {
	fmt.Println(sweep.ParseRetryAfter("20", time.Now()))
	// Output: 20s
}

func ExampleParseResponse() {
	answer, err := sweep.ParseResponse([]byte(`{"choices":[{"text":" Ada","finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":1}}`))
	fmt.Printf("%q %s %d %v\n", answer.Text, answer.FinishReason, answer.Usage.Prompt, err)
	// Output: " Ada" stop 12 <nil>
}

func ExampleRetryable() {
	fmt.Println(sweep.Retryable(&sweep.ModelError{Status: 429}), sweep.Retryable(&sweep.ModelError{Status: 401}))
	// Output: true false
}
