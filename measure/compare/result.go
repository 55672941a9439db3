package compare

import (
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/fitness"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/run"
	"github.com/bookend-rag/bookend/measure/stats"
)

// ResultFormat is the value of a result's "format" key.
const ResultFormat = "bookend-compare-result/1"

const (
	resamples       = 10_000
	bootstrapSeed   = 1
	detectableAlpha = 0.05
	detectablePower = 0.8
)

// Result is what a report shows of a comparison. It marshals to JSON, and holds no
// text of a question or a document, and of answers only those of Flips.
//
// One set of questions stands behind every number of an arm: those that Questions
// counts as Counted.
type Result struct {
	Format    string `json:"format"`
	Simulated bool   `json:"simulated"` // a simulated reader answered: no model was measured
	Finding   string `json:"finding"`   // the verdict, in one sentence

	// Word is the verdict by rule (c), and Winner the name of the arm to use: that of
	// a challenger for "reorder", else that of the baseline.
	Word   evidence.Word `json:"word"`
	Winner string        `json:"winner"`
	// Unfit says why the run can tell nothing, for the word "unfit"; Anyway is what the
	// word would be then.
	Unfit  *fitness.Unfit `json:"unfit,omitempty"`
	Anyway evidence.Word  `json:"anyway,omitempty"`
	// FailuresDecide is what the word would be by the figures that are shown, where what
	// the answers of failed calls would have been may change it.
	FailuresDecide evidence.Word `json:"failures_decide,omitempty"`
	// Withheld says that the word would be "keep", if it were known that the model
	// answers more than 2 % right.
	Withheld bool `json:"withheld,omitempty"`
	// Settings are those of the winner; empty where the run is unfit.
	Settings Settled `json:"settings"`
	evidence.Rule
	UntilDecided bool `json:"until_decided"`
	// More says about how many more questions would settle an inconclusive verdict.
	More *More `json:"more,omitempty"`

	Model    string `json:"model"`
	Date     string `json:"date"`
	Scorer   string `json:"scorer"`
	JudgedBy string `json:"judged_by"`
	// Judge says who gave the scores where somebody was asked for them. The tallies of
	// the text that was not judged are zero then, and stand in no output.
	Judge *judge.Description `json:"judge,omitempty"`
	// Graded says that some answer scored between 0 and 1: accuracies are then mean
	// scores, and differences those of scores.
	Graded        bool       `json:"graded,omitempty"`
	Unanswered    Unanswered `json:"unanswered"`
	SameQuestions bool       `json:"same_questions"` // fitted and compared on the same questions

	Questions Questions   `json:"questions"`
	Arms      []ArmResult `json:"arms"` // the baseline, the challengers, the controls, and earlier challengers
	// Repeat says how often the baseline was judged otherwise when it was asked
	// again; nil without a repeat arm.
	Repeat *Flips    `json:"repeat,omitempty"`
	Strata []Stratum `json:"strata"`
	// Flips are the questions whose outcome changed, one challenger after the other.
	Flips []Flip `json:"flips,omitempty"`

	Counts judge.Counts  `json:"counts"` // over all calls
	Spent  journal.Spent `json:"spent"`
	Cost   *float64      `json:"cost,omitempty"` // of Spent; nil without prices
	Notes  []string      `json:"notes,omitempty"`
	Setup  []run.Setting `json:"setup"` // the exact configuration
}

// More is what would probably settle a comparison.
type More struct {
	Word      evidence.Word `json:"word"` // the nearer one
	Arm       string        `json:"arm"`
	Questions int           `json:"questions"` // about how many more
}

// Questions says how many questions stand behind a result.
type Questions struct {
	Planned int `json:"planned"`
	Counted int `json:"counted"` // answered in every arm: the n of every number
	Dropped int `json:"dropped"` // a call failed or was refused, and the rule is Drop
	// Clusters is how many independent units the questions make; 0: each is one.
	Clusters int `json:"clusters,omitempty"`
	Missing  int `json:"missing"` // begun, with a call that has no answer yet
	After    int `json:"after"`   // begun before the decision was known, and not counted
}

