package run

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

// What Limits takes for zero.
const (
	DefaultConcurrency = 4
	DefaultRetries     = 5
	DefaultBackoff     = time.Second
	DefaultTimeout     = 5 * time.Minute
)

const (
	maxConcurrency = 1024
	// maxBackoff bounds the wait that doubles.
	maxBackoff = time.Minute
	// maxRetryAfter is the longest that a server may ask to wait, as with a limit by the
	// minute. One by the day ends the run.
	maxRetryAfter = 10 * time.Minute
)

// Limits bound a run. The zero value runs DefaultConcurrency calls at once and has
// no caps.
type Limits struct {
	// Concurrency is how many requests are open at once, up to 1,024.
	Concurrency int
	// RequestsPerMinute and TokensPerMinute space the requests evenly, so that no
	// minute holds more, a first burst included. A request counts with the tokens of
	// its prompt and the most that its answer may have; what was reported afterwards
	// corrects that. 0: no limit.
	RequestsPerMinute, TokensPerMinute int

	// MaxCalls, MaxTokens and MaxCost cap the whole journal: what earlier runs spent
	// counts, and so does every attempt of a call. A request is sent only when what was
	// spent, what is open, and its own prompt and longest answer stay within the caps;
	// a call waits for the open ones before it gives up. Tokens are the server's
	// figures; where it reported none, and for an attempt whose answer got lost, the
	// estimated tokens of the prompt. What was open when a process was killed is not
	// known. 0: no cap.
	MaxCalls  int
	MaxTokens int
	MaxCost   float64
	// Prices turn tokens into money. MaxCost needs them, or those of a Judged.
	Prices model.Prices

	// Timeout bounds one attempt; one that it ends is repeated like any that failed. 0:
	// DefaultTimeout; negative: none.
	Timeout time.Duration
	// Retries is how often a failed attempt is repeated. 0: DefaultRetries; negative:
	// never. The wait before the first is Backoff (0: DefaultBackoff), doubles up to a
	// minute, and is shortened by up to half at random. A Retry-After of the server
	// is kept to instead, and holds back all requests; one of more than ten minutes ends
	// the run with a *LaterError.
	Retries int
	Backoff time.Duration
	// MaxFailures stops the run after so many calls in a row have failed, as they do
	// when the key is wrong. 0: never.
	MaxFailures int

	// Progress is told after every finished call, one at a time. It should return at
	// once.
	Progress func(Progress)
	// Repeating is told why an attempt is repeated, before the wait, one at a time and
	// never together with Progress. It should return at once.
	Repeating func(why journal.Failure, wait time.Duration)
}

func (l Limits) withDefaults(judge model.Prices) (Limits, error) {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: "Limits." + field, Value: value, Rule: rule})
	}
	if l.Concurrency < 0 || l.Concurrency > maxConcurrency {
		fault("Concurrency", l.Concurrency, fmt.Sprintf("must be 0 to %d", maxConcurrency))
	}
	for _, n := range []struct {
		field string
		value int
	}{
		{"RequestsPerMinute", l.RequestsPerMinute},
		{"TokensPerMinute", l.TokensPerMinute},
		{"MaxCalls", l.MaxCalls},
		{"MaxTokens", l.MaxTokens},
		{"MaxFailures", l.MaxFailures},
	} {
		if n.value < 0 {
			fault(n.field, n.value, "must be 0 or more")
		}
	}
	if !(l.MaxCost >= 0) || math.IsInf(l.MaxCost, 0) {
		fault("MaxCost", l.MaxCost, "must be finite and 0 or more")
	}
	if l.MaxCost > 0 && l.Prices == (model.Prices{}) && judge == (model.Prices{}) {
		fault("MaxCost", l.MaxCost, "needs Prices: without them nothing costs anything")
	}
	if l.Backoff < 0 {
		fault("Backoff", l.Backoff, "must be 0 or more")
	}
	faults = append(faults, l.Prices.Check(), judge.Check())
	if l.Concurrency == 0 {
		l.Concurrency = DefaultConcurrency
	}
	if l.Retries == 0 {
		l.Retries = DefaultRetries
	}
	if l.Backoff == 0 {
		l.Backoff = DefaultBackoff
	}
	if l.Timeout == 0 {
		l.Timeout = DefaultTimeout
	}
	return l, errors.Join(faults...)
}

// backoff returns the wait after the given failed attempt, from 1; luck is from 0
// to 1.
func (l Limits) backoff(attempt int, luck float64) time.Duration {
	wait := maxBackoff
	if shift := attempt - 1; shift < 16 && l.Backoff<<shift>>shift == l.Backoff {
		wait = min(wait, l.Backoff<<shift)
	}
	return wait - time.Duration(luck*float64(wait)/2)
}
