package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/measure/model"
)

// ParseResponse reads the status and the body of a response that came by another way
// than Ask, as in a batch's results, by the same rules: a chat or a plain completion,
// whichever it is. Its errors are *model.Error around an *Error. It knows no secrets,
// so it masks none.
func ParseResponse(status int, body []byte) (model.Answer, error) {
	return reader{form: anyForm}.read(status, body)
}

// form is what an answer must be.
type form byte

const (
	anyForm form = iota
	chatForm
	completionForm
)

type reader struct {
	form    form
	secrets httpsafe.Secrets
}

func (r reader) read(status int, body []byte) (model.Answer, error) {
	if status < 200 || status > 299 {
		return model.Answer{}, r.refused(status, body)
	}
	return r.answer(status, body)
}

// response is what the servers have in common, and what some add. All of it is
// optional to the decoder, so that answer decides what is missing.
type response struct {
	Choices []choice        `json:"choices"`
	Error   json.RawMessage `json:"error"`
	Usage   *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    *struct {
			Cached *int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	// Timings are llama.cpp's: prompt_n counts the tokens that were processed.
	Timings *struct {
		Cached    int  `json:"cache_n"`
		Processed *int `json:"prompt_n"`
		Predicted int  `json:"predicted_n"`
	} `json:"timings"`
}

type choice struct {
	Text         *string        `json:"text"`
	Message      *answerMessage `json:"message"`
	FinishReason string         `json:"finish_reason"`
}

type answerMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal string  `json:"refusal"`
}

// answer wants one JSON object with one choice, of the form that is wanted.
func (r reader) answer(status int, body []byte) (model.Answer, error) {
	bad := func(detail string) (model.Answer, error) {
		return model.Answer{}, failure(status, ErrFormat, r.secrets.Detail(detail))
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return bad("it is empty")
	}
	var got response
	if err := json.Unmarshal(body, &got); err != nil {
		return bad(err.Error())
	}
	if told(got.Error) {
		return model.Answer{}, r.refused(statusOf(got.Error, status), body)
	}
	if len(got.Choices) != 1 {
		return bad(fmt.Sprintf("one choice is expected, it has %d", len(got.Choices)))
	}
	completion := r.form == completionForm || r.form == anyForm && got.Choices[0].Text != nil
	text, reason, ok := got.Choices[0].words(completion)
	if !ok {
		if completion {
			return bad("its choice has no text, as a completion has")
		}
		return bad("its choice has no message, as a chat has")
	}
	usage, ok := got.usage()
	if !ok {
		return bad("it counts tokens below 0 or beyond all measure")
	}
	return model.Answer{Text: r.secrets.Answer(text), FinishReason: r.secrets.Answer(httpsafe.Printable(reason)), Usage: usage}, nil
}

// words returns the text and the finish reason. A chat's content may be null: the
// model said nothing, or refused in a field of its own, which becomes the text with
// the finish reason "refusal".
func (c choice) words(completion bool) (text, reason string, ok bool) {
	switch m := c.Message; {
	case completion && c.Text != nil:
		return *c.Text, c.FinishReason, true
	case completion || m == nil || m.Role == "" && m.Content == nil && m.Refusal == "":
		return "", "", false
	case m.Content != nil && *m.Content != "":
		text = *m.Content
	default:
		text = m.Refusal
	}
	if c.Message.Refusal != "" {
		return text, "refusal", true
	}
	return text, c.FinishReason, true
}

// usage prefers what llama.cpp says it processed to what it says it reused.
func (g response) usage() (u model.Usage, ok bool) {
	if g.Usage != nil {
		u.Prompt, u.Completion = g.Usage.Prompt, g.Usage.Completion
		if d := g.Usage.Details; d != nil && d.Cached != nil {
			u.Cached = *d.Cached
		}
	}
	if t := g.Timings; t != nil && t.Processed != nil {
		if g.Usage == nil {
			u.Prompt, u.Completion = t.Cached+*t.Processed, t.Predicted
		}
		u.Cached = max(0, u.Prompt-*t.Processed)
	}
	const most = 1 << 30
	for _, n := range []int{u.Prompt, u.Completion, u.Cached} {
		if n < 0 || n > most {
			return model.Usage{}, false
		}
	}
	u.Cached = min(u.Cached, u.Prompt)
	return u, true
}

// refused reads a server's complaint. Out of credit is permanent, though its status
// is that of too many requests.
func (r reader) refused(status int, body []byte) *model.Error {
	text, code := httpsafe.Complaint(body)
	detail := r.secrets.Detail(text)
	if detail == "" {
		detail = http.StatusText(status)
	}
	e := failure(status, ErrServer, detail)
	e.Permanent = status == http.StatusTooManyRequests && code == "insufficient_quota"
	return e
}

// told says that a field "error" holds something.
func told(raw json.RawMessage) bool {
	s := strings.TrimSpace(string(raw))
	return s != "" && s != "null" && s != `""` && s != "{}"
}

// statusOf is the status that a gateway put into an error it sent as a success.
func statusOf(raw json.RawMessage, status int) int {
	var inner struct{ Code int }
	if json.Unmarshal(raw, &inner) == nil && inner.Code >= 400 && inner.Code <= 599 {
		return inner.Code
	}
	return status
}
