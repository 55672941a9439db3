package rank

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// What kind of failure it was: errors.Is finds it in what HTTP.Score returns.
var (
	// ErrConnection: no response came, or its body broke off.
	ErrConnection = errors.New("the connection failed")
	// ErrTimeout: HTTPConfig.Timeout passed. It is not context.DeadlineExceeded,
	// which stands for the caller's own deadline.
	ErrTimeout = errors.New("no full answer in time")
	// ErrRedirect: the server sent the client elsewhere; it did not go.
	ErrRedirect = errors.New("redirects are not followed")
	// ErrServer: the server says that it failed.
	ErrServer = errors.New("the server says")
	// ErrTooLarge: the answer is larger than HTTPConfig.MaxAnswer.
	ErrTooLarge = errors.New("the answer is too large")
	// ErrAnswer: the answer cannot be read, or nobody can tell which score belongs to
	// which text.
	ErrAnswer = errors.New("the answer cannot be used")
)

// Error says how a server failed to score. It holds no secret of the client: Detail
// is one line of at most 200 printable characters, whoever wrote it.
type Error struct {
	Kind       error         // one of the Err values, or the error of the caller's context
	Status     int           // of HTTP; 0 when no response came
	RetryAfter time.Duration // how long the server asks to wait; 0 when it does not
	Detail     string
	permanent  bool
}

// Error gives the status, the kind and the detail.
func (e *Error) Error() string {
	text := "bookend: reranking failed"
	if e.Status != 0 {
		text += fmt.Sprintf(" with status %d", e.Status)
	}
	if e.Kind != nil {
		text += ": " + e.Kind.Error()
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Summary gives kind and status alone, such as "http 503" or "timeout". No word of it
// comes from outside, so that it may be written where texts may not.
func (e *Error) Summary() string {
	switch {
	case errors.Is(e.Kind, ErrServer):
		return fmt.Sprintf("http %d", e.Status)
	case errors.Is(e.Kind, ErrConnection):
		return "connection"
	case errors.Is(e.Kind, ErrTimeout), errors.Is(e.Kind, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(e.Kind, ErrRedirect):
		return "redirect"
	case errors.Is(e.Kind, ErrTooLarge):
		return "answer too large"
	case errors.Is(e.Kind, ErrAnswer):
		return "bad answer"
	case errors.Is(e.Kind, context.Canceled):
		return "canceled"
	}
	return "unknown"
}

// Unwrap returns the kind. The cause below it is left out on purpose: errors of
// net/http hold the whole address.
func (e *Error) Unwrap() error { return e.Kind }

// retryable says whether another attempt may succeed: where the status lets hope, and
// where the connection failed. An answer that cannot be used would come again.
func (e *Error) retryable() bool {
	return !e.permanent && (e.Kind == ErrConnection || httpsafe.Retryable(e.Status))
}

// refuses says that the server does not know a parameter, and names it.
func (e *Error) refuses(parameter string) bool {
	return e != nil && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		strings.Contains(e.Detail, parameter)
}
