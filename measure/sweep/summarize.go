package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Summarize computes what a report shows from the records of a sweep. It asks
// nothing, and reads neither clock nor file: same arguments, same result, whatever
// the order of the questions among the records. For one key the order counts as in
// a journal: a later record replaces a failure, and an answer stays. Records of slots that d
// does not measure are left out, and a note says how many.
//
// Where no question is complete yet, the result has counts and no statistics. The
// error is a *judge.ScoreError or a *core.ConfigError.
func Summarize(d Described, records []journal.Record, j judge.Judging) (Result, error) {
	s, err := newSummary(d, j)
	if err != nil {
		return Result{}, err
	}
	records, s.waiting = journal.Judged(records, s.judging.By())
	for _, r := range records {
		if err := s.add(r); err != nil {
			return Result{}, err
		}
	}
	return s.result()
}

// SummarizeJournal is Summarize for a journal. judge may change how it is judged;
// nil leaves it as the journal says. It reads the journal twice and holds scores,
// not texts. The errors are those of DescriptionOf, journal.Read and Summarize.
func SummarizeJournal(path string, judge func(*judge.Judging)) (Result, error) {
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
	reading, err := journal.ReadJudged(path, s.judging.By(), s.add)
	if err != nil {
		return Result{}, err
	}
	s.waiting = reading.Unjudged
	if reading.Torn > 0 {
		s.notes = append(s.notes, fmt.Sprintf("The last line of the journal is torn (%d bytes) and was left out: its call counts as not asked.", reading.Torn))
	}
	return s.result()
}

// result computes everything.
func (s *summary) result() (Result, error) {
	d := s.described
	r := Result{
		Format: ResultFormat, Simulated: strings.HasPrefix(d.Model, model.SimulatedPrefix),
		Model: d.Model, Task: d.Task, Layout: d.Layout, Documents: d.Documents,
		Scorer: s.judging.Scorer.String(), JudgedBy: s.judging.JudgedBy(), Judge: s.judge(),
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
	s.notes = append(s.notes, judge.Unjudged(s.unjudged, s.waiting)...)
	if remedy := r.Counts.Remedy(); remedy != "" {
		s.notes = append(s.notes, remedy)
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
