package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/sweep/internal/slot"
	"github.com/bookend-rag/bookend/core/sweep/internal/text"
)

// ResultFormat is the value of a result's "format" key.
const ResultFormat = "bookend-sweep-result/1"

// RightFrom is the score from which an answer counts as right. Only scorers that
// give parts of a point, such as TokenF1, have scores between 0 and 1.
const RightFrom = 0.5

// Confidence is the level of every interval in a Result.
const Confidence = 0.95

// SimulatedPrefix begins the name of a simulated reader as a model, so that its
// plans, journals, curves and reports all say what they are.
const SimulatedPrefix = "simulated "

const (
	spreadPermutations = 1000
	spreadSeed         = 1
	detectableAlpha    = 0.05
	detectablePower    = 0.8
)

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

	Model          string `json:"model"`
	Task           Task   `json:"task"`
	Layout         string `json:"layout"`
	DocumentFormat string `json:"document_format"`
	Date           string `json:"date"`
	Documents      int    `json:"documents"` // in each prompt

	Scorer string `json:"scorer"`
	// JudgedBy is the text that accuracy, statistics and curve follow: "full answer"
	// or "first line".
	JudgedBy  string         `json:"judged_by"`
	Questions QuestionCounts `json:"questions"`

	Slots      []ArmResult `json:"slots"`                 // ascending
	ClosedBook *ArmResult  `json:"closed_book,omitempty"` // without documents
	Oracle     *ArmResult  `json:"oracle,omitempty"`      // the gold document alone
	// Again is the middle slot asked again; its tallies are of the first repeat, its
	// counts of all. Repeat compares the answers with the first ones.
	Again  *ArmResult `json:"again,omitempty"`
	Repeat *Flips     `json:"repeat,omitempty"`

	// Verdict, Cochran and Spread are nil where no question is complete.
	Verdict *Verdict `json:"verdict,omitempty"`
	Cochran *Cochran `json:"cochran,omitempty"`
	Spread  *Spread  `json:"spread,omitempty"`
	// Detectable is the smallest difference between the first and the last measured
	// slot that so many questions can show; nil where they can show none.
	Detectable *Detectable `json:"detectable,omitempty"`
	// Curve is nil where it cannot be fitted; CurveNote says why.
	Curve     *core.Curve `json:"curve,omitempty"`
	CurveNote string      `json:"curve_note,omitempty"`

	Counts   Counts    `json:"counts"` // over all arms, the repeat arm too
	Notes    []string  `json:"notes,omitempty"`
	Examples []Example `json:"examples,omitempty"`
	Setup    []Setting `json:"setup"` // the exact configuration
}

// QuestionCounts says how many questions stand behind a result.
type QuestionCounts struct {
	Planned    int `json:"planned"`
	Complete   int `json:"complete"`   // answered in every measured slot: the n of every accuracy
	Incomplete int `json:"incomplete"` // planned, but not complete
}

// Counts says what became of the planned calls: Planned is always Answered plus
// Failed plus Missing. Refused, Truncated and Empty are among the answered, and one
// answer may count in several of them.
type Counts struct {
	Planned   int `json:"planned"`
	Answered  int `json:"answered"`
	Failed    int `json:"failed"`  // no answer after the last try
	Missing   int `json:"missing"` // not asked yet
	Refused   int `json:"refused"`
	Truncated int `json:"truncated"`
	Empty     int `json:"empty"`
}

// Add adds the counts of other calls.
func (c *Counts) Add(d Counts) {
	c.Planned += d.Planned
	c.Answered += d.Answered
	c.Failed += d.Failed
	c.Missing += d.Missing
	c.Refused += d.Refused
	c.Truncated += d.Truncated
	c.Empty += d.Empty
}

// Answer counts one answer.
func (c *Counts) Answer(class AnswerClass) {
	c.Answered++
	for _, one := range []struct {
		is    bool
		tally *int
	}{{class.Refusal, &c.Refused}, {class.Truncated, &c.Truncated}, {class.Empty, &c.Empty}} {
		if one.is {
			*one.tally++
		}
	}
}

// Tally is a share of right answers.
type Tally struct {
	Correct  int     `json:"correct"`
	Accuracy float64 `json:"accuracy"`
	Interval         // Wilson's, at Confidence
}

