package model

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// Error says how one attempt to ask a model failed.
type Error struct {
	Status     int           // of HTTP; 0 when no response came
	RetryAfter time.Duration // how long the server asks to wait; 0 when it does not
	Permanent  bool          // trying again is useless, whatever the status says
	Err        error         // the cause; may be nil
}

// Error gives the status and the cause.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether another attempt may succeed. By status: yes for 408, 425,
// 429, 2xx (an answer that could not be read) and 5xx but for 501 and 505; no for
// the rest, redirects among them. Without a status, as for a reset connection, a
// timeout or an error of another type: yes. A Permanent one: no.
func Retryable(err error) bool {
	e := (*Error)(nil)
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
