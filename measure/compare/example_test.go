package compare_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/compare"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/published"
	"github.com/bookend-rag/bookend/measure/run"
)

// reader stands in for a model: it finds the answer when its document stands last.
var reader = model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
	call, _ := model.CallFrom(ctx)
	if call.Slot == call.Documents-1 {
		return model.Answer{Text: call.Answers[0]}, nil
	}
	return model.Answer{Text: "I do not see it."}, nil
})

// exampleArms are the baseline and two challengers.
func exampleArms() []compare.Arm {
	var arms []compare.Arm
	for _, p := range []core.Placement{core.RankOrder, core.HeadTail, core.Reversed} {
		arms = append(arms, compare.Arm{
			Name: fmt.Sprint(p), Order: core.Config{Placement: core.Choice{Placement: p}}, Prompt: compare.DefaultPrompt(),
		})
	}
	return arms
}

// examplePlan is over 200 lists of 5 documents; half of them have the answer in the
// first.
func examplePlan() *compare.Plan {
	lists, err := dataset.SimulatedLists(1, 200, 5, 0.5)
	if err != nil {
		panic(err)
	}
	plan, err := compare.NewPlan(lists, compare.Settings{Model: "simulated last-slot", Arms: exampleArms(), Shuffles: 1})
	if err != nil {
		panic(err)
	}
	return plan
}

func ExampleNewPlan() {
	plan := examplePlan()
	fmt.Println(plan)
	for i := range 5 {
		call, err := plan.Call(i)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-10s the answer stands in slot %d of %d\n", call.Arm, call.Slot, call.Documents)
	}
	// Output:
	// simulated last-slot, 200 questions, 5 arms
	// Arms: ranked (the baseline), head-tail, reversed, shuffle 1, repeat 1. The last 2 are controls: they get the first 50 questions alone.
	// ranked     the answer stands in slot 0 of 5
	// head-tail  the answer stands in slot 0 of 5
	// reversed   the answer stands in slot 4 of 5
	// shuffle 1  the answer stands in slot 4 of 5
	// repeat 1   the answer stands in slot 0 of 5
}

func ExampleRun() {
	folder, err := os.MkdirTemp("", "compare")
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
	described := compare.Described{Manifest: plan.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}, UntilDecided: true}
	_, err = compare.Run(context.Background(), plan, described, reader, journal, run.Limits{Concurrency: 1})
	if err != nil {
		panic(err)
	}
	result, err := compare.SummarizeJournal(journal.Path(), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Word, result.Winner)
	fmt.Println(result.Finding)
	// Output:
	// reorder reversed
	// Reorder: with reversed, the simulated reader last-slot is right 47.8 points more often than with ranked. After 23 questions the 95 % confidence sequence goes from −2.9 to +78.9 points; e = 30.6, where 20 decide.
}

func ExampleSummarize() {
	plan := examplePlan()
	var notes []journal.Note
	var records []journal.Record
	for question := range 40 {
		id, noted, err := plan.Question(question)
		if err != nil {
			panic(err)
		}
		value, err := json.Marshal(noted)
		if err != nil {
			panic(err)
		}
		notes = append(notes, journal.Note{Name: id, Value: value})
		for arm := range 5 {
			call, err := plan.Call(5*question + arm)
			if err != nil {
				panic(err)
			}
			answer, _ := reader(model.WithCall(context.Background(), call), call.Prompt)
			records = append(records, journal.Record{Key: call.Key, Answers: call.Answers, Answer: &answer})
		}
	}
	described := compare.Described{Manifest: plan.Describe(), Rule: evidence.Rule{Worthwhile: 0.03}}
	result, err := compare.Summarize(described, notes, records, nil)
	if err != nil {
		panic(err)
	}
	for _, arm := range result.Arms[1:] {
		fmt.Printf("%-10s %2d wins, %2d losses, %+.1f points\n", arm.Name, arm.Against.Wins, arm.Against.Losses, 100*arm.Against.Difference)
	}
	for _, s := range result.Strata {
		fmt.Printf("%-22s %2d questions, %s %3.0f %%\n", s.Name, s.Questions, result.Winner, 100*s.Arms[2].Accuracy)
	}
	// Output:
	// head-tail  14 wins,  1 losses, +32.5 points
	// reversed   18 wins,  1 losses, +42.5 points
	// shuffle 1  11 wins,  1 losses, +25.0 points
	// repeat 1    0 wins,  0 losses, +0.0 points
	// answer at rank 1       18 questions, reversed 100 %
	// answer at rank 2       14 questions, reversed   0 %
	// answer at rank 3 to 5   8 questions, reversed   0 %
}

// Where the retriever puts the answer and a curve give, without any call, what each
// placement should be worth.
func ExampleEstimate() {
	lists, err := dataset.SimulatedLists(1, 1000, 20, 0.5)
	if err != nil {
		panic(err)
	}
	published, err := published.Lookup("llama-2-70b-chat-repo", 0)
	if err != nil {
		panic(err)
	}
	estimated, err := compare.Estimate(context.Background(), lists, exampleArms(), compare.ReadingOfPublished(published), 0.03)
	if err != nil {
		panic(err)
	}
	for _, arm := range estimated.Arms {
		fmt.Printf("%-10s %.1f %%, %+.1f points\n", arm.Name, 100*arm.Accuracy, 100*arm.Gain)
	}
	fmt.Println(estimated.Finding)
	// Output:
	// ranked     56.0 %, +0.0 points
	// head-tail  60.5 %, +4.5 points
	// reversed   67.5 %, +11.5 points
	// Estimate, not a measurement: reversed gains 11.5 points over ranked. A comparison may pay: about 84 questions would show such a gain.
}