// ArmResult is what was found in one slot or one baseline, over the complete
// questions.
type ArmResult struct {
	Arm  string `json:"arm"`  // ArmSlot, ArmClosedBook, ArmOracle or ArmRepeat
	Slot int    `json:"slot"` // -1 for a baseline
	N    int    `json:"n"`    // complete questions with an answer in this arm
	// Full judges the whole answer, FirstLine what stands before the first line's
	// end. Both are zero where N is 0.
	Full      Tally   `json:"full"`
	FirstLine Tally   `json:"first_line"`
	MeanScore float64 `json:"mean_score"` // of the judged text; Accuracy for scores of 0 and 1
	Counts    Counts  `json:"counts"`     // over all planned questions
}

// Judged returns the tally that the statistics follow.
func (r Result) Judged(a ArmResult) Tally {
	if r.JudgedBy == JudgedByFirstLine {
		return a.FirstLine
	}
	return a.Full
}

// What a JudgedBy says.
const (
	JudgedByFull      = "full answer"
	JudgedByFirstLine = "first line"
)

// JudgedBy names the text that the judging follows.
func (j Judging) JudgedBy() string {
	if j.FirstLine {
		return JudgedByFirstLine
	}
	return JudgedByFull
}

// Score returns the one of the two scores that the judging follows.
func (j Judging) Score(s Scores) float64 {
	if j.FirstLine {
		return s.FirstLine
	}
	return s.Full
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

// Setting is one value of a sweep's configuration.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// finding says what was found, in one sentence.
func (r Result) finding() string {
	who := r.Model
	if who == "" {
		who = "the model"
	}
	if r.Simulated {
		who = "the " + strings.Replace(who, SimulatedPrefix, SimulatedPrefix+"reader ", 1)
	}
	if r.Verdict == nil {
		return "Nothing can be said yet: no question was answered in every measured slot."
	}
	of := fmt.Sprintf("%s of %d documents, %s each", text.Count(len(r.Slots), "slot"), r.Documents, text.Count(r.Questions.Complete, "question"))
	if len(r.Slots) == r.Documents {
		of = fmt.Sprintf("all %d slots, %s each", r.Documents, text.Count(r.Questions.Complete, "question"))
	}
	sentence := ""
	switch r.Verdict.Shape {
	case core.ShapeU:
		sentence = "Both ends of the prompt are read better than its middle"
	case core.ShapeInverted:
		sentence = "The middle of the prompt is read better than its ends"
	case core.ShapePrimacy:
		sentence = "The start of the prompt is read best"
	case core.ShapeRecency:
		sentence = "The end of the prompt is read best"
	case core.ShapeFlat:
		return fmt.Sprintf("Every slot is read alike by %s, to within %.0f points (%s).", who, 100*r.Verdict.Margin, of)
	default:
		return fmt.Sprintf("Nothing is decided yet about where %s reads best (%s): more questions would tell.", who, of)
	}
	best, worst := r.extremes()
	return fmt.Sprintf("%s by %s: %s right with the answer in slot %d, %s in slot %d (%s).", sentence, who,
		percent(r.Judged(best).Accuracy), best.Slot, percent(r.Judged(worst).Accuracy), worst.Slot, of)
}

// extremes returns the best and the worst slot, the first of equal ones.
func (r Result) extremes() (best, worst ArmResult) {
	best, worst = r.Slots[0], r.Slots[0]
	for _, s := range r.Slots {
		if r.Judged(s).Correct > r.Judged(best).Correct {
			best = s
		}
		if r.Judged(s).Correct < r.Judged(worst).Correct {
			worst = s
		}
	}
	return best, worst
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", math.Round(share*1000)/10) }

// Described is what a journal says about the sweep that it records: the plan, and
// how its answers are judged unless somebody judges them otherwise.
type Described struct {
	Manifest
	Scorer    string `json:"scorer,omitempty"`     // a name for ParseScorer; empty: that of the task
	FirstLine bool   `json:"first_line,omitempty"` // judge the first line, not the whole answer
	Server    string `json:"server,omitempty"`     // the address that was asked, without user info and query
}

// SameSweep says whether records of both may stand in one result: they ask the same
// of the same model, up to the number of questions, the baselines, and the place
// of the file.
func (d Described) SameSweep(other Described) bool {
	asked := func(d Described) string {
		m := d.Manifest
		m.Questions, m.Calls, m.Arms, m.Repeats = 0, 0, nil, 0
		if m.Dataset.Path == "" { // generated: more cases only add to fewer
			m.Dataset = Report{}
		}
		m.Dataset.Path = ""
		text, _ := json.Marshal(m) // it came from JSON, or goes there
		return string(text)
	}
	return asked(d) == asked(other)
}

// Judging says how Summarize judges answers.
type Judging struct {
	// Scorer judges an answer. nil: the one that Described names, or else Exact for
	// key-value cases and BestSubspan for questions.
	Scorer Scorer
	// FirstLine makes accuracy, statistics and curve follow the first line of each
	// answer, as models that run on need it. Both scores are shown in any case.
	FirstLine bool
}

// JudgingOf returns what d asks for. The error is that of ParseScorer.
func JudgingOf(d Described) (Judging, error) {
	j := Judging{Scorer: BestSubspan, FirstLine: d.FirstLine}
	if d.Task == KeyValue {
		j.Scorer = Exact
	}
	if d.Scorer == "" {
		return j, nil
	}
	var err error
	j.Scorer, err = ParseScorer(d.Scorer)
	return j, err
}

// Summarize computes what a report shows from the records of a sweep. It asks
// nothing, and reads neither clock nor file: same arguments, same result, whatever
// the order of the questions among the records. For one key the order counts as in
// a journal: a later record replaces a failure, and an answer stays. Records of slots that d
// does not measure are left out, and a note says how many.
//
// Where no question is complete yet, the result has counts and no statistics. The
// error is a *ScoreError or a *core.ConfigError.
func Summarize(d Described, records []Record, j Judging) (Result, error) {
	s, err := newSummary(d, j)
	if err != nil {
		return Result{}, err
	}
	for _, r := range records {
		if err := s.add(r); err != nil {
			return Result{}, err
		}
	}
	return s.result()
}

// ErrNoSweep says that a journal does not describe the sweep that it records.
var ErrNoSweep = errors.New("the journal describes no sweep")

// DescriptionOf reads the last description of a journal. The error is a
// *JournalError: that of ReadJournal, ErrNoSweep where there is none, or one that
// says that the records are of different sweeps.
func DescriptionOf(path string) (Described, error) {
	reading, err := ReadJournal(path, func(Record) error { return nil })
	if err != nil {
		return Described{}, err
	}
	var last Described
	for i, text := range reading.Manifest {
		var d Described
		if err := json.Unmarshal(text, &d); err != nil || d.Model == "" {
			return Described{}, &JournalError{Path: path, Rule: "has a description that cannot be read", Err: ErrNoSweep}
		}
		if i > 0 && !d.SameSweep(last) {
			return Described{}, &JournalError{
				Path: path, Rule: "holds the records of several sweeps: give each a folder of its own", Err: ErrNoSweep,
			}
		}
		d.Questions = max(d.Questions, last.Questions) // a shorter run asks no question away
		last = d
	}
	if last.Model == "" {
		return Described{}, &JournalError{Path: path, Rule: "describes no sweep: nothing was run into it", Err: ErrNoSweep}
	}
	return last, nil
}

// SummarizeJournal is Summarize for a journal. judge may change how it is judged;
// nil leaves it as the journal says. It reads the journal twice and holds scores,
// not texts. The errors are those of DescriptionOf, ReadJournal and Summarize.
func SummarizeJournal(path string, judge func(*Judging)) (Result, error) {
	d, err := DescriptionOf(path)
	if err != nil {
		return Result{}, err
	}
	j, err := JudgingOf(d)
	if err != nil {
		return Result{}, err
	}
	if judge != nil {
		judge(&j)
	}
	s, err := newSummary(d, j)
	if err != nil {
		return Result{}, err
	}
	reading, err := ReadJournal(path, s.add)
	if err != nil {
		return Result{}, err
	}
	if reading.Torn > 0 {
		s.notes = append(s.notes, fmt.Sprintf("The last line of the journal is torn (%d bytes) and was left out: its call counts as not asked.", reading.Torn))
	}
	return s.result()
}

// cell is what is known of one call.
type cell struct {
	state  cellState
	scores Scores
}

type cellState byte

const (
	missing cellState = iota
	failed
	answered
)

// asked holds the cells of one question.
type asked struct {
	slots              []cell
	closedBook, oracle cell
	repeats            map[int]*cell // by the number of the repeat
}

type summary struct {
	described Described
	judging   Judging
	position  map[int]int // of a measured slot among the measured
	questions map[string]*asked
	order     []string
	counts    map[string]*Counts
	examples  []ordered // at most maxExamples
	notes     []string
	last      time.Time
	stray     int
}

func newSummary(d Described, j Judging) (*summary, error) {
	if err := slot.Check(d.Documents, d.Slots); err != nil {
		return nil, err
	}
	if d.Repeats < 0 || d.Repeats > 1000 {
		return nil, &core.ConfigError{Field: "Repeats", Value: d.Repeats, Rule: "must be 0 to 1000"}
	}
	if j.Scorer == nil {
		named, err := JudgingOf(d)
		if err != nil {
			return nil, err
		}
		j.Scorer = named.Scorer
	}
	s := &summary{
		described: d, judging: j, position: map[int]int{}, questions: map[string]*asked{},
		counts: map[string]*Counts{},
	}
	for i, slot := range d.Slots {
		s.position[slot] = i
	}
	return s, nil
}

// add takes one record in.
func (s *summary) add(r Record) error {
	if (r.Answer != nil) == (r.Failure != nil) {
		return nil
	}
	c := s.cell(r)
	if c == nil {
		s.stray++
		return nil
	}
	if r.Time.After(s.last) {
		s.last = r.Time
	}
	if c.state == answered {
		return nil
	}
	if r.Failure != nil {
		c.state = failed
		return nil
	}
	scores, err := Score(s.judging.Scorer, r.Answer.Text, r.Answers)
	if err != nil {
		return err
	}
	c.state, c.scores = answered, scores
	s.countsOf(armKey(r.Arm, r.Slot)).Answer(Classify(r.Answer.Text, r.Answer.FinishReason))
	s.example(r, scores)
	return nil
}

// cell finds the place of a record; nil where the sweep has none.
func (s *summary) cell(r Record) *cell {
	position, measured := s.position[r.Slot]
	switch r.Arm {
	case ArmSlot:
		if !measured {
			return nil
		}
	case ArmRepeat:
		if !measured || position != s.middle() || r.Repeat < 1 {
			return nil
		}
	case ArmClosedBook, ArmOracle:
	default:
		return nil
	}
	q := s.questions[r.Question]
	if q == nil {
		q = &asked{slots: make([]cell, len(s.described.Slots))}
		s.questions[r.Question] = q
		s.order = append(s.order, r.Question)
	}
	switch r.Arm {
	case ArmSlot:
		return &q.slots[position]
	case ArmClosedBook:
		return &q.closedBook
	case ArmOracle:
		return &q.oracle
	}
	if q.repeats == nil {
		q.repeats = map[int]*cell{}
	}
	if q.repeats[r.Repeat] == nil {
		q.repeats[r.Repeat] = &cell{}
	}
	return q.repeats[r.Repeat]
}

func armKey(arm string, slot int) string { return arm + " " + strconv.Itoa(slot) }

func (s *summary) countsOf(key string) *Counts {
	if s.counts[key] == nil {
		s.counts[key] = &Counts{}
	}
	return s.counts[key]
}

const (
	maxExamples     = 6
	maxExampleBytes = 300
)

// example keeps a few wrong answers of the slots, one a question: those whose
// questions have the lowest IDs, so that the order in which answers came does not
// matter.
func (s *summary) example(r Record, scores Scores) {
	if r.Arm != ArmSlot || s.judging.Score(scores) >= RightFrom {
		return
	}
	e := ordered{question: r.Question, slot: r.Slot}
	at, found := slices.BinarySearchFunc(s.examples, e, ordered.compare)
	if at == maxExamples || found && s.examples[at].slot <= e.slot {
		return
	}
	e.Example = Example{Arm: "slot " + strconv.Itoa(r.Slot), Got: shortened(r.Answer.Text)}
	for _, wanted := range r.Answers[:min(len(r.Answers), 3)] {
		e.Wanted = append(e.Wanted, shortened(wanted))
	}
	if found {
		s.examples[at] = e
		return
	}
	s.examples = slices.Insert(s.examples, at, e)
	s.examples = s.examples[:min(len(s.examples), maxExamples)]
}

// ordered is an example with its place among the others.
type ordered struct {
	question string
	slot     int
	Example
}

func (e ordered) compare(other ordered) int { return strings.Compare(e.question, other.question) }

func shortened(text string) string {
	if len(text) <= maxExampleBytes {
		return text
	}
	cut := maxExampleBytes
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func (s *summary) right(c cell) bool { return s.judging.Score(c.scores) >= RightFrom }

// result computes everything.
func (s *summary) result() (Result, error) {
	d := s.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, SimulatedPrefix),
		Model: d.Model, Task: d.Task, Layout: d.Layout, Documents: d.Documents,
		Scorer: s.judging.Scorer.String(), JudgedBy: s.judging.JudgedBy(),
		Setup: s.setup(),
	}
	if d.Prompt != nil {
		r.DocumentFormat = string(d.Prompt.Format)
	}
	if !s.last.IsZero() {
		r.Date = s.last.UTC().Format(time.DateOnly)
	}
	slices.Sort(s.order) // so that the order in which answers came does not matter
	for _, e := range s.examples {
		r.Examples = append(r.Examples, e.Example)
	}
	complete, ids := s.complete()
	r.Questions.Planned = max(d.Questions, len(s.order))
	r.Questions.Complete = len(complete)
	r.Questions.Incomplete = r.Questions.Planned - len(complete)
	s.arms(&r, complete)
	if err := s.statistics(&r, complete); err != nil {
		return Result{}, err
	}
	if r.Curve != nil && len(ids) <= maxAsked {
		r.Curve.Asked = strings.Join(ids, " ")
	}
	if s.stray > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s of the journal stand in no arm of this sweep and were left out.", text.Count(s.stray, "record")))
	}
	r.Notes = s.notes
	r.Finding = r.finding()
	return r, nil
}

