package run

import (
	"context"
	"sync"
	"time"
)

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

// correct takes n more units, or gives some back; a century's at most, which is what a
// Duration holds.
func (s *spacing) correct(n int) {
	const century = 100 * 365 * 24 * time.Hour
	took := min(max(float64(n)*float64(s.each), -float64(century)), float64(century))
	s.next = s.next.Add(time.Duration(took))
}

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
