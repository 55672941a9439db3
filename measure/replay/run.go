package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/prefixcache"
)

// Config says what is counted. Settings has no default.
type Config struct {
	// Settings are the ways to send the traffic, one or more. The first is the user's
	// own, which the others are held against.
	Settings []Setting
	// Cache is the server's cache, one for each setting.
	Cache prefixcache.Config
	// Tokenize returns the tokens of a prompt, such as a tokenizer's numbers for them.
	// It must be safe for concurrent use. nil: prefixcache.ByBytes.
	Tokenize func(text string) []uint32
	// Curve returns the accuracy in each slot of a prompt of n documents, as shares from
	// 0 to 1, and CurveName says whose. nil: no accuracy is worked out.
	Curve     func(n int) ([]float64, error)
	CurveName string
	// CurveDocuments is how many each prompt had when it was measured; 0: not known.
	CurveDocuments int
	// Decay is by what factor the chance of having the answer falls from each rank to the
	// next, where the traffic does not tell. 0: DefaultDecay.
	Decay float64
	// Prices are those of the provider. Zero: nothing is priced.
	Prices model.Prices
}

// DefaultDecay lets half of the answers stand at the best rank, a quarter at the next.
const DefaultDecay = 0.5

func (c *Config) check() error {
	var faults []error
	fault := func(field string, value any, rule string) {
		faults = append(faults, &core.ConfigError{Field: field, Value: value, Rule: rule})
	}
	if len(c.Settings) == 0 {
		fault("Settings", 0, "one or more are needed, the user's own first")
	}
	seen := map[string]bool{}
	for _, s := range c.Settings {
		if s.Name == "" || seen[s.Name] {
			fault("Settings", s.Name, "each setting needs a name of its own")
		}
		seen[s.Name] = true
	}
	if !(c.Decay >= 0 && c.Decay <= 1) {
		fault("Decay", c.Decay, "must be above 0, for a sure first rank, and at most 1, for ranks alike")
	}
	if c.Decay == 0 {
		c.Decay = DefaultDecay
	}
	if c.Tokenize == nil {
		c.Tokenize = prefixcache.ByBytes
	}
	return errors.Join(append(faults, c.Cache.Check(), c.Prices.Check())...)
}

// Run counts the settings over the traffic, several at a time. Every fault of the
// Config comes joined; a request that a setting cannot lay out ends it. It costs, for
// each setting, laying out every prompt, and what the model of the cache costs.
func Run(ctx context.Context, t Traffic, c Config) (Result, error) {
	if err := c.check(); err != nil {
		return Result{}, err
	}
	if len(t.Requests) == 0 {
		return Result{}, &core.ConfigError{Field: "traffic", Value: t.Source, Rule: "there is no request in it"}
	}
	w := &work{traffic: t, histories: t.histories(), golds: t.golds(c.Decay), config: c}
	if err := w.readCurve(); err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, faults := make([]Row, len(c.Settings)), make([]error, len(c.Settings))
	var running sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range c.Settings {
		running.Add(1)
		go func() {
			defer running.Done()
			room <- struct{}{}
			defer func() { <-room }()
			if rows[i], faults[i] = w.count(ctx, c.Settings[i]); faults[i] != nil {
				cancel()
			}
		}()
	}
	running.Wait()
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return Result{}, err
		}
	}
	if err := errors.Join(faults...); err != nil {
		return Result{}, err
	}
	return w.result(rows), nil
}

// work is what all settings share, read-only.
type work struct {
	traffic   Traffic
	histories [][]prompt.Message
	golds     golds
	curves    map[int][]float64 // by number of documents; nil without a curve
	config    Config
}

func (w *work) readCurve() error {
	if w.config.Curve == nil {
		return nil
	}
	w.curves = map[int][]float64{}
	for _, r := range w.traffic.Requests {
		for n := len(r.Documents); n > 0 && w.curves[n] == nil; n-- { // fewer may be admitted
			curve, err := w.config.Curve(n)
			if err != nil {
				return err
			}
			bad := slices.ContainsFunc(curve, func(p float64) bool { return !(p >= 0 && p <= 1) })
			if len(curve) != n || bad {
				return &core.ConfigError{Field: "Curve", Value: w.config.CurveName, Rule: fmt.Sprintf("must give %d shares from 0 to 1 for %d documents", n, n)}
			}
			w.curves[n] = curve
		}
	}
	return nil
}

// count sends the traffic through one setting.
func (w *work) count(ctx context.Context, s Setting) (Row, error) {
	c, err := s.compile(w.config.Cache.Lifetime)
	if err != nil {
		return Row{}, err
	}
	cache, err := prefixcache.New(w.config.Cache)
	if err != nil {
		return Row{}, err
	}
	row := Row{Name: s.Name, Labels: c.renderer.Config().Labels}
	for i, r := range w.traffic.Requests {
		p, err := c.prompt(ctx, r, w.histories[i], w.at(r))
		if err != nil {
			return Row{}, fmt.Errorf("bookend: request %d under %q: %w", i+1, s.Name, err)
		}
		tokens := w.config.Tokenize(p.Text)
		cached := cache.ReadAnswered(tokens, w.answer(r), w.at(r))
		row.Tokens += len(tokens)
		row.Cached += cached
		if len(tokens) < w.config.Cache.Minimum {
			row.Short++
		}
		order := ranks(p.Arrangement)
		if w.curves != nil && len(order) > 0 {
			row.sum += w.golds.accuracy(w.curves[len(order)], order, len(r.Documents))
		}
	}
	return row, nil
}

// answer returns the tokens of an answer that a later turn shows; else it is kept by
// nobody who matters.
func (w *work) answer(r Request) []uint32 {
	if r.Conversation == "" {
		return nil
	}
	return w.config.Tokenize(r.Answer)
}

// at is the time of a request, as the cache sees it.
func (w *work) at(r Request) time.Time {
	if !w.traffic.Timed {
		return time.Unix(0, 0)
	}
	return r.Time
}

func ranks(a core.Arrangement) []int {
	order := make([]int, len(a.Slots))
	for slot, placed := range a.Slots {
		order[slot] = placed.Rank
	}
	return order
}
