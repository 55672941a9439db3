package sweep

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/linelog"
)

// The addresses of OpenAI's interface, below its base URL.
const (
	chatPath       = "/v1/chat/completions"
	completionPath = "/v1/completions"
)

// RequestBody returns the JSON of one request in OpenAI's form, for chat or, with
// Params.Completion, for plain completion. A null in Params.Extra takes the parameter
// of that name out. Equal input gives equal bytes.
func RequestBody(model string, p Params, ask Prompt) ([]byte, error) {
	body := map[string]any{"model": model, "temperature": p.Temperature}
	if p.MaxTokens > 0 {
		body["max_tokens"] = p.MaxTokens
	}
	if p.Seed != nil {
		body["seed"] = *p.Seed
	}
	if len(p.Stop) > 0 {
		body["stop"] = p.Stop
	}
	if p.Completion {
		body["prompt"] = ask.Text
	} else {
		type message struct {
			Role    prompt.Role `json:"role"`
			Content string      `json:"content"`
		}
		messages := make([]message, len(ask.Messages))
		for i, m := range ask.Messages {
			messages[i] = message{m.Role, m.Text}
		}
		body["messages"] = messages
	}
	for name, value := range p.Extra {
		if body[name] = value; value == nil { // null takes a parameter out
			delete(body, name)
		}
	}
	return json.Marshal(body)
}

