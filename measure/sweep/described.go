package sweep

import (
	"encoding/json"
	"errors"

	"github.com/bookend-rag/bookend/measure/dataset"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/judge"
	"github.com/bookend-rag/bookend/measure/model"
)

// Described is what a journal says about the sweep that it records: the plan, and
// how its answers are judged unless somebody judges them otherwise.
type Described struct {
	Manifest
	Scorer    string `json:"scorer,omitempty"`     // a name for judge.ParseScorer; empty: that of the task
	FirstLine bool   `json:"first_line,omitempty"` // judge the first line, not the whole answer
	Server    string `json:"server,omitempty"`     // the address that was asked, without user info and query
	// Judge is the Grader of the run.Judged that is asked; nil: Scorer judges.
	Judge *judge.Description `json:"judge,omitempty"`
	// UntilDecided says that the shape was looked at after every question, to stop once
	// it is settled. No question after that is counted.
	UntilDecided bool         `json:"until_decided,omitempty"`
	Prices       model.Prices `json:"prices,omitzero"`
	JudgePrices  model.Prices `json:"judge_prices,omitzero"`
}

// SameSweep says whether records of both may stand in one result: they ask the same
// of the same model, up to the number of questions, the baselines, and the place
// of the file.
func (d Described) SameSweep(other Described) bool {
	asked := func(d Described) string {
		m := d.Manifest
		m.Questions, m.Calls, m.Arms, m.Repeats = 0, 0, nil, 0
		if m.Dataset.Path == "" { // generated: more cases only add to fewer
			m.Dataset = dataset.Report{}
		}
		m.Dataset.Path = ""
		text, _ := json.Marshal(m) // it came from JSON, or goes there
		return string(text)
	}
	return asked(d) == asked(other)
}

// JudgingOf returns what d asks for. The error is that of judge.ParseScorer.
func JudgingOf(d Described) (judge.Judging, error) {
	j := judge.Judging{Scorer: judge.BestSubspan, FirstLine: d.FirstLine}
	if d.Task == dataset.KeyValue {
		j.Scorer = judge.Exact
	}
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

// ErrNoSweep says that a journal does not describe the sweep that it records.
var ErrNoSweep = errors.New("the journal describes no sweep")

// DescriptionOf reads the last description of a journal. The error is a
// *journal.Error: that of journal.Read, ErrNoSweep where there is none, or one that
// says that the records are of different sweeps.
func DescriptionOf(path string) (Described, error) {
	reading, err := journal.Read(path, func(journal.Record) error { return nil })
	if err != nil {
		return Described{}, err
	}
	return describe(path, reading.Manifest)
}

func describe(path string, manifests []json.RawMessage) (Described, error) {
	var last Described
	for i, text := range manifests {
		var d Described
		if err := json.Unmarshal(text, &d); err != nil || d.Model == "" {
			return Described{}, &journal.Error{Path: path, Rule: "has a description that cannot be read", Err: ErrNoSweep}
		}
		if i > 0 && !d.SameSweep(last) {
			return Described{}, &journal.Error{
				Path: path, Rule: "holds the records of several sweeps: give each a folder of its own", Err: ErrNoSweep,
			}
		}
		d.Questions = max(d.Questions, last.Questions) // a shorter run asks no question away
		last = d
	}
	if last.Model == "" {
		return Described{}, &journal.Error{Path: path, Rule: "describes no sweep: nothing was run into it", Err: ErrNoSweep}
	}
	return last, nil
}
