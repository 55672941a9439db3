package traffic

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"time"

	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/measure/internal/saturate"
)

// MaxDocuments is the most documents of a prompt that is counted.
const MaxDocuments = 200

// maxMemory is about how many bytes a Collector may hold.
const maxMemory = 256 << 20

// maxSize bounds the sizes of prompts that are told apart, so that the next power of two
// is an int everywhere.
const maxSize = 1<<30 - 1

// curveBytes is about what a curve holds beside its requests.
const curveBytes = 1000

// maxModel cuts the names of models, which may be anything in a file.
const maxModel = 200

// Collector reads recorded entries in one pass. It keeps what makes a curve: about 100
// bytes for each shuffled and answered request of ten documents, and 256 MB at most;
// beyond that, requests are left out and counted. Others are only counted. It is not safe
// for concurrent use.
type Collector struct {
	options Options
	result  Result
	curves  map[Key]*gathered
	room    int // bytes that are left, about
	seed    maphash.Seed
	look    look
}

// gathered is what one curve is made of.
type gathered struct {
	*requests
	outOfOrder int
}

// NewCollector returns a Collector, or a *core.ConfigError for an option that is out
// of range.
func NewCollector(o Options) (*Collector, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Collector{options: o, curves: map[Key]*gathered{}, room: maxMemory, seed: maphash.MakeSeed()}, nil
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
	arm := &r.Configured
	if e.Arm == record.Shuffled {
		arm = &r.Shuffled
	}
	arm.Requests++
	if e.Answer == nil {
		return
	}
	c.look.read(e)
	arm.add(e, c.look.shown, c.look.cited)
	if e.Arm != record.Shuffled {
		return
	}
	n := len(c.look.cells)
	if n < 2 || n > MaxDocuments {
		r.OtherSize++
		return
	}
	if c.room < bytesOf(n) {
		r.NoRoom++
		return
	}
	key := c.keyOf(e, n)
	g := c.curves[key]
	if g == nil {
		g = &gathered{requests: newRequests(n)}
		c.curves[key] = g
		c.room -= curveBytes
	}
	if !c.look.inOrder(e) {
		g.outOfOrder++
		return
	}
	c.room -= bytesOf(n)
	g.add(c.look.cells, e.Time.UTC().Truncate(c.options.Window).Unix(), hashes(c.seed, e)...)
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

// Result estimates a curve for each key. It may be called again after more entries: what it
// says holds at every call. It costs about 0.2 ms for 1,000 requests of ten documents.
func (c *Collector) Result() Result {
	r := c.result
	r.Together, r.Window = c.options.Together, c.options.Window.String()
	for key, g := range c.curves {
		r.Curves = append(r.Curves, c.curve(key, g))
	}
	slices.SortFunc(r.Curves, func(a, b Curve) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Key.compare(b.Key))
	})
	return r
}

func (c *Collector) curve(key Key, g *gathered) Curve {
	byUnit := g.byUnit()
	out := Curve{Key: key, Requests: g.len(), OutOfOrder: g.outOfOrder, Citations: g.cited}
	var windows []windowed
	for _, some := range g.windows(byUnit) {
		w := newWindow(g.requests, some)
		windows = append(windows, w)
		out.Windows = append(out.Windows, w.Window)
	}
	out.conclude(g.requests, byUnit)
	if out.Verdict == nil {
		return out
	}
	out.Curve.Model, out.Curve.Task = key.Model, "citations in traffic"
	out.Curve.Date = c.result.Last.UTC().Format(time.DateOnly)
	out.Drift = drift(windows, out.Slots)
	out.Finding = out.finding()
	return out
}
