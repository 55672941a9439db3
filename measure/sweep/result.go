package sweep

import (
	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/shape"
	"github.com/bookend-rag/bookend/measure/stats"
)

// ResultFormat is the value of a result's "format" key.
const ResultFormat = "bookend-sweep-result/1"

// Result is what a report shows of a sweep. It marshals to JSON, and holds no text
// of a question or a document, and of answers only Examples and Beside.
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
	// Unfit says why the run can tell nothing; then there is no Verdict, and no curve
	// that a placement can use. nil: it can.
	Unfit        *fitness.Unfit `json:"unfit,omitempty"`
	UntilDecided bool           `json:"until_decided,omitempty"` // it stops when the shape is settled

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
	Judge *judge.Description `json:"judge,omitempty"`
	// Graded says that some answer scored between 0 and 1: accuracy is then the mean
	// score, not the share of right answers.
	Graded    bool           `json:"graded,omitempty"`
	Questions QuestionCounts `json:"questions"`

	Slots      []ArmResult `json:"slots"`                 // ascending
	ClosedBook *ArmResult  `json:"closed_book,omitempty"` // without documents
	Oracle     *ArmResult  `json:"oracle,omitempty"`      // the gold document alone
	// Again is the middle slot asked again; its tallies are of the first repeat, its
	// counts of all. Repeat compares the answers with the first ones.
	Again  *ArmResult   `json:"again,omitempty"`
	Repeat *stats.Flips `json:"repeat,omitempty"`

	// Verdict, Cochran and Spread are nil where no question is complete. Withheld says
	// that it would be flat, if it were known that the model uses its documents.
	Verdict  *shape.Verdict `json:"verdict,omitempty"`
	Withheld bool           `json:"withheld,omitempty"`
	// Anyway is what Verdict would be of a run that is unfit.
	Anyway  *shape.Verdict `json:"anyway,omitempty"`
	Cochran *stats.Cochran `json:"cochran,omitempty"`
	Spread  *stats.Spread  `json:"spread,omitempty"`
	// Detectable is the smallest difference between the first and the last measured
	// slot that so many questions can show; nil where they can show none.
	Detectable *Detectable `json:"detectable,omitempty"`
	// Curve is nil where it cannot be fitted; CurveNote says why.
	Curve     *core.Curve `json:"curve,omitempty"`
	CurveNote string      `json:"curve_note,omitempty"`

	Counts   judge.Counts  `json:"counts"` // over all arms, the repeat arm too
	Spent    journal.Spent `json:"spent"`
	Cost     *float64      `json:"cost,omitempty"`   // of Spent; nil without prices
	Beside   []Beside      `json:"beside,omitempty"` // five questions at most, in the order in which they were asked
	Notes    []string      `json:"notes,omitempty"`
	Examples []Example     `json:"examples,omitempty"`
	Setup    []run.Setting `json:"setup"` // the exact configuration
}

// QuestionCounts says how many questions stand behind a result.
type QuestionCounts struct {
	Planned    int `json:"planned"`
	Complete   int `json:"complete"`        // answered in every measured slot: the n of every accuracy
	Incomplete int `json:"incomplete"`      // planned, but not complete
	After      int `json:"after,omitempty"` // begun before the shape was settled or the run was unfit, and not counted
	// Clusters is how many independent units the counted questions make; 0: each is one.
	Clusters int `json:"clusters,omitempty"`
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
	Full      Tally `json:"full,omitzero"`
	FirstLine Tally `json:"first_line,omitzero"`
	// MeanScore is that of the judged text, over clusters: Accuracy for independent
	// questions and scores of 0 and 1.
	MeanScore float64 `json:"mean_score"`
	// MeanRange is the 95 % confidence sequence of MeanScore; nil where Wilson's interval
	// is enough, that is, unless the result is Graded or has clusters.
	MeanRange *stats.Interval `json:"mean_range,omitempty"`
	Counts    judge.Counts    `json:"counts"` // over all planned questions
}

// Judged returns the tally that the statistics follow.
func (r Result) Judged(a ArmResult) Tally {
	if r.JudgedBy == judge.JudgedByFirstLine {
		return a.FirstLine
	}
	return a.Full
}

// Shown returns the verdict that a report shows: Verdict, or Anyway; nil for none.
func (r Result) Shown() *shape.Verdict {
	if r.Verdict == nil {
		return r.Anyway
	}
	return r.Verdict
}

// Accuracy returns what the shape follows in an arm, and its interval: the mean score
// where scores give parts of a point or questions hang together, else the share of right
// answers.
func (r Result) Accuracy(a ArmResult) (float64, stats.Interval) {
	if a.MeanRange != nil {
		return a.MeanScore, *a.MeanRange
	}
	t := r.Judged(a)
	return t.Accuracy, t.Interval
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
