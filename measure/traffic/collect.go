package traffic

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/internal/saturate"
)

// MaxDocuments is the most documents of a prompt that is counted.
const MaxDocuments = 200

// maxCounters bounds the counters of a Collector: 4 bytes each.
const maxCounters = 64 << 20

// maxSize bounds the sizes of prompts that are told apart, so that the next power of two
// is an int everywhere.
const maxSize = 1<<30 - 1

// maxModel cuts the names of models, which may be anything in a file.
const maxModel = 200

// Collector counts recorded entries in one pass. Its memory depends on how many
// curves and windows there are, not on how many entries: at ten documents, about
// 130 kB a window of each curve, and 256 MB at most. It is not safe for concurrent
// use.
type Collector struct {
	options Options
	result  Result
	curves  map[Key]map[int64]*groups // by window
	size    int                       // counters that all groups may come to hold

	ranks, cited, slotOf []int // of the entry at hand
}

// NewCollector returns a Collector, or a *core.ConfigError for an option that is out
// of range.
func NewCollector(o Options) (*Collector, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Collector{options: o, curves: map[Key]map[int64]*groups{}}, nil
}

// ReadFile adds every entry of a record file. The error is that of record.Read.
func (c *Collector) ReadFile(path string) (record.Reading, error) {
	found, err := record.Read(path, func(e record.Entry) error {
		c.Add(e)
		return nil
	})
	c.result.Torn += found.Torn
	return found, err
}

// Add counts one entry, which record.Read has checked. Only answered entries of the
// shuffled arm with 2 to MaxDocuments documents in the prompt make a curve; the
// others are counted. It costs a few steps a document.
func (c *Collector) Add(e record.Entry) {
	r := &c.result
	if r.First.IsZero() || e.Time.Before(r.First) {
		r.First = e.Time
	}
	if e.Time.After(r.Last) {
		r.Last = e.Time
	}
	if e.Arm != record.Shuffled {
		r.Configured.add(e)
		return
	}
	r.Shuffled.add(e)
	n := len(e.Arrangement.Slots)
	switch {
	case e.Answer == nil:
		return
	case n < 2 || n > MaxDocuments:
		r.OtherSize++
		return
	}
	g := c.groupsFor(e, n)
	if g == nil {
		r.NoRoom++
		return
	}
	c.look(e)
	g.add(c.ranks, c.cited)
}

// look finds the rank in each slot, among the admitted, and the slots cited.
func (c *Collector) look(e record.Entry) {
	c.ranks, c.cited = c.ranks[:0], c.cited[:0]
	c.slotOf = append(c.slotOf[:0], make([]int, e.Arrangement.N)...)
	for slot, p := range e.Arrangement.Slots {
		c.slotOf[p.Rank] = slot + 1
	}
	c.ranks = append(c.ranks, make([]int, len(e.Arrangement.Slots))...)
	admitted := 0
	for _, slot := range c.slotOf {
		if slot > 0 {
			c.ranks[slot-1] = admitted
			admitted++
		}
	}
	for _, rank := range e.Answer.Ranks {
		if slot := c.slotOf[rank] - 1; slot >= 0 {
			c.cited = append(c.cited, slot)
			c.slotOf[rank] = 0 // a rank that is listed twice counts once
		}
	}
}

func (c *Collector) keyOf(e record.Entry, n int) Key {
	k := Key{Documents: n}
	if c.options.Together {
		return k
	}
	k.Model, k.Unit = e.Model[:min(len(e.Model), maxModel)], "tokens"
	size := e.PromptTokens
	if size <= 0 {
		k.Unit, size = "bytes", 0
		for _, p := range e.Arrangement.Slots {
			size = saturate.Add(size, max(e.Documents[p.Rank].Length, 0))
		}
	}
	k.UpTo = 1 << bits.Len(uint(min(max(size-1, 0), maxSize)))
	return k
}

// groupsFor returns nil where there is no room for another window or curve.
func (c *Collector) groupsFor(e record.Entry, n int) *groups {
	key := c.keyOf(e, n)
	window := e.Time.UTC().Truncate(c.options.Window).Unix()
	g := c.curves[key][window]
	if g != nil {
		return g
	}
	// As large as it may become, so that the bound holds whatever is in the file.
	room := (groupsOf(n) + 1) * tallySize(n)
	if c.size+room > maxCounters {
		return nil
	}
	c.size += room
	if c.curves[key] == nil {
		c.curves[key] = map[int64]*groups{}
	}
	g = newGroups(n)
	c.curves[key][window] = g
	return g
}

// Result estimates a curve for each key. It may be called again after more entries.
// The bootstrap costs about 20 ms a curve and window of ten documents.
func (c *Collector) Result() Result {
	r := c.result
	r.Together, r.Window = c.options.Together, c.options.Window.String()
	for key, windows := range c.curves {
		r.Curves = append(r.Curves, c.curve(key, windows))
	}
	slices.SortFunc(r.Curves, func(a, b Curve) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Key.compare(b.Key))
	})
	return r
}

func (c *Collector) curve(key Key, windows map[int64]*groups) Curve {
	n := key.Documents
	out := Curve{Key: key}
	var all []tally
	starts := slices.Sorted(maps.Keys(windows))
	for _, start := range starts {
		g := windows[start]
		all = append(all, g.tallies...)
		out.Windows = append(out.Windows, newWindow(time.Unix(start, 0).UTC(), g))
	}
	for _, w := range out.Windows {
		out.Requests += w.Requests
		out.Citations += w.Citations
	}
	e := newEstimate(n, all, c.options.Resamples, c.options.Confidence, c.options.Seed)
	if e == nil {
		out.Finding = fmt.Sprintf("too few citations for a curve: %d in %d requests; every slot must expect %d", out.Citations, out.Requests, minExpected)
		out.Needed = firstNeeded(out)
		return out
	}
	out.Slots, out.Verdict, out.Needed = e.slots, &e.verdict, e.needed()
	out.Curve = e.curve()
	out.Curve.Model, out.Curve.Task = key.Model, "citations in traffic"
	out.Curve.Date = c.result.Last.UTC().Format(time.DateOnly)
	out.Drift = drift(n, out.Windows, windows, e.slots)
	out.Finding = out.finding()
	return out
}

// firstNeeded is how many more requests give every slot the citations for a first
// estimate, 0 where that cannot be told.
func firstNeeded(c Curve) int {
	if c.Citations == 0 {
		return 0
	}
	each := float64(c.Citations) / float64(c.Requests) / float64(c.Documents)
	return max(int(2*minExpected/each)-c.Requests, 1)
}