// maxAsked is how many questions a curve file names: 400 kB.
const maxAsked = 24_000

// complete lists the questions that have an answer in every measured slot, and
// their IDs.
func (s *summary) complete() (complete []*asked, ids []string) {
	for _, id := range s.order {
		q := s.questions[id]
		if !slices.ContainsFunc(q.slots, func(c cell) bool { return c.state != answered }) {
			complete, ids = append(complete, q), append(ids, id)
		}
	}
	return complete, ids
}

// arms fills in slots, baselines and counts.
func (s *summary) arms(r *Result, complete []*asked) {
	for i, slot := range s.described.Slots {
		r.Slots = append(r.Slots, s.arm(*r, complete, ArmSlot, slot, func(q *asked) cell { return q.slots[i] }))
	}
	add := func(name string, slot int, at func(*asked) cell) *ArmResult {
		if !slices.Contains(s.described.Arms, name) {
			return nil
		}
		a := s.arm(*r, complete, name, slot, at)
		return &a
	}
	r.ClosedBook = add(ArmClosedBook, NoSlot, func(q *asked) cell { return q.closedBook })
	r.Oracle = add(ArmOracle, NoSlot, func(q *asked) cell { return q.oracle })
	r.Again = add(ArmRepeat, s.described.Slots[s.middle()], func(q *asked) cell {
		if numbers := sortedKeys(q.repeats); len(numbers) > 0 {
			return *q.repeats[numbers[0]]
		}
		return cell{}
	})
	s.repeat(r)
	for _, a := range append([]*ArmResult{r.ClosedBook, r.Oracle, r.Again}, pointers(r.Slots)...) {
		if a != nil {
			r.Counts.Add(a.Counts)
		}
	}
}

