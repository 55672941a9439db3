package journal

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/internal/safetext"
	"github.com/bookend-rag/bookend/measure/internal/saturate"
	"github.com/bookend-rag/bookend/measure/model"
)

// Failure says how a call ended that got no answer.
type Failure struct {
	Status  int    `json:"status,omitempty"` // of HTTP; 0 when no response came
	Message string `json:"message"`          // addresses without user info and query
	Judge   bool   `json:"judge,omitempty"`  // there is an answer, and the judge of it failed
}

// maxMessage bounds what is kept of an error, in characters.
const maxMessage = 500

// NewFailure is what may be written down of the error of a call: its status, if it is
// a *model.Error, and its message in one line without secrets of addresses.
func NewFailure(err error) *Failure {
	f := &Failure{Message: safetext.Error(err, maxMessage)}
	if e := (*model.Error)(nil); errors.As(err, &e) {
		f.Status = e.Status
	}
	return f
}

// WithoutEcho masks in the message what it repeats of the prompt, since servers quote
// in their errors what they were sent, and returns f. A journal holds no questions.
func (f *Failure) WithoutEcho(asked model.Prompt) *Failure {
	texts := []string{asked.Text}
	for _, m := range asked.Messages {
		texts = append(texts, m.Text)
	}
	var sent []string
	for _, text := range texts {
		sent = append(sent, text)
		// By lines as well, so that a short question is known for one, and without
		// what stands before it there.
		for line := range strings.Lines(text) {
			if word := strings.TrimSpace(line); strings.HasSuffix(word, ":") && !strings.Contains(word, " ") {
				continue // "Answer:" is no question, and the words of an error hold it
			}
			sent = append(sent, line)
			if _, value, labelled := strings.Cut(line, ": "); labelled {
				sent = append(sent, value)
			}
		}
	}
	slices.Sort(sent)
	f.Message = httpsafe.WithoutEcho(f.Message, slices.Compact(sent)...)
	return f
}

// Record is one finished call: an answer or a failure, one of the two. A later
// record of the same key replaces a failure; an answer stays.
//
// A record with Of is a judgement of another record's answer: a score or a failure, one
// of the two, with the words of the judge as its Answer. One whose score was found for
// another answer, by the same call, has no Answer and took nothing.
type Record struct {
	Key      string        `json:"key"`
	Question string        `json:"question"`          // dataset.Case.ID
	Cluster  string        `json:"cluster,omitempty"` // dataset.Case.Cluster
	Arm      string        `json:"arm"`
	Slot     int           `json:"slot"` // -1 in an arm without one
	Repeat   int           `json:"repeat,omitempty"`
	Answers  []string      `json:"answers,omitempty"` // what is accepted, to score by
	Time     time.Time     `json:"time"`              // of the end, UTC
	Seconds  float64       `json:"seconds,omitempty"` // the last attempt took
	Answer   *model.Answer `json:"answer,omitempty"`
	Failure  *Failure      `json:"failure,omitempty"`
	// Attempts is how many requests it took; 0 for a result out of a batch.
	Attempts int `json:"attempts,omitempty"`
	// Estimated is the estimated number of tokens of the prompt, Lost the sum of it
	// over the attempts that may have been charged although no answer came.
	Estimated int `json:"estimated,omitempty"`
	Lost      int `json:"lost,omitempty"`
	// Least is the fewest tokens that the prompt can have, by model.LeastTokens.
	Least int `json:"least,omitempty"`

	Of string `json:"of,omitempty"` // the key of the record that is judged
	By string `json:"by,omitempty"` // judge.Description.ID
	// Score is 0 to 1. In a record that is no judgement it is what ReadJudged joins.
	Score *float64 `json:"score,omitempty"`
}

// RecordOf returns the record of a call that has not ended: without answer and failure.
func RecordOf(call model.Call) Record {
	return Record{
		Key: call.Key, Question: call.Question, Cluster: call.Cluster, Arm: call.Arm, Slot: call.Slot, Repeat: call.Repeat,
		Answers: call.Answers, Estimated: call.Tokens, Least: call.Least,
	}
}

// Spent returns what the call used, by the rule of run.Limits.MaxTokens.
func (r Record) Spent() Spent {
	s := Spent{Requests: max(r.Attempts, 0)}
	usage := &s.Usage
	if r.Of != "" {
		usage = &s.Judge
	}
	if r.Answer != nil {
		usage.Add(r.Answer.Usage)
		if usage.Prompt == 0 {
			usage.Prompt = max(r.Estimated, 0)
		}
	}
	usage.Add(model.Usage{Prompt: r.Lost})
	return s
}

func (r Record) valid() bool {
	if r.Of != "" {
		scored := r.Score != nil && *r.Score >= 0 && *r.Score <= 1
		return r.Key != "" && r.By != "" && scored != (r.Failure != nil) && (scored || r.Score == nil && r.Answer == nil)
	}
	return r.Key != "" && r.By == "" && r.Score == nil && (r.Answer != nil) != (r.Failure != nil)
}

// Spent is what a journal or a run has used.
type Spent struct {
	Requests int         `json:"requests"`       // attempts, failed ones included, and those of the judge
	Usage    model.Usage `json:"usage"`          // tokens by the rule of run.Limits.MaxTokens
	Judge    model.Usage `json:"judge,omitzero"` // those of the judge
}

// Add adds what another call, run or journal has used. A sum that is too large for an
// int stays at the largest one, so that no figure of a server lifts a cap.
func (s *Spent) Add(o Spent) {
	s.Requests = saturate.Add(s.Requests, max(o.Requests, 0))
	s.Usage.Add(o.Usage)
	s.Judge.Add(o.Judge)
}

// Remove takes away what Add added, but from a sum that was too large.
func (s *Spent) Remove(o Spent) {
	for _, n := range []struct {
		from *int
		take int
	}{
		{&s.Requests, o.Requests},
		{&s.Usage.Prompt, o.Usage.Prompt},
		{&s.Usage.Completion, o.Usage.Completion},
		{&s.Usage.Cached, o.Usage.Cached},
		{&s.Judge.Prompt, o.Judge.Prompt},
		{&s.Judge.Completion, o.Judge.Completion},
		{&s.Judge.Cached, o.Judge.Cached},
	} {
		if *n.from < math.MaxInt {
			*n.from = max(*n.from-n.take, 0)
		}
	}
}

// Tokens are those of prompts and answers, and of the judge.
func (s Spent) Tokens() int { return saturate.Add(s.Usage.Tokens(), s.Judge.Tokens()) }
