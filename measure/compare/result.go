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

	// Decision is the verdict. Where there are kinds, its Word is reorder if
	// that of some kind is, else as good if that of some is, else keep if all are, and its
	// Winner the baseline: Kinds say what to use.
	Decision
	// By is the field that the questions are split by, and Kinds the verdict on each part;
	// empty where there are no kinds.
	By    string       `json:"by,omitempty"`
	Kinds []KindResult `json:"kinds,omitempty"`
	// Unfit says why the run can tell nothing, for the word "unfit"; Anyway is what the
	// word would be then.
	Unfit  *fitness.Unfit `json:"unfit,omitempty"`
	Anyway evidence.Word  `json:"anyway,omitempty"`
	// Settings are those of the winner; empty where the run is unfit.
	Settings Settled `json:"settings"`
	evidence.Rule
	UntilDecided bool `json:"until_decided"`

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

	Counts judge.Counts  `json:"counts"` // over all calls of the questions that were begun
	Spent  journal.Spent `json:"spent"`
	Cost   *float64      `json:"cost,omitempty"` // of Spent; nil without prices
	Notes  []string      `json:"notes,omitempty"`
	Setup  []run.Setting `json:"setup"` // the exact configuration
}

// Decision is a verdict.
type Decision struct {
	Word evidence.Word `json:"word"`
	// Winner is the name of the arm to use: that of a challenger for "reorder" and "as
	// good", else that of the baseline.
	Winner string `json:"winner"`
	// Open are the cheaper challengers of which it is not known whether they are no worse,
	// where Rule.NoWorse asks for it.
	Open []string `json:"open,omitempty"`
	// More says about how many more questions would settle an inconclusive verdict; nil
	// where Rule.NoWorse asks for more than one word.
	More *More `json:"more,omitempty"`
	// FailuresDecide is the word by the figures that are shown, where it is withheld because
	// the answers that failed calls would have given may change it.
	FailuresDecide evidence.Word `json:"failures_decide,omitempty"`
	// Withheld says that the word would be "keep" or "as good", if it were known that the
	// model answers more than 2 % right.
	Withheld bool `json:"withheld,omitempty"`
}

// KindResult is the verdict on one kind of questions. The kinds share one error budget.
type KindResult struct {
	QuestionKind
	Decision
	Questions int       `json:"questions"` // counted
	Arms      []KindArm `json:"arms"`      // the baseline and the challengers that the verdict is about
}

// KindArm is what was found in one arm over the questions of a kind.
type KindArm struct {
	Name    string   `json:"name"`
	Tally   Tally    `json:"tally"`             // as it was judged
	Against *Against `json:"against,omitempty"` // nil for the baseline
	Cost    *Cost    `json:"cost,omitempty"`    // nil where nothing was answered
}

// Cost is what a request costs on average in an arm, over the questions that it and the
// baseline answered, as if the server had no cache.
type Cost struct {
	Prompt float64 `json:"prompt"` // tokens of the prompt; estimated where the server counts none
	// Share is the cost as a share of the baseline's, by the prices, or by the tokens of
	// prompts where there are none.
	Share float64 `json:"share"`
	// Thousand is what a thousand requests cost; nil without prices.
	Thousand *float64 `json:"thousand,omitempty"`
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
	Against *Against `json:"against,omitempty"`
	// Cost is nil for controls, for identical arms and where nothing was answered.
	Cost    *Cost        `json:"cost,omitempty"`
	Counts  judge.Counts `json:"counts"` // of the questions that were begun; calls that arms share count in each
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
	// identical arm, where nothing is counted yet, and over all questions where they are
	// split into kinds, which the verdict is about.
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