func pointers(arms []ArmResult) []*ArmResult {
	all := make([]*ArmResult, len(arms))
	for i := range arms {
		all[i] = &arms[i]
	}
	return all
}

// arm judges one arm over the complete questions.
func (s *summary) arm(r Result, complete []*asked, name string, slot int, at func(*asked) cell) ArmResult {
	a := ArmResult{Arm: name, Slot: slot, Counts: s.planned(name, slot, r.Questions.Planned, at)}
	score := 0.0
	for _, q := range complete {
		c := at(q)
		if c.state != answered {
			continue
		}
		a.N++
		score += s.judging.Score(c.scores)
		a.Full.Correct += one(c.scores.Full)
		a.FirstLine.Correct += one(c.scores.FirstLine)
	}
	if a.N > 0 {
		a.MeanScore = score / float64(a.N)
		a.Full.finish(a.N)
		a.FirstLine.finish(a.N)
	}
	return a
}

// middle is the measured slot that the repeat arm asks again.
func (s *summary) middle() int { return len(s.described.Slots) / 2 }

// one is 1 for a score that counts as right.
func one(score float64) int {
	if score >= RightFrom {
		return 1
	}
	return 0
}

func (t *Tally) finish(n int) {
	t.Accuracy = float64(t.Correct) / float64(n)
	t.Interval, _ = Wilson(t.Correct, n, Confidence) // n is 1 or more
}

