package sweep

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// Prompt is what a model is asked: the same words as one text, for plain
// completion, and as messages, for a chat.
type Prompt struct {
	Text     string
	Messages []prompt.Message
}

// User returns the prompt of a single message of the user.
func User(text string) Prompt {
	return Prompt{Text: text, Messages: []prompt.Message{{Role: prompt.User, Text: text}}}
}

// Usage counts tokens as the server reported them; all are 0 when it did not.
type Usage struct {
	Prompt     int `json:"prompt,omitempty"`     // tokens of the prompt, cached ones among them
	Completion int `json:"completion,omitempty"` // tokens of the answer
	Cached     int `json:"cached,omitempty"`     // tokens of the prompt that came from the server's cache
}

// Answer is what a model said. An empty text is an answer, too.
type Answer struct {
	Text         string `json:"text"`
	FinishReason string `json:"finish_reason,omitempty"` // as the server gave it
	Usage        Usage  `json:"usage,omitzero"`
}

// Model asks one prompt once: a client of a server, a simulated reader, a fake.
// Run counts, limits and retries, so that Ask should do none of that.
//
// Ask must be safe for concurrent use and return soon after ctx ends. An error
// that is a *ModelError tells Run whether and when to try again; see Retryable.
// CallFrom(ctx) tells which call of the plan it is.
type Model interface {
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// ModelFunc makes a Model of a func.
type ModelFunc func(ctx context.Context, p Prompt) (Answer, error)

// Ask calls the func.
func (f ModelFunc) Ask(ctx context.Context, p Prompt) (Answer, error) { return f(ctx, p) }

type callKey struct{}

// CallFrom returns the call that Run is making, for models that need to know more
// than the prompt: a simulated reader, a log. Outside Run it returns false.
func CallFrom(ctx context.Context) (Call, bool) {
	call, ok := ctx.Value(callKey{}).(Call)
	return call, ok
}

// WithCall returns a context that says which call is made, as Run makes it: for
// asking a simulated reader outside of a run.
func WithCall(ctx context.Context, call Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// ModelError says how one attempt to ask a model failed.
type ModelError struct {
	Status     int           // of HTTP; 0 when no response came
	RetryAfter time.Duration // how long the server asks to wait; 0 when it does not
	Permanent  bool          // trying again is useless, whatever the status says
	Err        error         // the cause; may be nil
}

// Error gives the status and the cause.
func (e *ModelError) Error() string {
	switch {
	case e.Status == 0 && e.Err == nil:
		return "bookend: the model gave no answer"
	case e.Status == 0:
		return fmt.Sprintf("bookend: the model gave no answer: %v", e.Err)
	case e.Err == nil:
		return strings.TrimSpace(fmt.Sprintf("bookend: the model's server answered %d %s", e.Status, http.StatusText(e.Status)))
	}
	return fmt.Sprintf("bookend: the model's server answered %d: %v", e.Status, e.Err)
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Err }

// Retryable says whether another attempt may succeed. By status: yes for 408, 425,
// 429, 2xx (an answer that could not be read) and 5xx but for 501 and 505; no for
// the rest, redirects among them. Without a status, as for a reset connection, a
// timeout or an error of another type: yes. A Permanent one: no.
func Retryable(err error) bool {
	e := (*ModelError)(nil)
	if err == nil {
		return false
	}
	if !errors.As(err, &e) {
		return true
	}
	unread := e.Status >= 200 && e.Status < 300
	return !e.Permanent && (e.Status == 0 || unread || httpsafe.Retryable(e.Status))
}

// ParseRetryAfter reads the header of that name, seconds or a date of HTTP, and
// returns how long to wait from now on. What it cannot read, and what is past, is
// 0; seconds are cut to a day.
func ParseRetryAfter(header string, now time.Time) time.Duration {
	return httpsafe.ParseRetryAfter(header, now)
}
