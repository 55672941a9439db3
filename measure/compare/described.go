package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/evidence"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Described is what a journal says about the comparison that it records: the plan,
// how its answers are judged, and how it is decided.
type Described struct {
	Manifest
	evidence.Rule
	// UntilDecided says that the verdict was looked at after every question, to stop
	// once it is known. A report then shows what holds however often one looks, and
	// counts no question after the decision.
	UntilDecided bool `json:"until_decided,omitempty"`
	// Lag is how many questions ahead it is chosen whom to ask, with UntilDecided: the choice
	// rests on what was answered before that, so that open calls do not matter. It is also
	// the size of a round of batches. 0: evidence.RaceLag.
	Lag int `json:"lag,omitempty"`
	// Unanswered is the rule for failed and refused calls. Empty: Drop.
	Unanswered Unanswered   `json:"unanswered,omitempty"`
	Scorer     string       `json:"scorer,omitempty"`     // a name for judge.ParseScorer; empty: best-subspan
	FirstLine  bool         `json:"first_line,omitempty"` // judge the first line, not the whole answer
	Server     string       `json:"server,omitempty"`     // the address that was asked, without secrets
	Prices     model.Prices `json:"prices,omitzero"`
	// Judge is the Grader of the run.Judged that is asked; nil: Scorer judges.
	Judge       *judge.Description `json:"judge,omitempty"`
	JudgePrices model.Prices       `json:"judge_prices,omitzero"`
	// Earlier are the challengers of earlier runs into the journal that are not asked any
	// more. Run and Noted fill it in. Whoever adds an arm after a look at the figures
	// has one more chance to be wrong, so that all arms ever looked at share Alpha.
	Earlier []ArmInfo `json:"earlier,omitempty"`
	// Late are the challengers that were added after a first run into the journal. Run and
	// Noted fill it in.
	Late []string `json:"late,omitempty"`
	// SameQuestions says that a measured placement was fitted on questions that are
	// compared here, so that its gain is flattered. It is told in every output.
	SameQuestions bool `json:"same_questions,omitempty"`
	// Remarks are told in every output, such as that a curve was measured with
	// another model.
	Remarks []string `json:"remarks,omitempty"`
}

// by is the field that the questions are split by; empty where there are no kinds.
func (d Described) by() string {
	if len(d.Kinds) == 0 {
		return ""
	}
	return d.Dataset.By
}

func (d Described) lag() int { return cmp.Or(max(d.Lag, 0), evidence.RaceLag) }

func (d Described) unanswered() Unanswered {
	if d.Unanswered == "" {
		return Drop
	}
	return d.Unanswered
}

// check returns what makes a result impossible.
func (d Described) check() error {
	if d.Experiment != Experiment || len(d.Arms) < 2 || d.Arms[0].Kind != Baseline {
		return fmt.Errorf("bookend: %w: a comparison needs a baseline and a challenger", ErrNoComparison)
	}
	seen := map[string]bool{}
	for _, arm := range d.Arms {
		if seen[arm.Name] {
			return fmt.Errorf("bookend: %w: two arms have the name %q", ErrNoComparison, arm.Name)
		}
		seen[arm.Name] = true
	}
	if u := d.unanswered(); u != Drop && u != Wrong {
		return fmt.Errorf("bookend: %w: the rule for unanswered calls is %q; it must be %q or %q", ErrNoComparison, u, Drop, Wrong)
	}
	_, err := evidence.NewTrial(d.Rule, 1)
	return err
}

// judging returns how answers are judged.
func (d Described) judging() (judge.Judging, error) {
	j := judge.Judging{Scorer: judge.BestSubspan, FirstLine: d.FirstLine}
	if d.Judge != nil {
		return judge.Judging{Scorer: judge.Asked(*d.Judge), FirstLine: d.Judge.FirstLine}, nil
	}
	if d.Scorer == "" {
		return j, nil
	}
	var err error
	j.Scorer, err = judge.ParseScorer(d.Scorer)
	return j, err
}

// ErrNoComparison says that a journal does not describe a comparison.
var ErrNoComparison = errors.New("the journal describes no comparison")

// IsComparison says whether a description out of a journal is that of a comparison.
func IsComparison(manifest json.RawMessage) bool {
	var d struct {
		Experiment string `json:"experiment"`
	}
	return json.Unmarshal(manifest, &d) == nil && d.Experiment == Experiment
}

