package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core/sweep"
	"github.com/bookend-rag/bookend/core/sweep/paired"
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
// text of a question, a document or an answer.
//
// One set of questions stands behind every number of an arm: those that Questions
// counts as Counted.
type Result struct {
	Format    string `json:"format"`
	Simulated bool   `json:"simulated"` // a simulated reader answered: no model was measured
	Finding   string `json:"finding"`   // the verdict, in one sentence

	// Word is the verdict by rule (c), and Winner the name of the arm to use: that of
	// a challenger for "reorder", else that of the baseline.
	Word   paired.Word `json:"word"`
	Winner string      `json:"winner"`
	// Settings are those of the winner.
	Settings Settled `json:"settings"`
	paired.Rule
	UntilDecided bool `json:"until_decided"`
	// More says about how many more questions would settle an inconclusive verdict.
	More *More `json:"more,omitempty"`

	Model         string     `json:"model"`
	Date          string     `json:"date"`
	Scorer        string     `json:"scorer"`
	JudgedBy      string     `json:"judged_by"`
	Unanswered    Unanswered `json:"unanswered"`
	SameQuestions bool       `json:"same_questions"` // fitted and compared on the same questions

	Questions Questions   `json:"questions"`
	Arms      []ArmResult `json:"arms"` // the baseline, the challengers, the controls
	// Repeat says how often the baseline was judged otherwise when it was asked
	// again; nil without a repeat arm.
	Repeat *Flips    `json:"repeat,omitempty"`
	Strata []Stratum `json:"strata"`

	Counts sweep.Counts    `json:"counts"` // over all calls
	Spent  sweep.Spent     `json:"spent"`
	Cost   *float64        `json:"cost,omitempty"` // of Spent; nil without prices
	Notes  []string        `json:"notes,omitempty"`
	Setup  []sweep.Setting `json:"setup"` // the exact configuration
}

// More is what would probably settle a comparison.
type More struct {
	Word      paired.Word `json:"word"` // the nearer one
	Arm       string      `json:"arm"`
	Questions int         `json:"questions"` // about how many more
}

// Questions says how many questions stand behind a result.
type Questions struct {
	Planned int `json:"planned"`
	Counted int `json:"counted"` // answered in every arm: the n of every number
	Dropped int `json:"dropped"` // a call failed or was refused, and the rule is Drop
	Missing int `json:"missing"` // begun, with a call that has no answer yet
	After   int `json:"after"`   // begun before the decision was known, and not counted
}

// ArmResult is what was found in one arm.
type ArmResult struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Identical names the earlier arm that gives the same prompts for every list; the
	// arm then takes no part in the verdict.
	Identical string `json:"identical,omitempty"`
	Full      Tally  `json:"full"`       // by the whole answer
	FirstLine Tally  `json:"first_line"` // by its first line
	// Against holds the arm against the baseline; nil for the baseline.
	Against *Against     `json:"against,omitempty"`
	Counts  sweep.Counts `json:"counts"` // calls that arms share count in each
	Caching Caching      `json:"caching"`
}

// Tally is a share of right answers.
type Tally struct {
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
	// Wilson is the 95 % interval of Wilson. It holds for a fixed number of questions,
	// and is nil with UntilDecided and where nothing is counted.
	Wilson *sweep.Interval `json:"wilson,omitempty"`
}

// Flips says how often the very same prompt was judged otherwise when it was asked
// again.
type Flips struct {
	Flips int     `json:"flips"` // pairs that differ
	Pairs int     `json:"pairs"`
	Rate  float64 `json:"rate"`
	// Wilson is as in Tally.
	Wilson *sweep.Interval `json:"wilson,omitempty"`
}

// Against is a paired comparison with the baseline.
type Against struct {
	paired.Counts
	Difference  float64 `json:"difference"` // in accuracy, as a share
	Discordance float64 `json:"discordance"`
	// Sequential holds however often one looks. It is nil for a control, for an
	// identical arm and where nothing is counted yet.
	Sequential *paired.Evidence `json:"sequential,omitempty"`
	// Sequence is the confidence sequence of the difference.
	Sequence sweep.Interval `json:"sequence"`
	// Fixed holds for a number of questions that was fixed before. It is nil with
	// UntilDecided.
	Fixed *Fixed `json:"fixed,omitempty"`
}

// Fixed are the statistics of a fixed number of questions.
type Fixed struct {
	McNemar float64 `json:"mcnemar"` // exact, two-sided
	// Holm is McNemar with all challengers accounted for; nil for a control.
	Holm      *float64       `json:"holm,omitempty"`
	Bootstrap sweep.Interval `json:"bootstrap"` // 95 %, of the difference
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
	if r.JudgedBy == judgedByFirstLine {
		return a.FirstLine
	}
	return a.Full
}

