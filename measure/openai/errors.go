package openai

import (
	"errors"

	"github.com/bookend-rag/bookend/measure/model"
)

// What kind of failure it was: errors.Is finds it in what Ask returns.
var (
	// ErrPrompt: the prompt has no text, or no messages and no text; nothing was sent.
	ErrPrompt = errors.New("nothing to ask")
	// ErrConnection: no response came, or its body broke off.
	ErrConnection = errors.New("the connection failed")
	// ErrTimeout: Config.Timeout passed. It is not context.DeadlineExceeded, which
	// stands for the caller's own deadline.
	ErrTimeout = errors.New("no full answer in time")
	// ErrRedirect: the server sent the client elsewhere; it did not go.
	ErrRedirect = errors.New("redirects are not followed")
	// ErrServer: the server says that it failed.
	ErrServer = errors.New("the server says")
	// ErrContentType: the answer is neither JSON nor said to be, or it is a stream.
	ErrContentType = errors.New("the answer is not JSON, and its content type says so")
	// ErrTooLarge: the answer is larger than Config.MaxAnswer.
	ErrTooLarge = errors.New("the answer is too large")
	// ErrFormat: the answer is empty, cut off, or not of the expected form.
	ErrFormat = errors.New("the answer cannot be read")
)

// Error is the cause of a *model.Error. Detail is one line of at most 200
// printable characters and holds no secret of the client, whoever wrote it.
type Error struct {
	Kind   error // one of the Err values, or the error of the caller's context
	Detail string
	Hint   string // what to do about it; empty where nothing certain can be said
}

// Error gives the kind, the detail and the hint.
func (e *Error) Error() string {
	text := e.Kind.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Unwrap returns the kind. The cause below it is left out on purpose: errors of
// net/http hold the whole address.
func (e *Error) Unwrap() error { return e.Kind }

func failure(status int, kind error, detail string) *model.Error {
	return &model.Error{Status: status, Err: &Error{Kind: kind, Detail: detail}}
}

// permanent is a failure that another attempt would only repeat.
func permanent(status int, kind error, detail string) *model.Error {
	e := failure(status, kind, detail)
	e.Permanent = true
	return e
}
