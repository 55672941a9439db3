package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Labels say which answers are accepted for questions whose file does not say so,
// by Case.ID: for lists that were recorded from traffic.
type Labels map[string]Label

// Label is what is accepted for one question.
type Label struct {
	Answers []string
	Gold    []string // IDs of the documents that hold the answer; empty: they are looked for
	// Fields are what else the line says of the question in a text, a number, true or false.
	Fields map[string]string `json:",omitempty"`
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

// ReadLabels reads a file of labels: JSON lines as in LabelFormat, perhaps with further
// keys, blank lines skipped, 16 MiB a line and 2^20 lines at most. The error is
// an *Error that gives the line: one that is no such line (ErrNotJSON,
// ErrOtherFormat), a second one for a question, one without an answer.
func ReadLabels(path string) (Labels, error) {
	fail := func(line int, rule string, err error) (Labels, error) {
		return nil, &Error{Path: path, Line: line, Rule: rule, Err: err}
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
			e := asError(err, "cannot be read")
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
			Answers  texts    `json:"answers"`
			Gold     []string `json:"gold"`
		}
		if json.Unmarshal(line, &l) != nil || !hasText(l.Question) {
			return fail(lines.Number, "is not a line of labels, such as "+LabelFormat, ErrOtherFormat)
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
		labels[id] = Label{Answers: l.Answers, Gold: l.Gold, Fields: otherFields(line)}
	}
	if len(labels) == 0 {
		return fail(0, "has no label", ErrNoCase)
	}
	return labels, nil
}

// otherFields are what a line of labels says of its question beside the answers.
func otherFields(line []byte) map[string]string {
	var all fields
	if json.Unmarshal(line, &all) != nil {
		return nil
	}
	var others map[string]string
	for key, raw := range all {
		if key == "question" || key == "answers" || key == "gold" {
			continue
		}
		if kind, ok := asKind(raw); ok && kind != "" {
			if others == nil {
				others = map[string]string{}
			}
			others[key] = kind
		}
	}
	return others
}