// ArmResult is what was found in one arm.
type ArmResult struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Identical names the earlier arm that gives the same prompts for every list; the
	// arm then takes no part in the verdict.
	Identical string `json:"identical,omitempty"`
	Full      Tally  `json:"full,omitzero"`       // by the whole answer
	FirstLine Tally  `json:"first_line,omitzero"` // by its first line
	// Against holds the arm against the baseline; nil for the baseline.
	Against *Against     `json:"against,omitempty"`
	Counts  judge.Counts `json:"counts"` // calls that arms share count in each
	Caching Caching      `json:"caching"`
}

// Tally is a share of right answers.
type Tally struct {
	N        int     `json:"n"`        // counted questions that it was asked: all, unless the arm is a control or was excluded
	Correct  int     `json:"correct"`  // answers that score .5 or more
	Accuracy float64 `json:"accuracy"` // their share; the mean score where the result is Graded
	// Wilson is the 95 % interval of Wilson. It holds for a fixed number of questions,
	// and is nil with UntilDecided, for mean scores, and where nothing is counted.
	Wilson   *stats.Interval `json:"wilson,omitempty"`
	unjudged bool
}

// IsZero says that this text of the answers was not judged.
func (t Tally) IsZero() bool { return t.unjudged }

// Flips says how often the very same prompt was judged otherwise when it was asked
// again.
type Flips struct {
	Flips int     `json:"flips"` // pairs that differ
	Pairs int     `json:"pairs"`
	Rate  float64 `json:"rate"`
	// Wilson is as in Tally.
	Wilson *stats.Interval `json:"wilson,omitempty"`
}

// Against is a paired comparison with the baseline.
type Against struct {
	stats.Counts
	Difference  float64 `json:"difference"`  // in accuracy, as a share, over units
	Discordance float64 `json:"discordance"` // the mean of its squares
	// Sequential holds however often one looks. It is nil for a control, for an
	// identical arm and where nothing is counted yet.
	Sequential *evidence.Standing `json:"sequential,omitempty"`
	// Sequence is the confidence sequence of the difference.
	Sequence stats.Interval `json:"sequence"`
	// Fixed holds for a number of questions that was fixed before. It is nil with
	// UntilDecided, for mean scores and where questions hang together.
	Fixed *Fixed `json:"fixed,omitempty"`
}

// Fixed are the statistics of a fixed number of questions.
type Fixed struct {
	McNemar float64 `json:"mcnemar"` // exact, two-sided
	// Holm is McNemar with all challengers accounted for; nil for a control.
	Holm      *float64       `json:"holm,omitempty"`
	Bootstrap stats.Interval `json:"bootstrap"` // 95 %, of the difference
	// Detectable is the smallest difference that so many questions can show at this
	// discordance, at 5 % and a power of 80 %; nil where they can show none.
	Detectable *float64 `json:"detectable,omitempty"`
}

// Caching says what a server's cache of prompts can do for an arm.
type Caching struct {
	Prompt int `json:"prompt"` // tokens of prompts that the server reported
	Cached int `json:"cached"` // of them from its cache
	// Common is the share of the prompts, by length, in which they begin like the
	// baseline's: what a server that cached those can reuse. 1 for the baseline.
	Common float64 `json:"common"`
}

// Stratum is a part of the questions.
type Stratum struct {
	Name string `json:"name"`
	// From and To are the ranks of the best document with the answer, from 0; both
	// -1 where no document has it.
	From      int     `json:"from"`
	To        int     `json:"to"`
	Questions int     `json:"questions"`
	Arms      []Tally `json:"arms"` // parallel to Result.Arms, as it was judged
}

// Judged returns the tally that the verdict follows.
func (r Result) Judged(a ArmResult) Tally {
	if r.JudgedBy == judge.JudgedByFirstLine {
		return a.FirstLine
	}
	return a.Full
}
