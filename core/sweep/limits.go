package sweep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/core"
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
	// maxRetryAfter is the longest that a server may ask to wait: a call that would
	// have to wait longer fails, and is tried again by the next run.
	maxRetryAfter = 10 * time.Minute
)

// Prices are those of the provider, in any currency, for a million tokens each.
type Prices struct {
	Prompt     float64 `json:"prompt,omitempty"`
	Completion float64 `json:"completion,omitempty"`
	// Cached is the price of a prompt token that came from the server's cache; 0
	// means that of any other.
	Cached float64 `json:"cached,omitempty"`
}

// Cost returns the price of what was used.
func (p Prices) Cost(u Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Prompt
	}
	fresh := max(u.Prompt-u.Cached, 0)
	return (p.Prompt*float64(fresh) + cached*float64(u.Prompt-fresh) + p.Completion*float64(u.Completion)) / 1e6
}

// Check returns a *core.ConfigError for a price that is negative or not finite.
func (p Prices) Check() error {
	for _, v := range []float64{p.Prompt, p.Completion, p.Cached} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return &core.ConfigError{Field: "Prices", Value: p, Rule: "must be finite and 0 or more"}
		}
	}
	return nil
}

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
	// counts, and so does every attempt of a call. A request is sent only when what
	// was spent, what is open, and its own prompt and longest answer stay within the
	// caps; a call waits for the open ones before it gives up. Tokens are the server's figures; where it reported none, and for an
	// attempt whose answer got lost, the estimated tokens of the prompt. What was
	// open when a process was killed is not known. 0: no cap.
	MaxCalls  int
	MaxTokens int
	MaxCost   float64
	// Prices turn tokens into money. MaxCost needs them.
	Prices Prices

	// Timeout bounds one attempt. 0: DefaultTimeout; negative: none.
	Timeout time.Duration
	// Retries is how often a failed attempt is repeated. 0: DefaultRetries; negative:
	// never. The wait before the first is Backoff (0: DefaultBackoff), doubles up to a
	// minute, and is shortened by up to half at random. A Retry-After of the server
	// is kept to instead, and holds back all requests, ten minutes at most; a call that
	// would have to wait longer fails.
	Retries int
	Backoff time.Duration
	// MaxFailures stops the run after so many calls in a row have failed, as they do
	// when the key is wrong. 0: never.
	MaxFailures int

	// Progress is told after every finished call, one at a time. It should return at
	// once.
	Progress func(Progress)
}

func (l Limits) withDefaults() (Limits, error) {
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
	if l.MaxCost > 0 && l.Prices == (Prices{}) {
		fault("MaxCost", l.MaxCost, "needs Prices: without them nothing costs anything")
	}
	if l.Backoff < 0 {
		fault("Backoff", l.Backoff, "must be 0 or more")
	}
	faults = append(faults, l.Prices.Check())
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

// CapError says which cap stopped a run. What was asked before is in the journal:
// a run with a higher cap continues there.
type CapError struct {
	Cap   string  // "calls", "tokens" or "cost"
	Max   float64 // the cap
	Spent float64 // spent and open, without the request that was not sent
	Next  float64 // what that request could have added
}

// Error gives the numbers and the remedy.
func (e *CapError) Error() string {
	return fmt.Sprintf("bookend: the cap of %.6g on %s stops the run: %.6g are spent or open, and the next request may add %.6g; raise it to continue",
		e.Max, e.Cap, e.Spent, e.Next)
}

// Spent is what a journal or a run has used.
type Spent struct {
	Requests int   `json:"requests"` // attempts, failed ones included
	Usage    Usage `json:"usage"`    // tokens by the rule of Limits.MaxTokens
}

// Add adds what another call, run or journal has used.
func (s *Spent) Add(o Spent) {
	s.Requests += o.Requests
	s.Usage.Prompt += o.Usage.Prompt
	s.Usage.Completion += o.Usage.Completion
	s.Usage.Cached += o.Usage.Cached
}

// Remove takes away what Add added.
func (s *Spent) Remove(o Spent) {
	s.Add(Spent{-o.Requests, Usage{-o.Usage.Prompt, -o.Usage.Completion, -o.Usage.Cached}})
}

// Tokens are those of prompts and answers.
func (s Spent) Tokens() int { return s.Usage.Prompt + s.Usage.Completion }

// purse keeps the caps: what a request may use is reserved before it is sent.
type purse struct {
	limits Limits

	mu      sync.Mutex
	settled *sync.Cond // something was settled
	spent   Spent      // and reserved
	open    int        // reservations
}

func newPurse(limits Limits, spent Spent) *purse {
	p := &purse{limits: limits, spent: spent}
	p.settled = sync.NewCond(&p.mu)
	return p
}

// await takes what a request may use. Where a cap forbids it for now, it waits for
// what is open, which mostly uses less than it may; it says which cap forbids it
// once nothing is open.
func (p *purse) await(most Spent) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		err := p.take(most)
		if err == nil || p.open == 0 {
			return err
		}
		p.settled.Wait()
	}
}