// SameComparison says whether records of both may stand in one journal: they ask
// the same model about the same file in one order of questions, and arms of one
// name are one arm, those that other had Earlier among them. Arms may have been added,
// and more questions.
func (d Described) SameComparison(other Described) bool {
	common := func(d Described) []byte {
		text, _ := json.Marshal(struct { // it came from JSON, or goes there
			Model    string
			Params   model.Params
			Path     string
			Lines    int
			Labels   string
			By       string
			Seed     uint64
			Baseline ArmInfo
		}{d.Model, d.Params, d.Dataset.Path, lines(d.Dataset), d.Dataset.Labels, d.Dataset.By, d.Seed, d.Arms[0]})
		return text
	}
	if len(d.Arms) == 0 || len(other.Arms) == 0 || !bytes.Equal(common(d), common(other)) {
		return false
	}
	for _, a := range d.Arms {
		for _, b := range slices.Concat(other.Arms, other.Earlier) {
			if b.Identical = a.Identical; b.Kind == Earlier {
				b.Kind = a.Kind
			}
			if a.Name == b.Name && !sameJSON(a, b) {
				return false
			}
		}
	}
	return true
}

// lines are those of a file: more generated cases only add to fewer.
func lines(r dataset.Report) int {
	if r.Path == "" {
		return 0
	}
	return r.Lines
}

// after returns d with the arms of an earlier description that it does not ask, and its
// kinds.
func (d Described) after(path string) Described {
	earlier, err := DescriptionOf(path)
	if err != nil { // an empty journal describes none
		return d
	}
	d.Kinds = keepKinds(earlier.Kinds, d.Kinds)
	names := map[string]bool{}
	for _, arm := range d.Arms {
		names[arm.Name] = true
	}
	d.Earlier = nil
	for _, arm := range slices.Concat(earlier.Arms, earlier.Earlier) {
		if (arm.Kind == Challenger || arm.Kind == Earlier) && arm.Identical == "" && !names[arm.Name] {
			names[arm.Name] = true
			arm.Kind = Earlier
			d.Earlier = append(d.Earlier, arm)
		}
	}
	before := map[string]bool{}
	for _, arm := range slices.Concat(earlier.Arms, earlier.Earlier) {
		before[arm.Name] = true
	}
	d.Late = slices.Clone(earlier.Late)
	for _, arm := range d.Arms {
		if arm.Kind == Challenger && !before[arm.Name] {
			d.Late = append(d.Late, arm.Name)
		}
	}
	return d
}

// DescriptionOf reads the last description of a journal. The error is that of
// journal.Read, or a *journal.Error: ErrNoComparison where there is none,
// and one that says that the records are of different comparisons.
func DescriptionOf(path string) (Described, error) {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil {
		return Described{}, err
	}
	return describe(path, reading.Manifest)
}

func describe(path string, manifests []json.RawMessage) (Described, error) {
	fail := func(rule string) (Described, error) {
		return Described{}, &journal.Error{Path: path, Rule: rule, Err: ErrNoComparison}
	}
	var last Described
	changed := false
	for i, text := range manifests {
		var d Described
		if err := json.Unmarshal(text, &d); err != nil || d.check() != nil {
			return fail("has a description that is not that of a comparison")
		}
		if i > 0 && !d.SameComparison(last) {
			return fail("holds the records of several comparisons: give each a folder of its own")
		}
		d.Questions = max(d.Questions, last.Questions)
		changed = changed || i > 0 && (d.Rule != last.Rule || d.UntilDecided != last.UntilDecided)
		last = d
	}
	if changed {
		last.Remarks = append(last.Remarks, "Between runs into this journal it was changed when the comparison ends, or by which rule. Who does so after a look at the figures can no longer trust the error rates.")
	}
	if len(manifests) == 0 {
		return fail("describes no comparison: nothing was run into it")
	}
	return last, nil
}

// Unanswered says what a failed or refused call of the baseline or of a challenger does
// to its question. Under either rule the verdict counts a call that failed against the
// word that it would be counted for: for reorder the challenger's as wrong and the
// baseline's as right, for keep the reverse, since nobody knows what it hides.
type Unanswered string

// The rules for failed and refused calls. Refused is a call whose answer ended for
// that reason, by the server's word; "I don't know" is an answer.
const (
	// Drop, the default, leaves the question out of the figures of every arm. A refused
	// call counts in the verdict as one that failed.
	Drop Unanswered = "drop"
	// Wrong shows the arm that failed or refused as wrong in that question. A refused
	// call is wrong in the verdict, too.
	Wrong Unanswered = "wrong"
)