const (
	judgedByFull      = "full answer"
	judgedByFirstLine = "first line"
)

// Summarize computes what a report shows from what a journal holds of a
// comparison: its description, the noted questions in their order, and the records
// in any order. It asks nothing, and reads neither clock nor file. judge may be nil.
// The error is that of a description that is not that of a comparison, or a
// *sweep.ScoreError.
func Summarize(d Described, notes []sweep.Note, records []sweep.Record, judge func(*sweep.Judging)) (Result, error) {
	return summarize("", d, notes, judge, func(add func(sweep.Record) error) error {
		for _, r := range records {
			if err := add(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// SummarizeJournal is Summarize for a journal. judge may change how it is judged;
// nil leaves it as the journal says. It reads the journal twice and holds scores,
// not texts.
func SummarizeJournal(path string, judge func(*sweep.Judging)) (Result, error) {
	reading, err := sweep.ReadJournal(path, func(sweep.Record) error { return nil })
	if err != nil {
		return Result{}, err
	}
	d, err := describe(path, reading.Manifest)
	if err != nil {
		return Result{}, err
	}
	if reading.Torn > 0 {
		d.Remarks = append(d.Remarks, fmt.Sprintf("The last line of the journal is torn (%d bytes) and was left out: its call counts as not asked.", reading.Torn))
	}
	return summarize(path, d, reading.Notes, judge, func(add func(sweep.Record) error) error {
		_, err := sweep.ReadJournal(path, add)
		return err
	})
}

func summarize(path string, d Described, notes []sweep.Note, judge func(*sweep.Judging), records func(func(sweep.Record) error) error) (Result, error) {
	if err := d.check(); err != nil {
		return Result{}, err
	}
	j, err := d.judging()
	if err != nil {
		return Result{}, err
	}
	if judge != nil {
		judge(&j)
	}
	l := newLedger(d, j)
	if err := l.readNotes(path, notes); err != nil {
		return Result{}, err
	}
	var spent sweep.Spent
	err = records(func(r sweep.Record) error {
		spent.Add(r.Spent())
		return l.add(r)
	})
	if err != nil {
		return Result{}, err
	}
	w, err := newWatcher(l)
	if err == nil {
		err = w.settle()
	}
	if err != nil {
		return Result{}, err
	}
	return w.result(spent)
}

func (w *watcher) result(spent sweep.Spent) (Result, error) {
	l, d := w.ledger, w.ledger.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, sweep.SimulatedPrefix),
		Rule: d.Rule, UntilDecided: d.UntilDecided,
		Model: d.Model, Scorer: l.judging.Scorer.String(), JudgedBy: judgedByFull, Unanswered: d.unanswered(),
		SameQuestions: d.SameQuestions, Spent: spent, Notes: slices.Clone(d.Remarks), Setup: l.setup(),
	}
	r.Alpha = cmp.Or(r.Alpha, 0.05)
	if l.judging.FirstLine {
		r.JudgedBy = judgedByFirstLine
	}
	if !l.last.IsZero() {
		r.Date = l.last.UTC().Format(time.DateOnly)
	}
	if d.Prices != (sweep.Prices{}) {
		cost := d.Prices.Cost(spent.Usage)
		r.Cost = &cost
	}
	if d.SameQuestions {
		r.Notes = append(r.Notes, "The measured placement was fitted on questions that are compared here: its gain is flattered.")
	}
	w.countQuestions(&r)
	if err := w.arms(&r); err != nil {
		return Result{}, err
	}
	w.strata(&r)
	w.verdict(&r)
	r.Finding = r.finding()
	return r, nil
}

// countQuestions says what became of the questions.
func (w *watcher) countQuestions(r *Result) {
	l := w.ledger
	r.Questions = Questions{Planned: max(l.described.Questions, len(l.order)), Counted: len(w.counted), Dropped: w.dropped}
	if !w.decided() {
		for _, id := range l.order {
			if l.standing(l.questions[id]) == waiting {
				r.Questions.Missing++
			}
		}
		return
	}
	r.Questions.After = len(l.order) - w.next
}

// arms fills in what each arm found over the counted questions.
func (w *watcher) arms(r *Result) error {
	l := w.ledger
	var evidence []paired.Evidence
	if w.trial != nil {
		evidence = w.trial.Verdict().Challengers
	}
	var pvalues []float64
	var fixed []*Fixed
	seen := map[string]bool{}
	for i, arm := range l.arms {
		a := ArmResult{Name: arm.Name, Kind: arm.Kind, Identical: arm.Identical}
		w.tally(&a, arm.Name)
		l.calls(&a, &r.Counts, r.Questions.Planned, seen)
		if i > 0 {
			against, err := w.against(arm)
			if err != nil {
				return err
			}
			if at := slices.Index(w.challengers, arm.Name); at >= 0 && len(w.counted) > 0 {
				against.Sequential = &evidence[at]
				if against.Fixed != nil {
					pvalues, fixed = append(pvalues, against.Fixed.McNemar), append(fixed, against.Fixed)
				}
			}
			a.Against = &against
		}
		r.Arms = append(r.Arms, a)
	}
	for i, p := range paired.Holm(pvalues) {
		fixed[i].Holm = &p
	}
	return w.repeat(r)
}

// tally counts right answers and what the cache did.
func (w *watcher) tally(a *ArmResult, name string) {
	l, size, common := w.ledger, 0, 0
	for _, id := range w.counted {
		q := l.questions[id]
		o := l.of(q, name)
		full, first := o, o
		full.scores.FirstLine, first.scores.Full = o.scores.Full, o.scores.FirstLine
		a.Full.Correct += one(l.right(full))
		a.FirstLine.Correct += one(l.right(first))
		a.Caching.Prompt += o.usage.Prompt
		a.Caching.Cached += o.usage.Cached
		size += q.Cells[name].Size
		common += q.Cells[name].Prefix
	}
	w.finish(&a.Full, len(w.counted))
	w.finish(&a.FirstLine, len(w.counted))
	if size > 0 {
		a.Caching.Common = float64(common) / float64(size)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// finish fills in the shares of a tally; all are 0 where nothing is counted.
func (w *watcher) finish(t *Tally, n int) {
	if n > 0 {
		t.Accuracy, t.Wilson = float64(t.Correct)/float64(n), w.wilson(t.Correct, n)
	}
}

// wilson is nil where an interval for a fixed number of questions means nothing.
func (w *watcher) wilson(k, n int) *sweep.Interval {
	if w.ledger.described.UntilDecided {
		return nil
	}
	interval, err := sweep.Wilson(k, n, sweep.Confidence)
	if err != nil {
		return nil
	}
	return &interval
}

// calls counts what became of the calls of an arm; all counts each call once.
func (l *ledger) calls(a *ArmResult, all *sweep.Counts, planned int, seen map[string]bool) {
	a.Counts.Planned = planned
	for _, id := range l.order {
		key := l.questions[id].Cells[a.Name].Key
		l.tallyCall(&a.Counts, key)
		if !seen[key] {
			seen[key] = true
			all.Planned++
			l.tallyCall(all, key)
		}
	}
	a.Counts.Missing = a.Counts.Planned - a.Counts.Answered - a.Counts.Failed
	all.Missing = all.Planned - all.Answered - all.Failed
}

func (l *ledger) tallyCall(c *sweep.Counts, key string) {
	switch o := l.outcomes[key]; o.state {
	case answered:
		c.Answered++
		c.Refused += one(o.class.Refusal)
		c.Truncated += one(o.class.Truncated)
		c.Empty += one(o.class.Empty)
	case failed:
		c.Failed++
	}
}

// against holds an arm against the baseline.
func (w *watcher) against(arm ArmInfo) (Against, error) {
	l, baseline := w.ledger, w.ledger.arms[0].Name
	var a Against
	for _, id := range w.counted {
		q := l.questions[id]
		switch before, now := l.right(l.of(q, baseline)), l.right(l.of(q, arm.Name)); {
		case now == before:
			a.Same++
		case now:
			a.Wins++
		default:
			a.Losses++
		}
	}
	a.Difference, a.Discordance = a.Counts.Difference(), a.Counts.Discordance()
	if a.N() == 0 {
		return a, nil
	}
	var err error
	if a.Sequence, err = paired.ConfidenceSequence(a.Counts, cmp.Or(l.described.Alpha, 0.05)); err != nil {
		return a, err
	}
	if l.described.UntilDecided {
		return a, nil
	}
	a.Fixed = &Fixed{McNemar: paired.McNemar(a.Wins, a.Losses)}
	if a.Fixed.Bootstrap, err = paired.Bootstrap(a.Counts, resamples, bootstrapSeed, sweep.Confidence); err != nil {
		return a, err
	}
	if least, err := sweep.MinimumDetectable(a.N(), a.Discordance, detectableAlpha, detectablePower); err == nil {
		a.Fixed.Detectable = &least
	}
	return a, nil
}

// repeat compares the repeats with the first answers of the baseline.
func (w *watcher) repeat(r *Result) error {
	l, baseline := w.ledger, w.ledger.arms[0].Name
	var first, again []bool
	for _, arm := range l.arms {
		if arm.Kind != Repeat {
			continue
		}
		for _, id := range w.counted {
			q := l.questions[id]
			first = append(first, l.right(l.of(q, baseline)))
			again = append(again, l.right(l.of(q, arm.Name)))
		}
	}
	if len(first) == 0 {
		return nil
	}
	flips, err := sweep.FlipRate(first, again, sweep.Confidence)
	r.Repeat = &Flips{Flips: flips.Flips, Pairs: flips.Pairs, Rate: flips.Rate, Wilson: w.wilson(flips.Flips, flips.Pairs)}
	return err
}

// ranges are the strata by the rank of the answer.
var ranges = []struct{ from, to int }{{0, 0}, {1, 1}, {2, 4}, {5, 9}, {10, 19}, {20, math.MaxInt}, {-1, -1}}

func (w *watcher) strata(r *Result) {
	l := w.ledger
	for _, within := range ranges {
		s := Stratum{From: within.from, To: within.to, Arms: make([]Tally, len(l.arms))}
		deepest := within.from
		for _, id := range w.counted {
			q := l.questions[id]
			if q.Gold < within.from || q.Gold > within.to {
				continue
			}
			s.Questions++
			deepest = max(deepest, q.Gold)
			for i, arm := range l.arms {
				s.Arms[i].Correct += one(l.right(l.of(q, arm.Name)))
			}
		}
		if s.Questions == 0 {
			continue
		}
		s.To = min(s.To, deepest)
		for i := range s.Arms {
			w.finish(&s.Arms[i], s.Questions)
		}
		s.Name = stratumName(s.From, s.To)
		r.Strata = append(r.Strata, s)
	}
}

func stratumName(from, to int) string {
	switch {
	case from < 0:
		return "answer in no document"
	case from == to:
		return "answer at rank " + strconv.Itoa(from+1)
	}
	return fmt.Sprintf("answer at rank %d to %d", from+1, to+1)
}

// verdict fills in word, winner and settings.
func (w *watcher) verdict(r *Result) {
	arms := w.ledger.arms
	r.Word, r.Winner = paired.Inconclusive, arms[0].Name
	if w.trial == nil {
		r.Word = paired.Keep
	} else {
		v := w.trial.Verdict()
		r.Word = v.Word
		if v.Winner >= 0 {
			r.Winner = w.challengers[v.Winner]
		}
		if v.More != nil {
			r.More = &More{Word: v.More.Word, Arm: w.challengers[v.More.Challenger], Questions: v.More.Questions}
		}
	}
	for _, arm := range arms {
		if arm.Name == r.Winner {
			r.Settings = Settled{Note: r.note(), Order: arm.Order, Prompt: arm.Prompt}
		}
	}
}

// note marks the settings of the winner.
func (r Result) note() string {
	note := fmt.Sprintf("%s, by a comparison of %s with %s, %s", r.Word, r.Arms[0].Name, strings.TrimPrefix(r.Model, sweep.SimulatedPrefix), r.behind())
	if r.Simulated {
		note = "SIMULATED, no measurement: " + note
	}
	if r.SameQuestions {
		note += "; the measured placement was fitted on the same questions, which flatters it"
	}
	return note
}

// setup lists the exact configuration.
func (l *ledger) setup() []sweep.Setting {
	d := l.described
	var setup []sweep.Setting
	add := func(name, value string) {
		if value != "" {
			setup = append(setup, sweep.Setting{Name: name, Value: value})
		}
	}
	add("model", d.Model)
	add("server", d.Server)
	add("parameters", asJSON(d.Params))
	add("lists", cmp.Or(d.Dataset.Path, "generated from a seed"))
	add("lines of the file", d.Dataset.String())
	add("questions", strconv.Itoa(d.Questions))
	add("seed", strconv.FormatUint(d.Seed, 10))
	add("alpha", strconv.FormatFloat(cmp.Or(d.Alpha, 0.05), 'g', -1, 64))
	add("worthwhile gain", points(d.Worthwhile))
	add("questions end", map[bool]string{true: "once decided", false: "at the planned number"}[d.UntilDecided])
	add("failed and refused calls", map[Unanswered]string{Drop: "remove the question from every arm", Wrong: "are wrong in their arm"}[d.unanswered()])
	judged := judgedByFull
	if l.judging.FirstLine {
		judged = judgedByFirstLine
	}
	add("scorer", l.judging.Scorer.String()+", on the "+judged)
	for _, arm := range d.Arms {
		if arm.Kind == Baseline || arm.Kind == Challenger {
			add(string(arm.Kind)+" "+arm.Name, asJSON(Settled{Order: arm.Order, Prompt: arm.Prompt}))
		}
	}
	return setup
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
