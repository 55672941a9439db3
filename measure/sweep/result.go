package sweep

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// ResultFormat is the value of a result's "format" key.
const ResultFormat = "bookend-sweep-result/1"

// Result is what a report shows of a sweep. It marshals to JSON, and holds no text
// of a question or a document, and of answers only Examples.
//
// One set of questions stands behind every accuracy: those that were answered in
// every measured slot. A call that failed for good leaves no answer, so that its
// question is incomplete and counts in no slot; Counts and Questions show how many.
// Refused, truncated and empty answers are answers, scored as they are: an empty
// one is wrong, the others are wrong unless they hold the answer.
type Result struct {
	Format    string `json:"format"`
	Simulated bool   `json:"simulated"` // a simulated reader answered: no model was measured
	Finding   string `json:"finding"`   // what was found, in one sentence

	Model          string       `json:"model"`
	Task           dataset.Task `json:"task"`
	Layout         string       `json:"layout"`
	DocumentFormat string       `json:"document_format"`
	Date           string       `json:"date"`
	Documents      int          `json:"documents"` // in each prompt

	Scorer string `json:"scorer"`
	// JudgedBy is the text that accuracy, statistics and curve follow: "full answer"
	// or "first line".
	JudgedBy string `json:"judged_by"`
	// Judge says who gave the scores where somebody was asked for them. The tallies of
	// the text that was not judged are zero then, and stand in no output.
	Judge     *judge.Description `json:"judge,omitempty"`
	Questions QuestionCounts     `json:"questions"`

	Slots      []ArmResult `json:"slots"`                 // ascending
	ClosedBook *ArmResult  `json:"closed_book,omitempty"` // without documents
	Oracle     *ArmResult  `json:"oracle,omitempty"`      // the gold document alone
	// Again is the middle slot asked again; its tallies are of the first repeat, its
	// counts of all. Repeat compares the answers with the first ones.
	Again  *ArmResult   `json:"again,omitempty"`
	Repeat *stats.Flips `json:"repeat,omitempty"`

	// Verdict, Cochran and Spread are nil where no question is complete.
	Verdict *shape.Verdict `json:"verdict,omitempty"`
	Cochran *stats.Cochran `json:"cochran,omitempty"`
	Spread  *stats.Spread  `json:"spread,omitempty"`
	// Detectable is the smallest difference between the first and the last measured
	// slot that so many questions can show; nil where they can show none.
	Detectable *Detectable `json:"detectable,omitempty"`
	// Curve is nil where it cannot be fitted; CurveNote says why.
	Curve     *core.Curve `json:"curve,omitempty"`
	CurveNote string      `json:"curve_note,omitempty"`

	Counts   judge.Counts  `json:"counts"` // over all arms, the repeat arm too
	Notes    []string      `json:"notes,omitempty"`
	Examples []Example     `json:"examples,omitempty"`
	Setup    []run.Setting `json:"setup"` // the exact configuration
}

// QuestionCounts says how many questions stand behind a result.
type QuestionCounts struct {
	Planned    int `json:"planned"`
	Complete   int `json:"complete"`   // answered in every measured slot: the n of every accuracy
	Incomplete int `json:"incomplete"` // planned, but not complete
}

// Tally is a share of right answers.
type Tally struct {
	Correct        int     `json:"correct"`
	Accuracy       float64 `json:"accuracy"`
	stats.Interval         // Wilson's, at Confidence
	unjudged       bool
}

// IsZero says that this text of the answers was not judged.
func (t Tally) IsZero() bool { return t.unjudged }

// ArmResult is what was found in one slot or one baseline, over the complete
// questions.
type ArmResult struct {
	Arm  string `json:"arm"`  // ArmSlot, ArmClosedBook, ArmOracle or ArmRepeat
	Slot int    `json:"slot"` // -1 for a baseline
	N    int    `json:"n"`    // complete questions with an answer in this arm
	// Full judges the whole answer, FirstLine what stands before the first line's
	// end. Both are zero where N is 0.
	Full      Tally        `json:"full,omitzero"`
	FirstLine Tally        `json:"first_line,omitzero"`
	MeanScore float64      `json:"mean_score"` // of the judged text; Accuracy for scores of 0 and 1
	Counts    judge.Counts `json:"counts"`     // over all planned questions
}

// Judged returns the tally that the statistics follow.
func (r Result) Judged(a ArmResult) Tally {
	if r.JudgedBy == judge.JudgedByFirstLine {
		return a.FirstLine
	}
	return a.Full
}

// Detectable is a minimum detectable effect.
type Detectable struct {
	Difference  float64 `json:"difference"`
	Discordance float64 `json:"discordance"` // of the first and the last measured slot
	Alpha       float64 `json:"alpha"`
	Power       float64 `json:"power"`
}

// Example is a wrong answer, as it came but for its length.
type Example struct {
	Arm    string   `json:"arm"`
	Wanted []string `json:"wanted"`
	Got    string   `json:"got"`
}
