package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/measure/model"
)

// ParseResponse reads the status and the body of a response that came by another way
// than Ask, as in a batch's results, by the same rules: a chat or a plain completion,
// whichever it is, judged by its body alone. What the server did not serve is an
// error, also inside a success: an error object, a finish reason such as "error", an
// empty text for which no token was counted. Its errors are *model.Error around an *Error. It knows no secrets,
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

// response is what the servers have in common. Whatever is not needed for the answer
// is raw, so that a form that is not known costs no answer.
type response struct {
	Choices []choice        `json:"choices"`
	Error   json.RawMessage `json:"error"`
	Usage   json.RawMessage `json:"usage"`
	Timings json.RawMessage `json:"timings"` // of llama.cpp
}

type choice struct {
	Text         *string         `json:"text"`
	Message      *answerMessage  `json:"message"`
	FinishReason json.RawMessage `json:"finish_reason"`
	Error        json.RawMessage `json:"error"`
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
		return model.Answer{}, r.refused(status, body)
	}
	if len(got.Choices) == 0 {
		if text, _, _ := complaint(body); text != "" { // an error that says so by no more than its form
			return model.Answer{}, r.refused(status, body)
		}
	}
	if len(got.Choices) != 1 {
		return bad(fmt.Sprintf("one choice is expected, it has %d", len(got.Choices)))
	}
	chosen := got.Choices[0]
	if told(chosen.Error) {
		return model.Answer{}, r.refused(status, fmt.Appendf(nil, `{"error":%s}`, chosen.Error))
	}
	completion := r.form == completionForm || r.form == anyForm && chosen.Text != nil
	words, ok := chosen.words(completion)
	if !ok {
		if completion {
			return bad("its choice has no text, as a completion has")
		}
		return bad("its choice has no message with text, as a chat has")
	}
	usage, counted := got.usage()
	switch finish := model.FinishOf(words.reason); {
	case finish == model.Unserved:
		return model.Answer{}, failure(status, ErrServer, r.secrets.Detail(fmt.Sprintf("the answer ended for the reason %q", words.reason)))
	case finish == model.Ended && counted && usage == (model.Usage{}) && words.text == "" && !words.thinking:
		return model.Answer{}, failure(status, ErrFormat, "it is empty, and its usage counts no token")
	}
	return model.Answer{
		Text:         r.secrets.Answer(words.text),
		FinishReason: r.secrets.Answer(httpsafe.Printable(words.reason)),
		Thinking:     words.thinking, Usage: usage,
	}, nil
}

// refused reads a server's complaint. Its own code wins over the status of a
// success. Out of credit is permanent, though its status is that of too many
// requests, and so is a request that is called invalid inside a success.
func (r reader) refused(status int, body []byte) *model.Error {
	text, code, parameter := complaint(body)
	if status < 300 {
		status = code.status(status)
	}
	if text == "" {
		text = string(body)
	}
	detail := r.secrets.Detail(text)
	if detail == "" {
		detail = http.StatusText(status)
	}
	e := failure(status, ErrServer, detail)
	e.Permanent = code.permanent(status)
	if status == http.StatusBadRequest || status == http.StatusUnprocessableEntity {
		e.Err.(*Error).Hint = hint(parameter, text)
	}
	return e
}
