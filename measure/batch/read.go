package batch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/internal/linelog"
	"github.com/bookend-rag/bookend/measure/internal/text"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
	"github.com/bookend-rag/bookend/measure/run"
)

// Result says what became of the lines of a result file, and of the calls.
type Result struct {
	Lines    int   // that are not blank
	Answered int   // new answers in the journal
	Failed   int   // new failures in the journal
	Known    int   // results of calls that had an answer already, or a second result
	Unknown  int   // results of no call of the source
	Broken   []int // lines, from 1, that are no result, such as a torn last one
	Missing  int   // calls of the source that have no answer now, failed ones included
}

// String gives the numbers in one line.
func (b Result) String() string {
	said := fmt.Sprintf("%s: %d answered", text.Count(b.Lines, "line"), b.Answered)
	for _, part := range []struct {
		lines int
		what  string
	}{
		{b.Failed, "failed"}, {b.Known, "known already"}, {b.Unknown, "of other calls"}, {len(b.Broken), "broken"},
	} {
		if part.lines > 0 {
			said += fmt.Sprintf(", %d %s", part.lines, part.what)
		}
	}
	if b.Missing > 0 {
		said += "; no answer yet: " + text.Count(b.Missing, "call")
	}
	return said
}

// resultLine is a line of a result file: of OpenAI's batch service or of vLLM's
// run-batch, which put an error in different places.
type resultLine struct {
	ID       string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// Read reads a result file of Write's requests into the journal, and the
// file with the errors likewise: lines in any order, some missing, some failed.
// What failed or is missing can be asked by run.Run or by another batch. Reading a
// file twice changes nothing but adds its failures again.
//
// The error is that of from, of the source or of the journal, and journal.ErrLimit for
// a line above journal.MaxLine; what was read before stays. It builds every call once
// and holds their keys and answers, without prompts.
func Read(from io.Reader, source run.Source, j *journal.Journal) (Result, error) {
	var result Result
	calls, at := map[string]model.Call{}, map[string]int{}
	for i := range source.Len() {
		call, err := source.Call(i)
		if errors.Is(err, run.ErrSkip) {
			continue
		}
		if errors.Is(err, run.ErrWait) || errors.Is(err, run.ErrEnough) {
			break
		}
		if err != nil {
			return result, fmt.Errorf("bookend: call %d cannot be built: %w", i, err)
		}
		if _, twice := calls[call.Key]; !twice {
			call.Prompt = model.Prompt{}
			calls[call.Key], at[call.Key] = call, i
		}
	}
	if err := j.Describe(source.Manifest()); err != nil {
		return result, err
	}
	for lines := linelog.NewReader(from); ; {
		line, _, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return result, fmt.Errorf("bookend: batch results, line %d: %w", lines.Number, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		result.Lines++
		var l resultLine
		if json.Unmarshal(line, &l) != nil || l.ID == "" {
			result.Broken = append(result.Broken, lines.Number)
			continue
		}
		call, ok := calls[l.ID]
		if !ok {
			result.Unknown++
			continue
		}
		if j.Answered(l.ID) {
			result.Known++
			continue
		}
		record := journal.RecordOf(call)
		record.Time = time.Now().UTC()
		record.Answer, record.Failure = l.outcome()
		if record.Failure != nil { // a rare case: the prompt is built again
			asked, err := source.Call(at[l.ID])
			if err != nil {
				return result, fmt.Errorf("bookend: call %d cannot be built: %w", at[l.ID], err)
			}
			record.Failure.WithoutEcho(asked.Prompt)
		}
		err = j.Append(record)
		if errors.Is(err, journal.ErrLimit) {
			record.Answer, record.Failure = nil, journal.NewFailure(err)
			err = j.Append(record)
		}
		if err != nil {
			return result, err
		}
		if record.Answer != nil {
			result.Answered++
		} else {
			result.Failed++
		}
	}
	for key := range calls {
		if !j.Answered(key) {
			result.Missing++
		}
	}
	return result, nil
}

// outcome is an answer or a failure, which keeps the status that the batch gives.
func (l resultLine) outcome() (*model.Answer, *journal.Failure) {
	status := 0
	if l.Response != nil {
		status = l.Response.Status
	}
	var err error
	switch message := complaint(l.Error); {
	case message != "":
		err = errors.New(message)
	case l.Response == nil:
		err = errors.New("the batch has neither a response nor an error for it")
	default:
		var answer model.Answer
		if answer, err = openai.ParseResponse(cmp.Or(status, http.StatusOK), l.Response.Body); err == nil {
			return &answer, nil
		}
	}
	f := journal.NewFailure(err)
	f.Status = status
	return nil, f
}

// complaint reads an error that stands beside the response: a string, or one of the
// forms of servers. It is empty where there is none.
func complaint(raw json.RawMessage) (text string) {
	if trimmed := strings.TrimSpace(string(raw)); trimmed == "" || trimmed == "null" {
		return ""
	}
	if json.Unmarshal(raw, &text) != nil || text == "" {
		text, _ = httpsafe.Complaint(raw)
	}
	return text
}
