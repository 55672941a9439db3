package run

import (
	"fmt"
	"sync"

	"github.com/bookend-rag/bookend/measure/journal"
	"github.com/bookend-rag/bookend/measure/model"
)

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
	return fmt.Sprintf("bookend: the cap of %.6g on %s stops the run: %.6g are spent or being spent, and the next request may add %.6g; raise the cap to continue",
		e.Max, e.Cap, e.Spent, e.Next)
}

// purse keeps the caps: what a request may use is reserved before it is sent.
type purse struct {
	limits Limits
	judge  model.Prices

	mu      sync.Mutex
	settled *sync.Cond    // something was settled
	spent   journal.Spent // and reserved
	open    int           // reservations
}

func newPurse(limits Limits, judge model.Prices, spent journal.Spent) *purse {
	p := &purse{limits: limits, judge: judge, spent: spent}
	p.settled = sync.NewCond(&p.mu)
	return p
}

// await takes what a request may use. Where a cap forbids it for now, it waits for
// what is open, which mostly uses less than it may; it says which cap forbids it
// once nothing is open.
func (p *purse) await(most journal.Spent) error {
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
func (p *purse) reserve(most journal.Spent) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(most)
}

func (p *purse) take(most journal.Spent) error {
	after := p.spent
	after.Add(most)
	for _, c := range []struct {
		name             string
		max, spent, then float64
	}{
		{"calls", float64(p.limits.MaxCalls), float64(p.spent.Requests), float64(after.Requests)},
		{"tokens", float64(p.limits.MaxTokens), float64(p.spent.Tokens()), float64(after.Tokens())},
		{"cost", p.limits.MaxCost, p.cost(p.spent), p.cost(after)},
	} {
		if c.max > 0 && c.then > c.max*(1+1e-12) {
			return &CapError{Cap: c.name, Max: c.max, Spent: c.spent, Next: c.then - c.spent}
		}
	}
	p.spent = after
	p.open++
	return nil
}

// cost is the price of what was used.
func (p *purse) cost(s journal.Spent) float64 {
	return p.limits.Prices.Cost(s.Usage) + p.judge.Cost(s.Judge)
}

// settle replaces what was reserved by what was used.
func (p *purse) settle(most, used journal.Spent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent.Remove(most)
	p.spent.Add(used)
	p.open--
	p.settled.Broadcast()
}
