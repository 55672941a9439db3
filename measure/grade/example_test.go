package grade_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/grade"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/sweep"
)

// reader stands for a client of a model; so does strict, which judges.
var (
	reader = model.Func(func(ctx context.Context, _ model.Prompt) (model.Answer, error) {
		call, _ := model.CallFrom(ctx)
		return model.Answer{Text: "It is " + call.Answers[0] + ", I think."}, nil
	})
	strict = model.Func(func(context.Context, model.Prompt) (model.Answer, error) {
		return model.Answer{Text: "The value is there, but not alone.\nScore: 0.5"}, nil
	})
)

// A sweep whose answers a model judges, in words of one's own.
func Example() {
	grader, err := grade.New(grade.Model{
		Model: strict, Name: "strict",
		Prompt: "A reader was asked for {{question}}. The right value is:\n{{references}}\nThe reader said:\n{{answer}}\n" +
			"Say in one sentence how far that is right. Then write, on a last line, Score: and a number from 0 to 1.",
	})
	if err != nil {
		panic(err)
	}

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
	cases, _ := dataset.KeyValues(1, 10, 5)
	plan, _ := sweep.NewPlan(cases, sweep.Settings{Model: "reader"})

	// The run describes its plan; who judges is told beside it.
	by := grader.Describe()
	source := judgedPlan{plan, sweep.Described{Manifest: plan.Describe(), Judge: &by}}
	progress, err := run.Run(context.Background(), source, run.Judged{Model: reader, Grader: grader}, journal, run.Limits{})
	fmt.Println(progress, err)

	result, err := sweep.SummarizeJournal(journal.Path(), nil)
	fmt.Println(result.Scorer, result.Slots[0].MeanScore, err)
	// Output:
	// 80 calls answered <nil>
	// the model "strict" 0.5 <nil>
}

type judgedPlan struct {
	*sweep.Plan
	described sweep.Described
}

func (p judgedPlan) Manifest() any { return p.described }

// A program reads questions and answers as lines of JSON, and writes scores.
func ExampleStart() {
	program := `while read -r line; do
		case $line in *'"answer":"Rome"'*) echo '{"score":1}';; *) echo '{"score":0}';; esac
	done`
	grader, err := grade.Start(grade.Program{Args: []string{"sh", "-c", program}, Name: "score.sh"})
	if err != nil {
		panic(err)
	}
	defer grader.Close()
	for _, answer := range []string{"Rome", "Paris"} {
		call, err := grader.Call(judge.Query{Question: "What is the capital of Italy?", Answer: answer, References: []string{"Rome"}})
		if err != nil {
			panic(err)
		}
		score, _, err := grader.Grade(context.Background(), call.Prompt)
		fmt.Println(answer, score, err)
	}
	// Output:
	// Rome 1 <nil>
	// Paris 0 <nil>
}

// Nothing is guessed: a judge has to end with a score.
func ExampleScore() {
	for _, words := range []string{"It is right.\nScore: 1", `{"score": 0.25}`, "I give it 8/10."} {
		score, ok := grade.Score(words)
		fmt.Println(score, ok)
	}
	// Output:
	// 1 true
	// 0.25 true
	// 0 false
}