// ParseResponse reads the body of a response in OpenAI's form, of chat or of plain
// completion. Content that is null is an empty text, a refusal stands in for it
// with the finish reason "refusal". The error says what the body is not; it quotes
// nothing of it.
func ParseResponse(body []byte) (Answer, error) {
	var r struct {
		Choices []struct {
			Text    *string `json:"text"`
			Message *struct {
				Content *string `json:"content"`
				Refusal *string `json:"refusal"`
			} `json:"message"`
			FinishReason *string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if !json.Valid(body) {
		return Answer{}, errors.New("the response is not JSON")
	}
	if err := json.Unmarshal(body, &r); err != nil || len(r.Choices) == 0 {
		return Answer{}, errors.New("the response is not a completion in OpenAI's form")
	}
	if r.Usage.Prompt < 0 || r.Usage.Completion < 0 || r.Usage.Details.Cached < 0 {
		return Answer{}, errors.New("the response counts less than 0 tokens")
	}
	choice := r.Choices[0]
	a := Answer{Usage: Usage{r.Usage.Prompt, r.Usage.Completion, r.Usage.Details.Cached}}
	if choice.FinishReason != nil {
		a.FinishReason = *choice.FinishReason
	}
	switch m := choice.Message; {
	case m != nil && m.Content != nil:
		a.Text = *m.Content
	case m != nil && m.Refusal != nil && *m.Refusal != "":
		a.Text, a.FinishReason = *m.Refusal, "refusal"
	case m != nil:
	case choice.Text != nil:
		a.Text = *choice.Text
	default:
		return Answer{}, errors.New("the response has a choice without a text")
	}
	return a, nil
}

// BatchSize is what WriteBatch wrote.
type BatchSize struct {
	Requests int
	Bytes    int64
	Known    int // calls that were left out, because they have an answer or repeat a line
}

// WriteBatch writes every call of the source that the journal has no answer to as
// a batch file of OpenAI's: JSON lines with custom_id (Call.Key), method, url and
// body, in the order of the source. vLLM's run-batch and the batch services of
// providers read it; model and params are those that the source was made with.
// journal may be nil. The size is returned because services have limits, OpenAI
// 50,000 requests and 200 MB a file.
//
// The error is that of w or of the source, ErrLimit for a line above
// MaxJournalLine.
func WriteBatch(w io.Writer, source Source, model string, params Params, journal *Journal) (BatchSize, error) {
	var size BatchSize
	out := bufio.NewWriter(w)
	type request struct {
		ID     string          `json:"custom_id"`
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
	}
	url := chatPath
	if params.Completion {
		url = completionPath
	}
	written := map[string]struct{}{}
	for i := range source.Len() {
		call, err := source.Call(i)
		if err != nil {
			return size, fmt.Errorf("bookend: call %d cannot be built: %w", i, err)
		}
		_, twice := written[call.Key]
		if twice || journal != nil && journal.Answered(call.Key) {
			size.Known++
			continue
		}
		written[call.Key] = struct{}{}
		body, err := RequestBody(model, params, call.Prompt)
		if err != nil {
			return size, err
		}
		line, err := json.Marshal(request{call.Key, "POST", url, body})
		if err != nil {
			return size, err
		}
		if len(line) >= MaxJournalLine {
			return size, fmt.Errorf("bookend: call %d makes a line of %d bytes, and %d are allowed: %w", i, len(line), MaxJournalLine, linelog.ErrLimit)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return size, err
		}
		size.Requests++
		size.Bytes += int64(len(line)) + 1
	}
	return size, out.Flush()
}

// BatchResult says what became of the lines of a result file, and of the calls.
type BatchResult struct {
	Lines    int   // that are not blank
	Answered int   // new answers in the journal
	Failed   int   // new failures in the journal
	Known    int   // results of calls that had an answer already, or a second result
	Unknown  int   // results of no call of the source
	Broken   []int // lines, from 1, that are no result, such as a torn last one
	Missing  int   // calls of the source that have no answer now, failed ones included
}

// String gives the numbers in one line.
func (b BatchResult) String() string {
	return fmt.Sprintf("%d lines: %d answered, %d failed, %d known already, %d of other calls, %d broken; %d calls have no answer yet",
		b.Lines, b.Answered, b.Failed, b.Known, b.Unknown, len(b.Broken), b.Missing)
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

// ReadBatch reads a result file of WriteBatch's requests into the journal, and the
// file with the errors likewise: lines in any order, some missing, some failed.
// What failed or is missing can be asked by Run or by another batch. Reading a
// file twice changes nothing but adds its failures again.
//
// The error is that of from, of the source or of the journal, and ErrLimit for a
// line above MaxJournalLine; what was read before stays. It builds every call once
// and holds their keys and answers, without prompts.
func ReadBatch(from io.Reader, source Source, journal *Journal) (BatchResult, error) {
	var result BatchResult
	calls := map[string]Call{}
	for i := range source.Len() {
		call, err := source.Call(i)
		if err != nil {
			return result, fmt.Errorf("bookend: call %d cannot be built: %w", i, err)
		}
		if _, twice := calls[call.Key]; !twice {
			call.Prompt = Prompt{}
			calls[call.Key] = call
		}
	}
	if err := journal.Describe(source.Manifest()); err != nil {
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
		if journal.Answered(l.ID) {
			result.Known++
			continue
		}
		record := Record{
			Key: call.Key, Question: call.Question, Arm: call.Arm, Slot: call.Slot, Repeat: call.Repeat,
			Answers: call.Answers, Estimated: call.Tokens, Time: time.Now().UTC(),
		}
		record.Answer, record.Failure = l.outcome()
		err = journal.Append(record)
		if errors.Is(err, linelog.ErrLimit) {
			record.Answer, record.Failure = nil, NewFailure(err)
			err = journal.Append(record)
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
		if !journal.Answered(key) {
			result.Missing++
		}
	}
	return result, nil
}

// outcome is an answer or a failure.
func (l resultLine) outcome() (*Answer, *Failure) {
	status := 0
	if l.Response != nil {
		status = l.Response.Status
	}
	if message := errorMessage(l.Error); message != "" {
		return nil, failedWith(status, errors.New(message))
	}
	if l.Response == nil {
		return nil, &Failure{Message: "the batch has neither a response nor an error for it"}
	}
	if status != 0 && (status < 200 || status > 299) {
		message := errorMessage(l.Response.Body)
		if message == "" {
			message = fmt.Sprintf("the batch answered %d", status)
		}
		return nil, failedWith(status, errors.New(message))
	}
	answer, err := ParseResponse(l.Response.Body)
	if err != nil {
		return nil, failedWith(status, err)
	}
	return &answer, nil
}

// failedWith is a failure with the status that the batch gives.
func failedWith(status int, err error) *Failure {
	f := NewFailure(err)
	f.Status = status
	return f
}

// errorMessage reads {"message": …}, {"error": {"message": …}} or a string; it is
// empty for null and for none.
func errorMessage(raw json.RawMessage) string {
	if trimmed := strings.TrimSpace(string(raw)); trimmed == "" || trimmed == "null" {
		return ""
	}
	type message struct {
		Code    any    `json:"code"`
		Message string `json:"message"`
	}
	var e struct {
		message
		Error *message `json:"error"`
	}
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil && text != "":
		return text
	case json.Unmarshal(raw, &e) != nil:
		return "an error of an unknown form"
	case e.Message != "":
		return e.Message
	case e.Error != nil && e.Error.Message != "":
		return e.Error.Message
	case e.Error != nil:
		e.message = *e.Error
	}
	return fmt.Sprintf("error %v", e.Code)
}