// planned counts what became of the calls of one arm.
func (s *summary) planned(name string, slot, questions int, at func(*asked) cell) Counts {
	counts := *s.countsOf(armKey(name, slot))
	counts.Planned = questions
	for _, q := range s.questions {
		if at(q).state == failed {
			counts.Failed++
		}
	}
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	return counts
}

// repeat counts the repeats, and compares their answers with the first ones.
func (s *summary) repeat(r *Result) {
	if r.Again == nil {
		return
	}
	middle := s.middle()
	counts := &r.Again.Counts
	counts.Planned, counts.Failed = r.Questions.Planned*s.described.Repeats, 0
	var first, again []bool
	for _, id := range s.order {
		q := s.questions[id]
		for _, number := range sortedKeys(q.repeats) {
			c := q.repeats[number]
			if c.state == failed {
				counts.Failed++
			}
			if c.state == answered && q.slots[middle].state == answered {
				first = append(first, s.right(q.slots[middle]))
				again = append(again, s.right(*c))
			}
		}
	}
	counts.Planned = max(counts.Planned, counts.Answered+counts.Failed)
	counts.Missing = counts.Planned - counts.Answered - counts.Failed
	if flips, err := FlipRate(first, again, Confidence); err == nil { // else there is no pair yet
		r.Repeat = &flips
	}
}

