package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/bookend-rag/bookend/core/sweep/internal/random"
)

// ListFormat is a line of what a retriever returned, best first, with the keys that
// are needed, and no other. "answers" may be left out where Rules.Labels has them.
// Optional keys of a document are id, title, isgold, source and position.
const ListFormat = `{"question":"…","answers":["…"],"ctxs":[{"text":"…"},{"text":"…"}]}`

// Labels say which answers are accepted for questions whose file does not say so,
// by Case.ID: for lists that were recorded from traffic.
type Labels map[string]Label

// Label is what is accepted for one question.
type Label struct {
	Answers []string
	Gold    []string // IDs of the documents that hold the answer; empty: they are looked for
}

// sum tells labels apart; "" for none.
func (l Labels) sum() string {
	if len(l) == 0 {
		return ""
	}
	text, _ := json.Marshal(l) // sorts by ID
	return hashID(string(text))
}

// LabelFormat is a line of a file of labels. "gold" may be left out.
const LabelFormat = `{"question":"…","answers":["…"],"gold":["ID of a document"]}`

// ReadLabels reads a file of labels: JSON lines as in LabelFormat, further keys
// ignored, blank lines skipped, 16 MiB a line and 2^20 lines at most. The error is
// a *DatasetError that gives the line: one that is no such line (ErrNotJSON,
// ErrOtherFormat), a second one for a question, one without an answer.
func ReadLabels(path string) (Labels, error) {
	fail := func(line int, rule string, err error) (Labels, error) {
		return nil, &DatasetError{Path: path, Line: line, Rule: rule, Err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fail(0, fmt.Sprintf("cannot be read: %v", err), err)
	}
	if !info.Mode().IsRegular() {
		return fail(0, "is not a regular file", ErrOtherFormat)
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(0, fmt.Sprintf("cannot be read: %v", err), err)
	}
	defer file.Close()
	labels := Labels{}
	for lines := newLineReader(file, DefaultMaxLine); ; {
		line, _, err := lines.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			e := asDatasetError(err, "cannot be read")
			e.Path = path
			return nil, e
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := checkLine(line); err != nil {
			err.Path, err.Line = path, lines.Number
			return nil, err
		}
		var l struct {
			Question string   `json:"question"`
			Answers  []string `json:"answers"`
			Gold     []string `json:"gold"`
		}
		if json.Unmarshal(line, &l) != nil || !hasText(l.Question) {
			return fail(lines.Number, "is no line of labels, such as "+LabelFormat, ErrOtherFormat)
		}
		id := questionID(l.Question)
		switch _, twice := labels[id]; {
		case !anyNormalizes(l.Answers):
			return fail(lines.Number, "has no answer but articles and punctuation", ErrOtherFormat)
		case twice:
			return fail(lines.Number, "labels a question that an earlier line labels: keep one", ErrOtherFormat)
		case len(labels) == DefaultMaxLines:
			return fail(lines.Number, fmt.Sprintf("is one line too many; %d are allowed", DefaultMaxLines), ErrLimit)
		}
		labels[id] = Label{Answers: l.Answers, Gold: l.Gold}
	}
	if len(labels) == 0 {
		return fail(0, "has no label", ErrNoCase)
	}
	return labels, nil
}

// golds returns which documents of a list hold the answer, by rank: those that the
// label names; else, where the file marks any document with isgold or hasanswer,
// those that it marks as true; else those in which the scorer finds an answer.
// TokenF1 would find one in every document that shares a word with it, so that
// BestSubspan looks in its place.
func golds(c Case, marks []*bool, label Label, scorer Scorer) []int {
	var found []int
	if scorer.String() == TokenF1.String() {
		scorer = BestSubspan
	}
	marked := slices.ContainsFunc(marks, func(m *bool) bool { return m != nil })
	for i, d := range c.Documents {
		switch {
		case len(label.Gold) > 0:
			if !slices.Contains(label.Gold, d.ID) {
				continue
			}
		case marked:
			if marks[i] == nil || !*marks[i] {
				continue
			}
		case !holdsAnswer(scorer, d, c.Answers):
			continue
		}
		found = append(found, i)
	}
	return found
}

// SimulatedLists makes the lists that a retriever would return which ranks the one
// document with the answer by DecayingRanks: cases of so many documents, for
// simulated readers. The texts are placeholders. The rank of a case depends on seed
// and case alone. Close has nothing to do.
//
// cases and documents must be 1 to 1,000,000; the error is a *DatasetError, or that
// of DecayingRanks.
func SimulatedLists(seed uint64, cases, documents int, decay float64) (*Dataset, error) {
	for _, n := range []int{cases, documents} {
		if n < 1 || n > maxGenerated {
			return nil, &DatasetError{
				Rule: fmt.Sprintf("cannot generate %d cases of %d documents: both numbers must be 1 to %d", cases, documents, maxGenerated),
				Err:  ErrLimit,
			}
		}
	}
	gold, err := DecayingRanks(documents, decay)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		report: Report{Task: QuestionAnswer, Lists: true, Lines: cases, Kept: cases, MinDocuments: documents, MaxDocuments: documents},
		generate: func(i int) Case {
			rank, left := 0, random.Open(random.Join(seed, uint64(i)))
			for rank < documents-1 && left >= gold[rank] {
				left -= gold[rank]
				rank++
			}
			question := fmt.Sprintf("simulated question %d", i)
			c := Case{ID: questionID(question), Task: QuestionAnswer, Question: question, Answers: []string{fmt.Sprintf("answer %d", i)}, Gold: rank, Golds: []int{rank}}
			for r := range documents {
				d := Document{ID: fmt.Sprint(r + 1), Text: fmt.Sprintf("document %d", r+1)}
				if r == rank {
					d.Text += ": " + c.Answers[0]
				}
				c.Documents = append(c.Documents, d)
			}
			return c
		},
	}, nil
}