// reserve takes what a request may use, or says at once which cap forbids it.
func (p *purse) reserve(most Spent) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(most)
}

func (p *purse) take(most Spent) error {
	after := p.spent
	after.Add(most)
	for _, c := range []struct {
		name             string
		max, spent, then float64
	}{
		{"calls", float64(p.limits.MaxCalls), float64(p.spent.Requests), float64(after.Requests)},
		{"tokens", float64(p.limits.MaxTokens), float64(p.spent.Tokens()), float64(after.Tokens())},
		{"cost", p.limits.MaxCost, p.limits.Prices.Cost(p.spent.Usage), p.limits.Prices.Cost(after.Usage)},
	} {
		if c.max > 0 && c.then > c.max*(1+1e-12) {
			return &CapError{Cap: c.name, Max: c.max, Spent: c.spent, Next: c.then - c.spent}
		}
	}
	p.spent = after
	p.open++
	return nil
}

// settle replaces what was reserved by what was used.
func (p *purse) settle(most, used Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent.Remove(most)
	p.spent.Add(used)
	p.open--
	p.settled.Broadcast()
}

// clock is the time, which tests replace.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

func wallClock() clock {
	return clock{now: time.Now, sleep: func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// spacing lets units pass at an even rate. golang.org/x/time/rate refuses a
// request that is larger than its burst, and with a burst of a minute's tokens the
// first minute would hold twice the limit.
type spacing struct {
	each time.Duration // for one unit; 0: no limit
	next time.Time     // when the next unit may pass
}

func perMinute(n int) spacing {
	if n == 0 {
		return spacing{}
	}
	return spacing{each: time.Minute / time.Duration(n)}
}

// take returns when n units may pass, not before now, and holds back what follows.
func (s *spacing) take(now time.Time, n int) time.Time {
	if s.each == 0 {
		return now
	}
	if s.next.Before(now) {
		s.next = now
	}
	at := s.next
	s.correct(n)
	return at
}

// correct takes n more units, or gives some back.
func (s *spacing) correct(n int) { s.next = s.next.Add(time.Duration(n) * s.each) }

// gate spaces requests and holds all of them back when the server asks for it.
type gate struct {
	clock    clock
	mu       sync.Mutex
	requests spacing
	tokens   spacing
	opens    time.Time
}

// pass waits until a request of so many tokens may be sent.
func (g *gate) pass(ctx context.Context, tokens int) error {
	g.mu.Lock()
	at := g.take(g.clock.now(), tokens)
	for {
		if g.opens.After(at) { // spaced anew, so that not all go at once then
			at = g.take(g.opens, tokens)
		}
		wait := at.Sub(g.clock.now())
		g.mu.Unlock()
		if wait <= 0 {
			return ctx.Err()
		}
		if err := g.clock.sleep(ctx, wait); err != nil {
			return err
		}
		g.mu.Lock() // the server may have asked for patience meanwhile
	}
}

func (g *gate) take(now time.Time, tokens int) time.Time {
	at, t := g.requests.take(now, 1), g.tokens.take(now, tokens)
	if t.After(at) {
		return t
	}
	return at
}

// closeFor holds back all requests.
func (g *gate) closeFor(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if opens := g.clock.now().Add(wait); opens.After(g.opens) {
		g.opens = opens
	}
}

// correct replaces the tokens that were expected by those that were used.
func (g *gate) correct(expected, used int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens.correct(used - expected)
}