func sortedKeys(m map[int]*cell) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// statistics fills in what needs complete questions.
func (s *summary) statistics(r *Result, complete []*asked) error {
	if len(complete) == 0 {
		r.CurveNote = "no question was answered in every measured slot"
		return nil
	}
	rows := make([][]bool, len(complete))
	for i, q := range complete {
		rows[i] = make([]bool, len(q.slots))
		for j, c := range q.slots {
			rows[i][j] = s.right(c)
		}
	}
	o, err := NewOutcomes(s.described.Documents, s.described.Slots, rows)
	if err != nil {
		return err
	}
	verdict, cochran := JudgeShape(o), CochranQ(o)
	spread, err := BestWorst(o, spreadPermutations, spreadSeed)
	if err != nil {
		return err
	}
	r.Verdict, r.Cochran, r.Spread = &verdict, &cochran, &spread
	discordance := o.Discordance(0, len(s.described.Slots)-1)
	if least, err := MinimumDetectable(o.Questions(), discordance, detectableAlpha, detectablePower); err == nil {
		r.Detectable = &Detectable{Difference: least, Discordance: discordance, Alpha: detectableAlpha, Power: detectablePower}
	}
	r.Curve, err = Fit(o, CurveInfo{Model: r.Model, Task: string(r.Task), Layout: r.Layout, Date: r.Date})
	if err != nil {
		r.Curve, r.CurveNote = nil, err.Error()
	}
	return nil
}

// setup lists the exact configuration.
func (s *summary) setup() []Setting {
	d := s.described
	var setup []Setting
	add := func(name, value string) {
		if value != "" {
			setup = append(setup, Setting{name, value})
		}
	}
	add("model", d.Model)
	add("server", d.Server)
	add("parameters", asJSON(d.Params))
	add("task", string(d.Task))
	add("dataset", cmp.Or(d.Dataset.Path, "generated from a seed"))
	add("lines of the dataset", d.Dataset.String())
	add("documents in a prompt", strconv.Itoa(d.Documents))
	add("measured slots", numberList(d.Slots))
	add("questions", strconv.Itoa(d.Questions))
	add("seed", strconv.FormatUint(d.Seed, 10))
	add("arms", strings.Join(d.Arms, ", "))
	if slices.Contains(d.Arms, ArmRepeat) {
		add("repeats", strconv.Itoa(d.Repeats))
	}
	add("layout", d.Layout)
	add("instruction", d.Instruction)
	if d.Prompt != nil {
		add("prompt", asJSON(d.Prompt))
	}
	add("scorer", s.judging.Scorer.String()+", on the "+s.judging.JudgedBy())
	return setup
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
