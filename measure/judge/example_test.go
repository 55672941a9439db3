package judge_test

import (
	"fmt"
	"strings"

	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

func ExampleScore() {
	text := "Let me think.\nIt was the Beatles!"
	scores, err := judge.Score(judge.BestSubspan, text, []string{"Beatles", "The Fab Four"})
	fmt.Println(scores.Full, scores.FirstLine, err)
	// Output: 1 0 <nil>
}

func ExampleParseScorer() {
	scorer, err := judge.ParseScorer("numeric=5%")
	fmt.Println(scorer, err)
	fmt.Println(scorer.Score("About 1,030 metres.", []string{"1000"}))

	_, err = judge.ParseScorer("bleu")
	fmt.Println(err)
	// Output:
	// numeric=5% <nil>
	// 1
	// bookend: scorer "bleu" is not the name of a scorer; valid names: best-subspan, exact, regexp, numeric, token-f1
}

func ExampleScorerNames() {
	fmt.Println(judge.ScorerNames())
	// Output: [best-subspan exact regexp numeric token-f1]
}

func ExampleScorerFunc() {
	prefix := judge.ScorerFunc("prefix", func(text string, answers []string) float64 {
		for _, answer := range answers {
			if strings.HasPrefix(text, answer) {
				return 1
			}
		}
		return 0
	})
	scores, err := judge.Score(prefix, "Rome, of course", []string{"Rome"})
	fmt.Println(prefix, scores.Full, err)
	// Output: prefix 1 <nil>
}

func ExampleNormalize() {
	fmt.Println(judge.Normalize("The rock-and-roll  of a CAFÉ."))
	// Output: rockandroll of café
}

// Best subspan deletes the point of a number: choose the scorer by what the
// answers are.
func ExampleNumeric() {
	fmt.Println(judge.BestSubspan.Score("314", []string{"3.14"}))
	fmt.Println(judge.Numeric{}.Score("314", []string{"3.14"}))
	fmt.Println(judge.Numeric{Absolute: .01}.Score("It is 3.1416.", []string{"3.14"}))
	// Output:
	// 1
	// 0
	// 1
}

func ExampleClassify() {
	fmt.Printf("%+v\n", judge.Classify(model.Answer{Text: "I'm sorry, but the documents do not say.", FinishReason: "stop"}))
	fmt.Printf("%+v\n", judge.Classify(model.Answer{FinishReason: "content_filter"}))
	fmt.Printf("%+v\n", judge.Classify(model.Answer{Text: "The answer is", FinishReason: "length"}))
	// Output:
	// {Empty:false Truncated:false Refusal:false Unfinished:false}
	// {Empty:true Truncated:false Refusal:true Unfinished:false}
	// {Empty:false Truncated:true Refusal:false Unfinished:false}
}

// A report says who judged, and its scores are those in the journal.
func ExampleAsked() {
	by := judge.Description{Model: "strict", Server: `"strict" by chat at http://127.0.0.1:8080`}
	judging := judge.Judging{Scorer: judge.Asked(by)}
	score := 0.25
	scores, err := judging.ScoresOf("Rome, of course", []string{"Rome"}, &score)
	fmt.Println(judging.Scorer, scores.Full, err)

	_, err = judging.ScoresOf("Rome, of course", []string{"Rome"}, nil)
	fmt.Println(err)
	// Output:
	// the model "strict" by chat at http://127.0.0.1:8080 0.25 <nil>
	// bookend: scorer "the model \"strict\" by chat at http://127.0.0.1:8080" returned NaN: a score must be 0 to 1
}
