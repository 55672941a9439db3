package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookend-rag/bookend/internal/linelog"
)

// MaxLine is the most bytes that a line of a journal or of a batch file may
// have.
const MaxLine = linelog.MaxLine

// journalHeader is the first line of every journal, so that no other file is
// taken for one and cut.
const header = `{"journal":"bookend 1"}` + "\n"

// journalLine is any line of a journal.
type journalLine struct {
	Journal  string          `json:"journal"`
	Manifest json.RawMessage `json:"manifest"`
	Note     string          `json:"note"`
	Value    json.RawMessage `json:"value"`
	Record
}

func (l journalLine) valid() bool {
	return l.Manifest != nil || l.Journal != "" || l.Note != "" && l.Value != nil || l.Record.valid()
}

// Note is a value that Journal.Note wrote under a name.
type Note struct {
	Name  string
	Value json.RawMessage
}

// Reading says what Read found.
type Reading struct {
	Records  int               // all of them, failures that were made good included
	Spent    Spent             // by all records
	Unjudged int               // answers that ReadJudged left out
	Manifest []json.RawMessage // the descriptions, in their order
	Notes    []Note            // in their order; a later one of a name replaces an earlier one
	Torn     int64             // bytes of a torn last line, which was left out; 0 for none
}

// Read passes every record to each, in the order in which they were
// written, and holds one at a time; an error of each ends it and is returned. It
// takes no lock and changes nothing, so that it may run beside a writer, whose last
// line may then look torn. The error is an *Error as Open has it. It
// costs the decoding.
func Read(path string, each func(Record) error) (Reading, error) {
	var found Reading
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return found, &Error{Path: path, Rule: "is not a regular file", Err: ErrNotJournal}
	}
	file, err := os.Open(path)
	if err != nil {
		return found, &Error{Path: path, Rule: fmt.Sprintf("cannot be opened: %v", err), Err: err}
	}
	defer file.Close()
	return read(file, path, each)
}

// ReadJudged passes on the records of calls, each answer with the Score that the judge
// of that ID gave it. An answer that this judge has not judged yet is left out, and one
// on which it failed comes as that failure. by "" means no judge: answers come as they
// are. It reads the journal twice, and holds a score for each answer; else it is as
// Read, whose counts are of all records.
func ReadJudged(path, by string, each func(Record) error) (Reading, error) {
	judged := judgements{by: by}
	if by != "" {
		if reading, err := Read(path, judged.take); err != nil {
			return reading, err
		}
	}
	reading, err := Read(path, func(r Record) error {
		if joined, ok := judged.join(r); ok {
			return each(joined)
		}
		return nil
	})
	reading.Unjudged = judged.missing
	return reading, err
}

// Judged does for records what ReadJudged does for a journal, and returns how many
// answers it left out.
func Judged(records []Record, by string) (all []Record, unjudged int) {
	judged := judgements{by: by}
	for _, r := range records {
		_ = judged.take(r)
	}
	for _, r := range records {
		if joined, ok := judged.join(r); ok {
			all = append(all, joined)
		}
	}
	return all, judged.missing
}

// judgements are those of one judge, by the keys of what is judged.
type judgements struct {
	by      string
	found   map[string]Record // the score or the failure alone
	missing int
}

// take keeps a judgement: the first score, or else the last failure.
func (j *judgements) take(r Record) error {
	if r.Of == "" || r.By != j.by || !r.valid() || j.found[r.Of].Score != nil {
		return nil
	}
	if j.found == nil {
		j.found = map[string]Record{}
	}
	j.found[r.Of] = Record{Score: r.Score, Failure: r.Failure}
	return nil
}

// join brings a record and its judgement together; false for what is left out.
func (j *judgements) join(r Record) (Record, bool) {
	if r.Of != "" {
		return r, false
	}
	if j.by == "" || r.Answer == nil {
		return r, true
	}
	judgement, known := j.found[r.Key]
	if !known {
		j.missing++
	}
	return r.WithJudgement(judgement), known
}

// WithJudgement returns the record of an answer with the score of a judgement, or with
// its failure in the place of the answer.
func (r Record) WithJudgement(judgement Record) Record {
	if r.Score, r.Failure = judgement.Score, judgement.Failure; r.Failure != nil {
		r.Answer = nil
	}
	return r
}

func read(from io.Reader, path string, each func(Record) error) (Reading, error) {
	var found Reading
	var stopped error
	end, err := scan(from, path, func(text []byte) bool {
		var line journalLine
		if json.Unmarshal(text, &line) != nil || !line.valid() {
			return false
		}
		switch {
		case line.Manifest != nil:
			found.Manifest = append(found.Manifest, bytes.Clone(line.Manifest))
		case line.Note != "":
			found.Notes = append(found.Notes, Note{line.Note, bytes.Clone(line.Value)})
		case line.Journal != "":
		default:
			found.Records++
			found.Spent.Add(line.Spent())
			stopped = each(line.Record)
		}
		return stopped == nil
	})
	found.Torn = end.Torn
	if stopped != nil {
		return found, stopped
	}
	return found, err
}

// scanJournal passes every whole line, the header among them, to take, which
// returns false for one that is no line of a journal. Only the last may be that.
func scan(from io.Reader, path string, take func([]byte) bool) (linelog.End, error) {
	end, err := linelog.Scan(from, header, take)
	fault := (*linelog.LineError)(nil)
	if !errors.As(err, &fault) {
		return end, err
	}
	e := &Error{Path: path, Line: fault.Line, Err: fault.Err}
	switch {
	case errors.Is(err, linelog.ErrOther):
		e.Line, e.Err = 0, ErrNotJournal
		e.Rule = "does not begin as a journal does"
	case errors.Is(err, linelog.ErrDamaged):
		e.Err = ErrDamaged
		e.Rule = "is not a record, although others follow: mend it or take it out by hand"
	case errors.Is(err, ErrLimit):
		e.Rule = fmt.Sprintf("is longer than %d bytes, the most that a line may have", MaxLine)
	default:
		e.Rule = fmt.Sprintf("cannot be read: %v", fault.Err)
	}
	return end, e
}
