package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Converted says what a conversion wrote and left out.
type Converted struct {
	Written        int `json:"written"`         // lines, one a question
	WithoutAnswers int `json:"without_answers"` // of them: Rules.Labels has to bring the answers
	WithoutGold    int `json:"without_gold"`    // of them: no document is marked as one with the answer
	LeftOut        int `json:"left_out"`        // questions without text or without documents
}

// converted is a line as Open reads it.
type converted struct {
	Question string              `json:"question"`
	Answers  []string            `json:"answers,omitempty"`
	Contexts []convertedDocument `json:"ctxs"`
}

type convertedDocument struct {
	ID     string `json:"id,omitempty"`
	Title  string `json:"title,omitempty"`
	Text   string `json:"text"`
	IsGold *bool  `json:"isgold,omitempty"` // nil: not known
}

// conversion writes lines and counts them.
type conversion struct {
	to     *bufio.Writer
	counts Converted
}

func (c *conversion) write(line converted) error {
	gold := false
	documents := line.Contexts[:0]
	for _, d := range line.Contexts {
		if hasText(d.Text) {
			documents = append(documents, d)
			gold = gold || d.IsGold != nil && *d.IsGold
		}
	}
	line.Contexts = documents
	if !hasText(line.Question) || len(line.Contexts) == 0 {
		c.counts.LeftOut++
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text) // ends the line
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	c.counts.Written++
	if !anyNormalizes(line.Answers) {
		c.counts.WithoutAnswers++
	}
	if !gold {
		c.counts.WithoutGold++
	}
	_, err := c.to.Write(text.Bytes())
	return err
}

// convert writes a line for each object of a file.
func convert(to io.Writer, from io.Reader, one func(fields) (converted, *Error)) (Converted, error) {
	c := conversion{to: bufio.NewWriter(to)}
	err := eachObject(from, func(f fields) error {
		line, fault := one(f)
		if fault != nil {
			return fault
		}
		return c.write(line)
	})
	if err == nil {
		err = c.to.Flush()
	}
	return c.counts, err
}

// eachObject calls do for each object of a file of JSON lines or of one JSON array,
// plain or gzipped. It holds one of them at a time. Faults are *Errors that give the
// line.
func eachObject(from io.Reader, do func(fields) error) error {
	plain, _, err := plainLines(from, maxConverted)
	if err != nil {
		return err
	}
	empty := true
	for lines := newLineReader(plain, DefaultMaxLine); ; {
		line, _, err := lines.read()
		if errors.Is(err, io.EOF) {
			if empty {
				return &Error{Rule: "is empty", Err: ErrNoCase}
			}
			return nil
		}
		if err != nil {
			return asError(err, "cannot be read")
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		empty = false
		var f fields
		fault := checkLine(line)
		if fault == nil && (json.Unmarshal(line, &f) != nil || f == nil) {
			fault = &Error{Rule: "is " + kindOf(line) + ", and an object is needed", Err: ErrOtherFormat}
		}
		if fault == nil {
			err = do(f)
		}
		if errors.As(err, &fault) || fault != nil {
			fault.Line = lines.Number
			return fault
		}
		if err != nil {
			return err
		}
	}
}

// reading reads fields of an object and keeps the first fault.
type reading struct {
	fields fields
	form   string // an object as it is expected
	fault  *Error
}

// need reads the first of the keys that is there into a value, which must be what want
// says.
func (r *reading) need(want string, into any, keys ...string) {
	key, value, ok := r.fields.first(keys...)
	if !ok {
		r.fail(fmt.Sprintf("has %s, and %q is missing: %s", r.fields.names(), keys[0], r.form))
		return
	}
	r.read(want, into, key, value)
}

// may reads the first of the keys that is there, if one is.
func (r *reading) may(want string, into any, keys ...string) {
	if key, value, ok := r.fields.first(keys...); ok {
		r.read(want, into, key, value)
	}
}

func (r *reading) read(want string, into any, key string, value json.RawMessage) {
	if json.Unmarshal(value, into) != nil {
		r.fail(wrongType(key, value, want) + ": " + r.form)
	}
}

func (r *reading) fail(rule string) {
	if r.fault == nil {
		r.fault = &Error{Rule: rule, Err: ErrOtherFormat}
	}
}
